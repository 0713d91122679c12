"""Reports are self-contained HTML files."""

import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from starscout.arena.batch import Batch, play_batch
from starscout.arena.pair import PairRecord
from starscout.arena.pairing import ROUND_ROBIN
from starscout.arena.plan import MatchPlan
from starscout.arena.sprt import Sprt
from starscout.arena.standings import MeetingResult, Standings
from starscout.arena.store import Store
from starscout.arena.tally import Tally
from starscout.arena.tournament import TournamentPlan
from starscout.game import GameError
from starscout.views.store import match_report, meeting_matches, tournament_report, write_report


class Headings(HTMLParser):
    """Collects headings and external addresses, and counts SVG elements."""

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


def report_of(store: Store) -> str:
    match = store.match(1)
    pairs = list(store.counted_pairs(match))
    tally = Tally()
    for pair in pairs:
        tally.add(pair)
    return match_report(match.plan, tally.summary(Sprt(0, 10)), pairs)


@pytest.fixture
def store() -> Iterator[Store]:
    """A match of twenty pairs with its luck, one of whose players forfeits a game."""
    plan = MatchPlan("ewn-3x3-3", "random", "<b>loud</b>", seed=2, luck="eval=race depth=1")
    with Store(":memory:") as opened:
        match = opened.open_match(plan, {"pairs": 20, "sprt": [0, 10], "adjusted": False})
        records = play_batch(Batch(match.id, replace(plan, second="random"), tuple(range(20)))).records
        forfeited = records[3]._replace(reasons=("timeout", records[3].reasons[1]))
        opened.add(match.id, [*records[:3], forfeited, *records[4:]])
        yield opened


def test_match_report_is_self_contained(store: Store) -> None:
    text = report_of(store)
    page = Headings(text)
    assert page.headings == [
        "Forfeits", "Pair scores", "Running score", "Game length", "Time per move", "Highlights",
    ]  # fmt: skip
    assert page.addresses == []
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "<b>loud" not in text
    assert "&lt;b&gt;loud" in text
    assert "sequential test" in text
    assert "luck-adjusted" in text
    assert ">timeout<" in text
    # A bar for the score, three charts, and three boards of each kind.
    assert page.pictures == 1 + 3 + 6
    assert "觀賽" in text


def test_time_histogram_counts_moves(store: Store) -> None:
    text = report_of(store)
    times = text[text.index("Time per move") :]
    assert ">moves</text>" in times
    assert ">games</text>" not in times


def test_tournament_report_escapes_names_and_lists_rounds(store: Store) -> None:
    players = ("<b>loud</b>", "quiet")
    tally = Tally()
    tally.add(PairRecord(0, (1.0, 1.0), (10, 12), ("corner", "corner"), None, 1.0, b"", b""))
    standings = Standings(players, 2, 0, [MeetingResult(1, 0, 1, 1, tally)])
    matches = meeting_matches(store, standings)
    text = tournament_report(TournamentPlan("ewn", players, ROUND_ROBIN, 1, 1), standings, matches)
    assert "<b>loud" not in text
    page = Headings(text)
    assert page.addresses == []
    assert page.headings == ["Ratings", "Cross table", "Rounds", "Forfeits", "Highlights"]
    assert re.search(r"<td>2 – 0</td>", text)


def test_unwritable_report(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="cannot write the report"):
        write_report("text", str(tmp_path / "missing" / "report.html"))
