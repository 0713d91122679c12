"""`starscout.solve`: exact values and timeouts."""

import pytest

import starscout


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


@pytest.mark.parametrize(("position", "said"), [("....../.f..../...b../2...../....../.....3 b", "blue wins with")])
def test_a_game_without_dice_is_won_drawn_or_lost(position: str, said: str) -> None:
    assert starscout.solve(starscout.parse("kari", position)).sentence().startswith(said)


def test_finished_game_and_timeout() -> None:
    over = starscout.parse("othello-4x4", "X" * 16 + " O")
    assert starscout.solve(over).value == -1
    no = starscout.solve(starscout.start("ewn"), time=0.2)
    assert (no.exact, no.value, no.win_probability) == (False, None, None)
    assert str(no).splitlines()[-1].startswith("no: after ")
    assert no.plot().svg.count("<svg") == 1
