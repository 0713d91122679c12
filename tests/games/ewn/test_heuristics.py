"""Distances, rolls and move ordering shared by the EinStein games."""

import pytest

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.evaluation.evaluation import Calibration
from starscout.game.values import as_float
from starscout.games.ewn.heuristics import (
    CAPTURE_FIRST,
    GOAL_FIRST,
    STEP_FIRST,
    board_of,
    distances,
    least_distance,
    move_order,
    nearest_cubes,
    rolls_of,
)

pytestmark = pytest.mark.plain

EWN = games.load("ewn")
BOARD = board_of(5, 5, 6)
# Red: cubes 2 and 4, two and four steps from E5. Blue: cubes 1 and 6, one and four steps from A1.
TEXT = "4a.../...../..2../...../....f r"


def test_boards_are_cached():
    assert board_of(5, 5, 6) is BOARD


def test_distances_are_king_moves():
    table = distances(BOARD, 99)
    assert [int(table[square]) for square in (0, 4, 6, 24, BOARD.gone)] == [4, 4, 3, 0, 99]


def test_rolls_of_each_cube():
    table = rolls_of(BOARD)
    assert table[0b111111].tolist() == [1] * 6
    # Cubes 2 and 4: the roll 3 moves either.
    assert table[0b001010].tolist() == [0, 3, 0, 4, 0, 0]


def test_the_nearest_cube_counts():
    position, _ = EWN.parse(f"{TEXT} -")
    least = least_distance(BOARD)
    assert (least(position.own), least(position.enemy)) == (2, 1)
    curve = Calibration(0.1, 0.7)
    assert as_float(nearest_cubes(BOARD, curve).value(position)) == pytest.approx(curve.expected(1 - 2), abs=1e-9)


@pytest.mark.parametrize(
    ("text", "move", "rank"),
    [
        ("...../...../...../...1./a.... r 1", "D4E5", GOAL_FIRST),
        ("...../.1.../..a../...../...b. r 1", "B2C3", CAPTURE_FIRST + STEP_FIRST - 2),
        ("...../.1.../..a../...../...b. r 1", "B2B3", STEP_FIRST - 3),
    ],
)
def test_the_goal_then_captures_then_near_steps(text: str, move: str, rank: int):
    position, roll = EWN.parse(text)
    moves = {EWN.format_move(position, number): number for number in EWN.legal(position, roll)}
    assert move_order(BOARD)(position, moves[move]) == rank


def test_a_pass_comes_last():
    kari = games.load("kari")
    position, _ = kari.parse("...a../....../....../....../....../.....0 r")
    assert [load_evaluation(kari).order(position, move) for move in kari.legal(position, 1)] == [0]
