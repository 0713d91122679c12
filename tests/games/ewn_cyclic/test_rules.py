"""Every rule of the cyclic game."""

import pytest

from starscout import games
from starscout.game import GameError, Outcome, state
from starscout.games.ewn_cyclic.rules import dice_text

pytestmark = [pytest.mark.plain, pytest.mark.bounds]

CYCLIC = games.load("ewn-cyclic")
DICE = "012345012345012345012"
ALONE = "0....../......./......./......./......./......a r"


def now(board: str, dice: str = DICE, ply: int = 0) -> state.State:
    return state.parse(CYCLIC, f"{board} {dice} {ply}")


def test_the_start_cells() -> None:
    cells = CYCLIC.cells(CYCLIC.start_position(11))
    assert [n for n, cell in enumerate(cells) if cell.side == 0] == [0, 1, 2, 7, 8, 14]
    assert [n for n, cell in enumerate(cells) if cell.side == 1] == [27, 33, 34, 39, 40, 41]


def test_numberings_are_shuffled_independently() -> None:
    positions = [CYCLIC.start_position(seed) for seed in range(300)]
    assert len({p.own for p in positions}) > 200
    assert sum(p.own == p.enemy for p in positions) < 10
    assert len({p.dice for p in positions}) == 300


def test_the_die_of_a_ply_is_known_and_comes_round() -> None:
    start = state.start(CYCLIC, 3)
    digits = dice_text(start.position)
    seen, dice = start, []
    while not seen.over:
        dice.append(CYCLIC.die(seen.position, 1))
        assert dice_text(seen.position) == digits
        seen = seen.play(seen.legal[0])
    assert dice == [digits[ply % 21] for ply in range(len(dice))]


def test_a_cycle_longer_than_21_plies() -> None:
    assert CYCLIC.die(now(ALONE, DICE, 42).position, 1) == DICE[0]
    assert CYCLIC.die(now(ALONE.replace(" r", " b"), DICE, 43).position, 1) == DICE[1]


def test_four_directions_of_red_and_blue() -> None:
    board = "......./......./..0..../......./....a../......."
    assert now(f"{board} r").moves == ["C3D3", "C3C4", "C3D4", "C3D2"]
    assert now(f"{board} b", "0" * 21, 1).moves == ["E5D5", "E5E4", "E5D4", "E5D6"]


def test_the_fourth_direction_stays_on_the_board() -> None:
    assert now(ALONE).moves == ["A1B1", "A1A2", "A1B2"]
    assert now("......./......./......./......./......./0.....a r").moves == ["A6B6", "A6B5"]


def test_nearest_cubes_stand_in() -> None:
    board = "0.4..../......./......./......./......./......a r"
    assert {move[:2] for move in now(board, "2" * 21).moves} == {"A1", "C1"}
    assert {move[:2] for move in now(board, "5" * 21).moves} == {"C1"}
    assert {move[:2] for move in now(board, "0" * 21).moves} == {"A1"}


def test_own_and_enemy_captures_and_both_endings() -> None:
    assert now("01...../......./......./......./......./......a r").play("A1B1").text.startswith(".0.....")
    corner = now("......./......./......./......./......0/a...... r").play("G5G6")
    assert corner.outcome == Outcome(0, "corner")
    assert now("0a...../......./......./......./......./....... r").play("A1B1").outcome == Outcome(0, "captured all")


@pytest.mark.parametrize(
    ("tail", "complaint"),
    [
        ("r 012 0", "dice: expected 21 digits"),
        (f"r {DICE} x", "ply: expected 0, 1"),
        (f"r {DICE} 1", "ply 1 is blue's"),
        ("r 0", "4 fields"),
    ],
)
def test_malformed_positions_are_rejected(tail: str, complaint: str) -> None:
    with pytest.raises(GameError, match=complaint):
        CYCLIC.parse(f"{ALONE.split()[0]} {tail}")
