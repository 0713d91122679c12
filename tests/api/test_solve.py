"""`starscout.solve`: exact values and timeouts."""

from pathlib import Path

import pytest

import starscout
from starscout.games.ewn import endgame_table


def test_exact_values() -> None:
    before = starscout.solve(starscout.parse("ewn-3x3-3", "12./3.a/.cb r -"))
    assert before.value == pytest.approx(0.399176954733, abs=1e-12)
    assert (before.exact, before.best, before.method) == (True, None, "search")
    rolled = [starscout.solve(starscout.parse("ewn-3x3-3", f"12./3.a/.cb r {roll}")) for roll in (1, 2, 3)]
    assert sum(part.value or 0 for part in rolled) / 3 == pytest.approx(before.value, abs=1e-12)
    assert rolled[0].best in rolled[0].state.moves
    assert set(before.json()) >= {"value", "win_probability", "best", "exact", "method", "nodes", "seconds"}
    assert "exactly, by search" in str(before)
    assert before.frame()["value"].tolist() == [before.value]


def test_value_of_a_table_position_is_exact() -> None:
    """The table's own value is 0.5010757610."""
    solution = starscout.solve(starscout.parse("ewn", "3..../.4.../...../...d./....c r -"))
    assert solution.win_probability == 0.501068115234375
    assert (solution.exact, solution.error, "error" in solution.json()) == (True, 0.0, False)


def test_rounded_value_is_not_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    state = starscout.parse("ewn", "3..../.4.../...../...d./....c r -")
    monkeypatch.setattr(endgame_table, "REFINED_POSITIONS", 0)
    solution = starscout.solve(state, time=0.0)
    assert (solution.exact, solution.json()["exact"], solution.method) == (False, False, "table")
    assert solution.win_probability is not None
    assert 0 < abs(solution.win_probability - 0.501068115234375) <= solution.json()["error"] / 2 < 0.001
    assert solution.sentence().startswith("not solved exactly: red wins 50.11% (value +0.0022, error at most 0.0")
    rolled = starscout.solve(state.rolled(3), time=0.0)
    assert (rolled.exact, rolled.best in rolled.state.moves, rolled.error > 0) == (False, True, True)


def test_moves_from_a_rounded_table_are_not_proven() -> None:
    analysis = starscout.analyse(starscout.parse("ewn", "3..../.4.../...../...d./....c r 3"), "strong", nodes=100)
    assert [part.proven for part in analysis.moves] == [False] * len(analysis.moves) != []


@pytest.mark.parametrize(("position", "said"), [("....../.f..../...b../2...../....../.....3 b", "blue wins with")])
def test_a_game_without_dice_is_won_drawn_or_lost(position: str, said: str) -> None:
    assert starscout.solve(starscout.parse("kari", position)).sentence().startswith(said)


def test_finished_game_and_timeout() -> None:
    over = starscout.parse("othello-4x4", "X" * 16 + " O")
    assert starscout.solve(over).value == -1
    no = starscout.solve(starscout.start("ewn"), time=0.2)
    assert (no.exact, no.value, no.win_probability) == (False, None, None)
    assert str(no).splitlines()[-1].startswith("not solved: after ")
    assert no.plot().svg.count("<svg") == 1


def test_value_iteration_reports_its_error() -> None:
    pig = starscout.load(str(Path(__file__).parents[2] / "examples" / "pig.py"))
    solution = starscout.solve(starscout.parse(pig, "90 92 0 a choose"), time=300)
    assert solution.method == "value iteration"
    assert not solution.exact
    assert solution.solved
    assert 0 < solution.error < 1e-6
    assert solution.json()["error"] == solution.error
