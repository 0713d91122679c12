"""Features of kari: the square of every cube, who stands in the corners, and who can wait longer.

slots 0 … 11     the square of each own cube, then of each enemy cube, in its owner's view; gone is a place too
slots 12 … 14    pairs of numbers: own in the corner and the least enemy outside, the least own outside and the enemy
                 in the corner, the least outside of both
slot 15          how many more single steps the mover's cubes have left than the enemy's: who must arrive first
"""

import functools
from typing import Any

import numpy

from starscout.evaluation.features import Features, slotted
from starscout.evaluation.weights import Weights
from starscout.game import Position
from starscout.games.ewn.board import Cubes
from starscout.kernels.bits import WORD_ZERO, Word, integer, lowest
from starscout.kernels.kernel import kernel

MOST_STEPS = 24
"""A larger lead in steps counts as this one."""


@functools.cache
def kari_features(board: Cubes) -> Features:
    """The features of kari on its board."""
    cubes, places, numbers = board.cubes, board.gone + 1, board.cubes + 1
    bits, mask, goal, one = Word(board.bits), Word(board.gone), Word(board.squares - 1), Word(1)
    alive, find, lane = board.alive, board.find, board.bits
    smallest = numpy.array([lowest(Word(left)) if left else cubes for left in range(1 << cubes)])
    steps = numpy.zeros(places, dtype=numpy.int64)
    for square in range(board.squares):
        row, column = divmod(square, board.columns)
        steps[square] = board.rows - 1 - row + board.columns - 1 - column
    squares, pairs, leads = 2 * cubes, numbers * numbers, 2 * MOST_STEPS + 1
    first_pair = squares * places
    first_lead = first_pair + 3 * pairs

    @kernel(inline=True)
    def corner_and_outside(side: Word) -> tuple[int, int]:
        """The number in the corner and the least one outside; the number of cubes for none."""
        home, left = find(side, goal), alive(side)
        corner = cubes
        if home != WORD_ZERO:
            corner = lowest(home) // lane
            left &= ~(one << Word(corner))
        return corner, smallest[integer(left)]

    @kernel(inline=True)
    def view(position: Position) -> Any:
        own, enemy = position.own, position.enemy
        corner, outside = corner_and_outside(own)
        enemy_corner, enemy_outside = corner_and_outside(enemy)
        lead = 0
        shift = WORD_ZERO
        for _ in range(cubes):
            lead += steps[integer((own >> shift) & mask)] - steps[integer((enemy >> shift) & mask)]
            shift += bits
        pair = corner * numbers + enemy_outside, outside * numbers + enemy_corner, outside * numbers + enemy_outside
        return own, enemy, pair, min(max(lead, -MOST_STEPS), MOST_STEPS) + MOST_STEPS

    @kernel(inline=True)
    def feature(view: Any, slot: int, weights: Weights) -> int:
        own, enemy, pair, lead = view
        if slot < squares:
            side = own if slot < cubes else enemy
            cube = slot if slot < cubes else slot - cubes
            return slot * places + integer((side >> (bits * Word(cube))) & mask)
        number = slot - squares
        return first_pair + number * pairs + pair[number] if number < 3 else first_lead + lead

    return slotted("cubes, corners and steps", (places,) * squares + (pairs,) * 3 + (leads,), feature, view=view)
