"""Types of squares, neighbours, evaluations by hand, and move classes."""

import pytest

from starscout import games
from starscout.evaluation import FIRST_CLASS, LAST_CLASS, ORDINARY, load_evaluation
from starscout.game.values import as_float
from starscout.games.othello.evaluation import (
    DISCS_CALIBRATION,
    KINDS,
    MOBILITY_CALIBRATION,
    neighbours,
    square_kinds,
)
from starscout.kernels.bits import Word
from tests.evaluation.kinds import kinds_of_moves

pytestmark = pytest.mark.plain

OTHELLO = games.load("othello")
CORNER = "X" + "O" * 6 + "-" * 57 + " X"


def value(name: str, text: str) -> float:
    return as_float(load_evaluation(OTHELLO, name).value(OTHELLO.parse(text)[0]))


def test_square_types_partition_the_board():
    kinds = [int(mask) for mask in square_kinds(8)]
    assert sum(kinds) == 2**64 - 1
    assert kinds[KINDS.index((0, 0))] == 1 | 1 << 7 | 1 << 56 | 1 << 63
    assert [mask.bit_count() for mask in kinds] == [4, 8, 8, 8, 4, 8, 8, 4, 8, 4]


def test_neighbours_do_not_wrap_around_the_edge():
    beside = neighbours(8)
    assert int(beside(Word(1 << 7))) == 1 << 7 | 1 << 6 | 1 << 14 | 1 << 15
    assert int(beside(Word(1 << 27))).bit_count() == 9


def test_discs_and_mobility_by_hand():
    # Black has one disc, white six; black has one move, h1, and white none.
    assert value("discs", CORNER) == pytest.approx(DISCS_CALIBRATION.expected(1 - 6), abs=1e-9)
    # A side without a move has one, the pass.
    assert value("mobility", CORNER) == pytest.approx(MOBILITY_CALIBRATION.expected(1 - 1), abs=1e-9)


def test_a_corner_is_worth_more_than_the_square_beside_it():
    discs = "-" * 27 + "XO" + "-" * 6 + "OX" + "-" * 27
    corner, beside = (f"{text} X" for text in ("X" + discs[1:], discs[:9] + "X" + discs[10:]))
    assert value("positional", corner) > value("positional", beside) + 0.2


def test_othello_corners_first_and_their_diagonal_neighbours_last() -> None:
    found = kinds_of_moves("othello-4x4", "----XXX--XO----- O")
    assert found["a1"] == FIRST_CLASS
    assert found["a3"] == found["c1"] == ORDINARY
    # b2 is beside the empty corner a1, and is an ordinary square once the corner is taken.
    assert kinds_of_moves("othello-6x6", "-------------XXX----XO-------------- O")["b2"] == LAST_CLASS
    assert kinds_of_moves("othello-6x6", "XXXXO---OXOOX-OOXX-OOXXXOOO---OO---- X")["b2"] == ORDINARY
