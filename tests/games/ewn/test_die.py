"""The die rule: movable cubes, tables and kernels."""

import numpy
import pytest

from starscout.games.ewn.board import SHIFT_MASK, build_cubes, build_die_moves, die_tables, make_side, movable
from starscout.kernels.bits import Word

pytestmark = [pytest.mark.plain, pytest.mark.bounds]

BOARD = build_cubes(5, 5, 6)
STEPS = ((0, 1), (1, 0), (1, 1))


@pytest.mark.parametrize(
    ("left", "roll", "movers"),
    [
        (0b111111, 3, (2,)),
        (0b111011, 3, (1, 3)),
        (0b100001, 3, (0, 5)),
        (0b000011, 5, (1,)),
        (0b110000, 2, (4,)),
        (0b000000, 2, ()),
    ],
)
def test_movable_cubes(left: int, roll: int, movers: tuple[int, ...]):
    assert movable(left, roll, 6) == movers


def test_die_tables_agree_with_the_rule():
    tables = die_tables(BOARD)
    nobody = BOARD.bits * 6
    for left in range(1, 64):
        for roll in range(1, 7):
            shifts = [BOARD.bits * cube for cube in movable(left, roll, 6)]
            assert [int(tables.lower[left, roll]), int(tables.higher[left, roll])] == [*shifts, nobody][:2]
        groups = range(tables.group_count[left])
        assert sum(int(tables.group_weight[left, index]) for index in groups) == 6
        representatives = [movable(left, int(tables.group_roll[left, index]), 6) for index in groups]
        assert len(set(representatives)) == len(representatives)


def test_moves_count_and_pick_agree():
    moves = build_die_moves(BOARD, STEPS)
    side = make_side(BOARD, [0, None, 12, None, 4, 24])
    row = numpy.zeros(6, dtype=numpy.int64)
    for roll in range(1, 7):
        count = moves.moves(side, roll, row)
        assert moves.count(side, roll) == count
        cubes = {(int(move) & SHIFT_MASK) // BOARD.bits for move in row[:count]}
        # Cube 6 stands in the corner and has no step left.
        assert cubes == set(movable(0b110101, roll, 6)) - {5}
        if count:
            picked = {int(moves.pick(side, roll, Word(number << 58))) for number in range(64)}
            assert picked == {int(move) for move in row[:count]}
