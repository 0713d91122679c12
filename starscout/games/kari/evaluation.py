"""Evaluations and features of Kari.

cubes      values of cubes by number and distance to the corner, fitted to self-play
distance   the enemy's least distance to its corner − the mover's

Features of the learned evaluation:

slots 0 … 11     the square of each own cube, then of each enemy cube, in its owner's view; one value means captured
slots 12 … 14    pairs of numbers: own in the corner and the least enemy outside, the least own outside and the enemy
                 in the corner, the least outside of both
slot 15          the lead in remaining single steps, which decides who must arrive first
"""

import functools
from pathlib import Path
from typing import Any

import numpy

from starscout.evaluation.evaluation import Calibration, Evaluation, value_table
from starscout.evaluation.features import Features, slotted
from starscout.evaluation.knowledge import FIRST_CLASS, LAST_CLASS, ORDINARY, Classify
from starscout.evaluation.weights import Weights, pack, read_arrays
from starscout.game import Position
from starscout.games.ewn import heuristics as shared
from starscout.games.ewn.board import SHIFT_MASK, WORD_TARGET_SHIFT, Cubes, step_table
from starscout.games.kari.rules import CUBES, PASS, STEPS
from starscout.kernels.bits import WORD_ZERO, Word, integer, lowest, popcount
from starscout.kernels.kernel import kernel

MOST_STEPS = 24
"""Maximum lead in steps that is distinguished."""


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
        """The number in the corner and the least number outside; `cubes` means none."""
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


DISTANCE_CALIBRATION = Calibration(0.17, -0.19)
"""The slope is negative: the side that arrives later can choose the smaller number."""

UNIT = 256
LIMIT = 6 * UNIT
WEIGHTS_FILE = Path(__file__).parent / "cubes.csv"
NUMBERS = 7
"""The numbers 0 to 5, and 6 for none."""
FIELD_BITS = 8
FIELD_MASK = (1 << FIELD_BITS) - 1


def cubes_and_corners(board: Cubes) -> Evaluation:
    """The evaluation `cubes`."""
    fitted = read_arrays(WEIGHTS_FILE)
    weights = pack(
        {
            "table": worth_table(board, fitted.pop("worths")),
            **fitted,
            "values": value_table(Calibration(0.0, 1.0), -LIMIT, LIMIT, UNIT),
        }
    )
    return Evaluation("cubes", _cubes(board), shared.move_order(board), weights)


@functools.cache
def _cubes(board: Cubes) -> Any:
    cubes, bits, mask = board.cubes, Word(board.bits), Word(board.gone)
    alive, find = board.alive, board.find
    goal, one, tops = Word(board.squares - 1), Word(1), Word(board.bits)
    smallest = numpy.array([lowest(Word(left)) if left else NUMBERS - 1 for left in range(1 << cubes)])

    @kernel
    def side_features(side: Word, weights: Weights) -> tuple[int, int, int, int, int, int]:
        """Value, single and diagonal steps left, number in the corner, smallest number outside, number of cubes."""
        left = alive(side)
        home = find(side, goal)
        corner = NUMBERS - 1
        if home != WORD_ZERO:
            corner = lowest(home) // integer(tops)
            left &= ~(one << Word(corner))
        count = popcount(left) + (corner < NUMBERS - 1)
        total = 0
        for cube in range(cubes):
            total += weights.table[cube, integer(side & mask)]
            side >>= bits
        steps, kings = total & FIELD_MASK, (total >> FIELD_BITS) & FIELD_MASK
        return total >> (2 * FIELD_BITS), steps, kings, corner, smallest[integer(left)], count

    @kernel
    def evaluate(position: Position, weights: Weights) -> int:
        worth, steps, kings, corner, out, count = side_features(position.own, weights)
        their_worth, their_steps, their_kings, their_corner, their_out, their_count = side_features(
            position.enemy, weights
        )
        constant, own_steps, enemy_steps, own_kings, enemy_kings = (
            weights.others[0], weights.others[1], weights.others[2], weights.others[3], weights.others[4],
        )  # fmt: skip
        score = constant + worth - their_worth
        score += (own_steps * steps + enemy_steps * their_steps + own_kings * kings + enemy_kings * their_kings) // 16
        score += weights.corner_own[corner * NUMBERS + their_out] + weights.corner_enemy[their_corner * NUMBERS + out]
        score += weights.outside[out * NUMBERS + their_out] + weights.counts[count * NUMBERS + their_count]
        return integer(weights.values[LIMIT + min(max(score, -LIMIT), LIMIT)])

    return evaluate


def worth_table(board: Cubes, worths: numpy.ndarray) -> numpy.ndarray:
    """[cube, square] → packed fields: single steps to the corner, diagonal steps, value; 0: a captured cube."""
    near = shared.distances(board, 0)
    table = numpy.zeros((board.cubes, board.gone + 1), dtype=numpy.int64)
    for cube in range(board.cubes):
        for square in range(board.squares):
            row, column = divmod(square, board.columns)
            steps = board.rows - 1 - row + board.columns - 1 - column
            worth = int(worths[cube * board.rows + int(near[square])])
            table[cube, square] = steps + (int(near[square]) << FIELD_BITS) + (worth << 2 * FIELD_BITS)
    return table


def move_classes(board: Cubes, *, arrivals: bool) -> Classify:
    """Move classes. First: captures that only larger numbers can answer, and winning arrivals.

    Last: arriving before the enemy. Without `arrivals`, only captures are classified.
    """
    square, find, bits = board.square, board.find, board.bits
    step_count, step_target = step_table(board, STEPS)
    shifts = numpy.array([bits * cube for cube in range(CUBES)], dtype=Word)
    reaches = numpy.zeros((board.gone + 1, board.squares), dtype=numpy.bool_)
    for place in range(board.squares):
        reaches[place, step_target[place, : step_count[place]].astype(numpy.int64)] = True
    goal = Word(board.squares - 1)
    shift_mask = Word(SHIFT_MASK)

    @kernel
    def classify(position: Position, move: int) -> int:
        if move == PASS:
            return ORDINARY
        target = Word(move) >> WORD_TARGET_SHIFT
        shift = Word(move) & shift_mask
        if target == goal:
            if not arrivals:
                return ORDINARY
            enemy_arrived = find(position.enemy, goal)
            if enemy_arrived == WORD_ZERO:
                return LAST_CLASS
            return FIRST_CLASS if lowest(enemy_arrived) // bits > integer(shift) // bits else ORDINARY
        place = goal - target
        if find(position.enemy, place) == WORD_ZERO:
            return ORDINARY
        for cube in range(CUBES):
            if shifts[cube] <= shift and reaches[square(position.enemy, shifts[cube]), place]:
                return ORDINARY
        return FIRST_CLASS

    return classify
