"""The die rule of the EinStein games: a cube that is gone passes its roll on to its nearest neighbours.

If the cube of the roll is still there, only it may move; otherwise the nearest lower and the nearest higher cube that
are still there may move. Everything depends on the set of cubes that are left alone, so it is looked up in tables.
"""

from typing import NamedTuple

import numpy

from starscout.bits import Word
from starscout.games.cubes import Cubes


class DieTables(NamedTuple):
    """Rows are sets of cubes (one bit a cube); rolls count from 1, column 0 is unused."""

    lower: numpy.ndarray
    """[set, roll] → the shift of the first cube that may move."""
    higher: numpy.ndarray
    """[set, roll] → the shift of the second cube that may move; the lane of ones after the last if there is none."""
    group_count: numpy.ndarray
    """[set] → how many groups of rolls allow different cubes."""
    group_roll: numpy.ndarray
    """[set, group] → the lowest roll of the group."""
    group_weight: numpy.ndarray
    """[set, group] → how many rolls are in the group."""


def movable(cubes_left: int, roll: int, cubes: int) -> tuple[int, ...]:
    """The cubes (from 0) that may move when `roll` (from 1) lies; none if no cube is left."""
    wanted = roll - 1
    left = [cube for cube in range(cubes) if cubes_left >> cube & 1]
    if wanted in left:
        return (wanted,)
    lower = [cube for cube in left if cube < wanted]
    higher = [cube for cube in left if cube > wanted]
    return tuple(lower[-1:] + higher[:1])


def die_tables(board: Cubes) -> DieTables:
    """The die rule for a die with as many faces as a side has cubes."""
    cubes, sets = board.cubes, 1 << board.cubes
    nobody = board.bits * cubes
    lower = numpy.full((sets, cubes + 1), nobody, dtype=Word)
    higher = numpy.full((sets, cubes + 1), nobody, dtype=Word)
    group_count = numpy.zeros(sets, dtype=numpy.int64)
    group_roll = numpy.zeros((sets, cubes), dtype=numpy.int64)
    group_weight = numpy.zeros((sets, cubes), dtype=numpy.int64)
    for cubes_left in range(sets):
        groups: dict[tuple[int, ...], list[int]] = {}
        for roll in range(1, cubes + 1):
            movers = movable(cubes_left, roll, cubes)
            groups.setdefault(movers, []).append(roll)
            for column, cube in zip((lower, higher), movers, strict=False):
                column[cubes_left, roll] = board.bits * cube
        group_count[cubes_left] = len(groups)
        for index, rolls in enumerate(groups.values()):
            group_roll[cubes_left, index] = rolls[0]
            group_weight[cubes_left, index] = len(rolls)
    return DieTables(lower, higher, group_count, group_roll, group_weight)
