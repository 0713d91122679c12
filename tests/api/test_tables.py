"""Tables of results: the numbers of a match, the standings, and the cross table."""

from typing import Any

import pytest
from rich.table import Table

from starscout.api.match import MatchResult, match_result
from starscout.api.result import rich_table
from starscout.api.tournament import cross_table, rounds_table
from starscout.arena.plan import MatchPlan
from starscout.arena.standings import MeetingResult, Standings
from starscout.arena.store import StoredMatch
from starscout.arena.tally import Tally
from starscout.cli.output import console
from starscout.search.limits import Limit
from tests.arena.pairs import pair, tally_of


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str]):
    """shown(table) → its printed lines, with single spaces."""

    def lines(table: Table | MatchResult) -> list[str]:
        console().print(table)
        return [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]

    return lines


LIMITS = Limit(depth=4), Limit()


def result(tally: Tally, first: str = "a", second: str = "b", **facts: Any) -> MatchResult:
    """Return the result of a match with this tally."""
    goal = {"pairs": 4, "sprt": [0, 5], "adjusted": False} if facts.pop("tested", False) else {"pairs": 4}
    stored = StoredMatch(1, MatchPlan("ewn", first, second), "", 0.0, goal, 4, 1.0)
    return match_result(stored, tally, 1.0, limits=LIMITS, **facts)


def test_result_of_a_match(shown) -> None:
    tally = tally_of((1, 1), (1, 0), (0.5, 1), (0, 0))
    lines = shown(result(tally, "nboard[depth=4]:./ntest", "random", pace="12 games per second"))
    assert lines[:2] == ["A: ntest depth=4", "B: random"]
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


def test_empty_and_one_sided_matches(shown) -> None:
    empty = shown(result(Tally()))
    assert "pair scores none yet" in empty
    won = shown(result(tally_of((1, 1), (1, 1))))
    assert next(line for line in won if line.startswith("Elo")).startswith("Elo +∞ 95 %: ")
    lost = shown(result(tally_of((0, 0), (0, 0))))
    assert next(line for line in lost if line.startswith("Elo")).startswith("Elo −∞ 95 %: −∞ to ")


def test_luck_test_and_forfeits_have_separate_lines(shown) -> None:
    tally = Tally()
    for number in range(4):
        scores = (1.0, 0.0) if number % 2 else (1.0, 1.0)
        tally.add(pair(number, *scores, reasons=("timeout", "corner"), luck=(0.1 * number, 0.0)))
    lines = shown(result(tally, tested=True))
    assert any(line.startswith("luck-adjusted ") and "variance × " in line for line in lines)
    assert any(line.startswith("sequential test ") and line.endswith(": undecided") for line in lines)
    assert "forfeits of B timeout 4× of 8 games" in lines
    assert not any(line.startswith("forfeits of A") for line in lines)


@pytest.fixture
def standings() -> Standings:
    played = [MeetingResult(1, 0, 1, 7, tally_of((1.0, 0.5))), MeetingResult(1, 2, 0, 8, tally_of((0.0, 0.0)))]
    return Standings(("a", "b", "c"), 2, 1, played)


def test_cross_table_is_ordered_by_rank(shown, standings: Standings) -> None:
    assert shown(cross_table(standings)) == ["rank 1 2 3", "1 · 75 100", "2 25 · ·", "3 0 · ·"]


def test_rounds_list_pairings_and_byes(shown, standings: Standings) -> None:
    heading, first, second, *rest = shown(rounds_table(standings.rounds(), {"b": "Bert"}))
    assert heading == "round first second points forfeits"
    assert first.startswith("1 a Bert 1.5 – 0.5")
    assert second.startswith("1 c a 0 – 2")
    assert rest == [] or rest[0].startswith("1 ")


def test_alignment(shown) -> None:
    assert shown(rich_table(("name", "games"), [("a", "10"), ("bc", "2")], left=("name",))) == [
        "name games", "a 10", "bc 2",
    ]  # fmt: skip
