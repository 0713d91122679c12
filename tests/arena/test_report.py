"""Reports: one file with the numbers and the plots, which loads nothing from elsewhere."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from starscout.arena.batch import Batch, play_batch
from starscout.arena.formats import ROUND_ROBIN
from starscout.arena.pair import PairRecord
from starscout.arena.plan import MatchPlan
from starscout.arena.report import match_report, tournament_report, write_report
from starscout.arena.sprt import Sprt
from starscout.arena.standings import Played, Standings
from starscout.arena.store import Store
from starscout.arena.tally import Tally
from starscout.arena.tournament import TournamentPlan
from starscout.game import GameError


class Headings(HTMLParser):
    """Collects the headings, counts the pictures and everything that would be loaded from elsewhere."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.headings: list[str] = []
        self.pictures = 0
        self.addresses: list[str] = []
        self._inside = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag in ("h1", "h2")
        self.pictures += tag == "svg"
        self.addresses += [
            value
            for name, value in attrs
            if name in ("src", "href", "xlink:href") and value and not value.startswith(("#", "data:"))
        ]

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.headings.append(data)
            self._inside = False


def test_match_report_is_self_contained() -> None:
    plan = MatchPlan("ewn-3x3-3", "random", "random", seed=2, luck="eval=race depth=1")
    with Store(":memory:") as store:
        match = store.open_match(plan, {"pairs": 20, "sprt": [0, 10], "adjusted": False})
        records = play_batch(Batch(match.id, plan, tuple(range(20)))).records
        store.add(match.id, records)
    tally = Tally()
    for record in records:
        tally.add(record)
    text = match_report(plan, tally.summary(Sprt(0, 10)), records)
    page = Headings(text)
    assert page.headings == [
        "random against random", "Score over time", "Length of the games", "Thinking time of a move",
    ]  # fmt: skip
    assert page.pictures == 3
    assert page.addresses == []
    assert f"<td>{sum(r.scores.count(1.0) for r in records)}</td>" in text
    assert "sequential test" in text
    assert "luck-adjusted score" in text


def test_names_are_escaped_and_tournaments_have_their_plots() -> None:
    players = ("<b>loud</b>", "quiet")
    tally = Tally()
    tally.add(PairRecord(0, (1.0, 1.0), (10, 12), ("corner", "corner"), None, 1.0, b"", b""))
    standings = Standings(players, 2, 0, [Played(1, 0, 1, 1, tally)])
    text = tournament_report(TournamentPlan("ewn", players, ROUND_ROBIN, 1, 1), standings)
    assert "<b>loud" not in text
    page = Headings(text)
    assert page.pictures == 4
    assert page.addresses == []
    assert page.headings[0] == "Round robin of 2 players"
    assert re.search(r"<td>2</td>\s*<td>0</td>|<td>2</td><td>0</td>", text)


def test_a_report_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="cannot be written"):
        write_report("text", str(tmp_path / "missing" / "report.html"))
