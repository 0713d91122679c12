"""Every rule of kari."""

import pytest

from starscout import games
from starscout.game import GameError, Outcome, state

pytestmark = [pytest.mark.plain, pytest.mark.bounds]

KARI = games.load("kari")
EMPTY = "......"


def now(*rows: str, mover: str = "r") -> state.State:
    board = "/".join([*rows, *[EMPTY] * 6][:6])
    return state.parse(KARI, f"{board} {mover}")


def corners(top_left: str, bottom_right: str, *, mover: str, middle: str = EMPTY) -> state.State:
    return now(f"{top_left}.....", EMPTY, middle, EMPTY, EMPTY, f".....{bottom_right}", mover=mover)


def test_the_start_cells() -> None:
    cells = KARI.cells(KARI.start_position(2))
    assert [n for n, cell in enumerate(cells) if cell.side == 0] == [0, 1, 2, 6, 7, 12]
    assert [n for n, cell in enumerate(cells) if cell.side == 1] == [23, 28, 29, 33, 34, 35]


def test_any_own_cube_moves_in_three_directions() -> None:
    start = state.start(KARI, 1)
    assert len(start.moves) == KARI.max_moves == 18
    assert now("0.....", EMPTY, "..a...").moves == ["A1A2", "A1B1", "A1B2"]
    assert now("0.....", EMPTY, "..a...", mover="b").moves == ["C3C2", "C3B3", "C3B2"]


def test_reaching_the_corner_does_not_end_the_game() -> None:
    arrived = now(EMPTY, EMPTY, "..a...", EMPTY, "....1.").play("E5F6")
    assert arrived.outcome is None


def test_a_cube_in_the_far_corner_cannot_move() -> None:
    assert {move[:2] for move in corners(".", "1", mover="r", middle="0.a...").moves} == {"A3"}


def test_the_enemy_cannot_capture_the_cube_in_the_corner() -> None:
    """Blue only walks away from that corner: from no square can it step onto F6."""
    around = now(EMPTY, EMPTY, "a.....", EMPTY, "....bc", "....d0", mover="b")
    assert not [move for move in around.moves if move.endswith("F6")]


def test_an_own_cube_may_replace_the_one_in_the_corner() -> None:
    replaced = now(EMPTY, EMPTY, "..a...", EMPTY, "....0.", ".....5").play("E5F6")
    assert replaced.text == "....../....../..a.../....../....../.....0 b"
    assert replaced.outcome is None


def test_both_corners_end_the_game_and_the_smaller_number_wins() -> None:
    assert corners("c", "1", mover="r").outcome == Outcome(0, "numbers")
    assert corners("b", "3", mover="r").outcome == Outcome(1, "numbers")
    assert corners("b", "3", mover="b").outcome == Outcome(1, "numbers")


def test_equal_numbers_draw() -> None:
    assert corners("d", "3", mover="r").outcome == Outcome(None, "numbers")


def test_a_side_that_cannot_move_must_pass_and_may_pass_only_then() -> None:
    stuck = corners(".", "1", mover="r", middle="..a...")
    assert stuck.moves == ["pass"]
    assert stuck.play("??").moves == ["C3C2", "C3B3", "C3B2"]
    with pytest.raises(GameError, match="not a legal move"):
        now("0.....", EMPTY, "..a...").play("pass")


def test_removing_the_last_enemy_wins() -> None:
    assert now("0.....", ".a....").play("A1B2").outcome == Outcome(0, "captured all")


def test_own_capture_is_allowed() -> None:
    assert now("01....", EMPTY, "..a...").play("A1B1").text == ".0..../....../..a.../....../....../...... b"


def test_malformed_positions_are_rejected() -> None:
    with pytest.raises(GameError, match="blue has no cube left"):
        now("0.....")
    with pytest.raises(GameError, match=r"board, A1: expected one of .* got '6'"):
        now("6.....")


def test_the_plies_left_follow_from_the_steps_left() -> None:
    start = state.start(KARI, 1)
    # Six cubes of each side, 52 steps from their corner.
    assert KARI.plies_left(start.position, 0) == 6.0 + 0.5 * 104
    assert KARI.plies_left(start.play(start.legal[0]).position, 1) < 58.0
    arrived = corners("a", "1", mover="r", middle="..2...")
    assert KARI.plies_left(arrived.position, 30) == 6.0 + 0.5 * (3 + 3)
