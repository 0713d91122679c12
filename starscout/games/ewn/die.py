"""The die rule of the EinStein games: the roll of a captured cube moves its nearest neighbours.

If the cube with the rolled number remains, only it may move; otherwise the nearest lower and the nearest higher
remaining cube may move. This depends only on the set of remaining cubes, so it is looked up in tables.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy

from starscout.games.ewn.board import WORD_TARGET_SHIFT, Cubes, step_table
from starscout.kernels.bits import Word, below, integer
from starscout.kernels.kernel import kernel


class DieTables(NamedTuple):
    """Rows are sets of cubes (one bit per cube); rolls count from 1, column 0 is unused."""

    lower: numpy.ndarray
    """[set, roll] → the shift of the first cube that may move."""
    higher: numpy.ndarray
    """[set, roll] → the shift of the second cube that may move; the lane of ones after the last if there is none."""
    group_count: numpy.ndarray
    """[set] → number of groups of rolls."""
    group_roll: numpy.ndarray
    """[set, group] → the lowest roll of the group."""
    group_weight: numpy.ndarray
    """[set, group] → number of rolls in the group."""


def movable(cubes_left: int, roll: int, cubes: int) -> tuple[int, ...]:
    """The cubes (from 0) that may move after `roll` (from 1); none if no cube is left."""
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
    no_cube = board.bits * cubes
    lower = numpy.full((sets, cubes + 1), no_cube, dtype=Word)
    higher = numpy.full((sets, cubes + 1), no_cube, dtype=Word)
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


class DieMoves(NamedTuple):
    """Kernels over the word of the side to move and a face of the die, from 1."""

    groups: Callable[[Word], int]
    group: Callable[..., tuple[int, int]]
    moves: Callable[..., int]
    count: Callable[..., int]
    pick: Callable[..., int]


def build_die_moves(board: Cubes, steps: tuple[tuple[int, int], ...]) -> DieMoves:
    """The moves of a game whose cubes step as `steps` say, in the mover's view (rows down, columns right)."""
    square, alive = board.square, board.alive
    lower, higher, group_count, group_roll, group_weight = die_tables(board)
    step_count, step_target = step_table(board, steps)
    most_steps = len(steps)

    @kernel(inline=True)
    def groups(own: Word) -> int:
        return group_count[alive(own)]

    @kernel(inline=True)
    def group(own: Word, index: int) -> tuple[int, int]:
        cubes_left = alive(own)
        return group_roll[cubes_left, index], group_weight[cubes_left, index]

    @kernel(inline=True)
    def moves(own: Word, face: int, out: numpy.ndarray) -> int:
        cubes_left = alive(own)
        count = 0
        for shift in (lower[cubes_left, face], higher[cubes_left, face]):
            place = square(own, shift)
            # Write every step and count only those on the board: this avoids a branch.
            for step in range(most_steps):
                out[count + step] = integer((step_target[place, step] << WORD_TARGET_SHIFT) | shift)
            count += step_count[place]
        return count

    @kernel(inline=True)
    def count(own: Word, face: int) -> int:
        cubes_left = alive(own)
        return step_count[square(own, lower[cubes_left, face])] + step_count[square(own, higher[cubes_left, face])]

    @kernel(inline=True)
    def pick(own: Word, face: int, random: Word) -> int:
        cubes_left = alive(own)
        shift, other_shift = lower[cubes_left, face], higher[cubes_left, face]
        place, other_place = square(own, shift), square(own, other_shift)
        steps = step_count[place]
        step = below(random, steps + step_count[other_place])
        if step >= steps:
            step -= steps
            shift = other_shift
            place = other_place
        return integer((step_target[place, step] << WORD_TARGET_SHIFT) | shift)

    return DieMoves(groups, group, moves, count, pick)
