"""Evaluations of the cyclic game.

race+squares   weights for pairs of arrival turns, for the squares that cubes stand on and for sets of cubes,
               fitted to self-play (`benchmarks/search_fit_cyclic.py`)
race           the turn in which each side's first cube arrives without interaction; exact, as the dice are known
distance       the enemy's least distance to its corner − the mover's, as in the baselines
"""

import functools
from pathlib import Path
from typing import Any

import numpy

from starscout.evaluation.calibration import Calibration, value_table
from starscout.evaluation.evaluation import Evaluation
from starscout.evaluation.weights import Weights, pack, read_arrays
from starscout.game import Position
from starscout.games.ewn import heuristics as shared
from starscout.games.ewn.board import Cubes
from starscout.games.ewn.die import movable
from starscout.games.ewn_cyclic.rules import DIGIT_BITS, PERIOD
from starscout.kernels.bits import WORD_ZERO, Word, integer
from starscout.kernels.kernel import kernel

DISTANCE_CALIBRATION = Calibration(0.25, 0.713)
RACE_CALIBRATION = Calibration(0.087, 0.24)
"""A point is a ply between the two arrivals."""

LATEST = 16
"""Maximum arrival turn that is distinguished."""

UNIT = 256
LIMIT = 6 * UNIT
WEIGHTS_FILE = Path(__file__).parent / "squares.csv"
"""Weights in 1/256 logit: arrivals by own turn · 17 + enemy turn, squares in their owner's view, sets."""


def exact_race(board: Cubes) -> Evaluation:
    """The evaluation `race`."""
    weights = pack({"values": value_table(RACE_CALIBRATION, -2 * LATEST, 2 * LATEST + 1, 1)})
    return Evaluation("race", _race(board), shared.move_order(board), weights)


@functools.cache
def _race(board: Cubes) -> Any:
    arrival = arrival_turn(board)

    @kernel
    def race(position: Position, weights: Weights) -> int:
        own = arrival(position.own, position.dice, 0)
        enemy = arrival(position.enemy, position.dice, 1)
        return integer(weights.values[2 * LATEST + 2 * (enemy - own) + 1])

    return race


def exact_race_and_squares(board: Cubes) -> Evaluation:
    """The evaluation `race+squares`."""
    values = value_table(Calibration(0.0, 1.0), -LIMIT, LIMIT, UNIT)
    weights = pack({**read_arrays(WEIGHTS_FILE), "values": values})
    return Evaluation("race+squares", _race_and_squares(board), shared.move_order(board), weights)


@functools.cache
def _race_and_squares(board: Cubes) -> Any:
    arrival = arrival_turn(board)
    cubes, bits, mask, alive = board.cubes, Word(board.bits), Word(board.gone), board.alive

    @kernel
    def race(position: Position, weights: Weights) -> int:
        own, enemy = position.own, position.enemy
        turns = arrival(own, position.dice, 0) * (LATEST + 1) + arrival(enemy, position.dice, 1)
        score = weights.arrivals[turns]
        score += weights.own_sets[integer(alive(own))] + weights.enemy_sets[integer(alive(enemy))]
        for _ in range(cubes):
            score += weights.own_squares[integer(own & mask)] + weights.enemy_squares[integer(enemy & mask)]
            own >>= bits
            enemy >>= bits
        return integer(weights.values[LIMIT + min(max(score, -LIMIT), LIMIT)])

    return race


@functools.cache
def arrival_turn(board: Cubes) -> Any:
    """The kernel (side, dice, ply of its first turn) → the turn, from 1, in which its first cube can arrive.

    A word contains the remaining steps of each cube, one lane per cube. Each roll subtracts a step from the lanes of
    the cubes that it allows to move; the first lane to reach zero has arrived.
    """
    cubes, bits, alive = board.cubes, board.bits, board.alive
    near = shared.distances(board, board.gone).astype(Word)
    lane_bits, mask = Word(bits), Word(board.gone)
    ones = Word(sum(1 << bits * cube for cube in range(cubes)))
    tops = Word(sum(1 << bits * cube + bits - 1 for cube in range(cubes)))
    moving = numpy.zeros((1 << cubes, cubes), dtype=Word)
    for cubes_left in range(1, 1 << cubes):
        for face in range(cubes):
            for cube in movable(cubes_left, face + 1, cubes):
                moving[cubes_left, face] |= Word(1 << bits * cube)
    digit_bits, digit_mask = Word(DIGIT_BITS), Word(7)
    two_digits = Word(2 * DIGIT_BITS)
    last_two = Word(DIGIT_BITS * (PERIOD - 2))
    last_one = Word(DIGIT_BITS * (PERIOD - 1))
    all_digits = Word((1 << DIGIT_BITS * PERIOD) - 1)

    @kernel
    def arrival(side: Word, dice: Word, ply: int) -> int:
        left = alive(side)
        need = WORD_ZERO
        shift = WORD_ZERO
        for _ in range(cubes):
            need |= near[integer((side >> shift) & mask)] << shift
            shift += lane_bits
        if ply == 1:
            dice = (dice >> digit_bits) | ((dice << last_one) & all_digits)
        for turn in range(1, LATEST):
            need -= moving[left, integer(dice & digit_mask)]
            if (need - ones) & ~need & tops != WORD_ZERO:
                return turn
            dice = (dice >> two_digits) | ((dice << last_two) & all_digits)
        return LATEST

    return arrival
