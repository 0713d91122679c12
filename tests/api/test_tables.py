"""Tables for people: the numbers of a match, the standings, who beat whom, and one line per game."""

from typing import Any

import pytest
from rich.table import Table

from starscout import games
from starscout.api.match import MatchResult, match_result
from starscout.api.tables import cross_table, game_text, result_table, standings_table
from starscout.arena.pair import pack_pair
from starscout.arena.plan import MatchPlan
from starscout.arena.standings import MeetingResult, Standings
from starscout.arena.store import StoredMatch
from starscout.arena.tally import Tally
from starscout.cli.support.output import console
from starscout.records.packed import SeatedGame
from starscout.records.record import GameRecord
from starscout.search.limits import Limit
from tests.arena.pairs import pair, tally_of

START = "123../45.../6...f/...ed/..cba r -"


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str]):
    """shown(table) → its lines as they are printed, each as its words."""

    def lines(table: Table) -> list[str]:
        console().print(table)
        return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]

    return lines


LIMITS = Limit(depth=4), Limit()


def result(tally: Tally, first: str = "a", second: str = "b", **facts: Any) -> MatchResult:
    """A match that has this tally."""
    goal = {"pairs": 4, "sprt": [0, 5], "adjusted": False} if facts.pop("tested", False) else {"pairs": 4}
    stored = StoredMatch(1, MatchPlan("ewn", first, second), "", 0.0, goal, 4, 1.0)
    return match_result(stored, tally, 1.0, limits=LIMITS, **facts)


def test_the_result_of_a_match(shown) -> None:
    tally = tally_of((1, 1), (1, 0), (0.5, 1), (0, 0))
    lines = shown(result_table(result(tally, "nboard[depth=4]:./ntest", "random", pace="12 games per second")))
    assert lines[:2] == ["A: nboard[depth=4]:./ntest", "B: random"]
    assert lines[2:5] == [
        "games 8 in 4 pairs +4 −3 =1",
        "pair scores 0: 1 0.5: 1 0.75: 1 1: 1",
        lines[4],
    ]
    assert lines[4].startswith("score of A 56.2% 95 %: ")
    assert lines[-4:] == [
        "length 10.0 plies",
        "A used no moves limit: 4 plies",
        "B used no moves limit: its own default",
        "pace 12 games per second",
    ]


def test_nothing_yet_and_everything_won(shown) -> None:
    empty = shown(result_table(result(Tally())))
    assert "pair scores none yet" in empty
    won = shown(result_table(result(tally_of((1, 1), (1, 1)))))
    assert next(line for line in won if line.startswith("Elo")).startswith("Elo +∞ 95 %: ")
    lost = shown(result_table(result(tally_of((0, 0), (0, 0)))))
    assert next(line for line in lost if line.startswith("Elo")).startswith("Elo −∞ 95 %: −∞ to ")


def test_luck_tests_and_forfeits_have_lines_of_their_own(shown) -> None:
    tally = Tally()
    for number in range(4):
        scores = (1.0, 0.0) if number % 2 else (1.0, 1.0)
        tally.add(pair(number, *scores, reasons=("timeout", "corner"), luck=(0.1 * number, 0.0)))
    lines = shown(result_table(result(tally, tested=True)))
    assert any(line.startswith("luck-adjusted ") and "variance × " in line for line in lines)
    assert any(line.startswith("sequential test ") and line.endswith(": undecided") for line in lines)
    assert "forfeits of B timeout 4× of 8 games" in lines
    assert not any(line.startswith("forfeits of A") for line in lines)


@pytest.fixture
def standings() -> Standings:
    played = [MeetingResult(1, 0, 1, 7, tally_of((1.0, 0.5))), MeetingResult(1, 2, 0, 8, tally_of((0.0, 0.0)))]
    return Standings(("a", "b", "c"), 2, 1, played)


def test_standings(shown, standings: Standings) -> None:
    heading, first, second, third = shown(standings_table(standings))
    assert heading == "rank player games points opponents' points Elo"
    assert first.startswith("1 a 4 3.5 0.5 +")
    assert second.startswith("2 b 2 0.5 3.5 ")
    assert third.startswith("3 c 2 0 3.5 -")


def test_who_beat_whom_by_rank(shown, standings: Standings) -> None:
    assert shown(cross_table(standings)) == ["rank 1 2 3", "1 · 75 100", "2 25 · ·", "3 0 · ·"]


@pytest.mark.parametrize(
    ("winner", "reason", "detail", "side", "text"),
    [
        (0, "corner", "", 0, "round 3: Anna wins as red: corner, 0 plies"),
        (0, "corner", "", 1, "round 3: Bert wins as red: corner, 0 plies"),
        (1, "timeout", "too late", 1, "round 3: Anna wins as blue: timeout, 0 plies (too late)"),
        (None, "numbers", "", 0, "round 3: draw: numbers, 0 plies"),
    ],
)
def test_a_game_in_a_line(winner: int | None, reason: str, detail: str, side: int, text: str) -> None:
    record = GameRecord("ewn", START, ("x", "y"), (), winner, reason, detail)
    assert game_text(games.load("ewn"), ("Anna", "Bert"), 2, SeatedGame(record, side)) == text
    assert pack_pair(0, [SeatedGame(record, side)]).scores == (SeatedGame(record, side).score,)
