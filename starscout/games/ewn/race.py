"""The race: the number of turns until a side's first cube reaches the corner, without interaction.

A side is a number with one digit per cube: its distance to the far corner, 0 if captured. Each turn the side moves the
cube, among those the die allows, that minimises the expected number of turns. Dynamic programming over the total
distance gives the distribution of the arrival turn of every side, and for two sides the probability that the mover
arrives first:

    P(mover first) = Σ over t of P(own = t) · P(enemy ≥ t)

The evaluation `race+squares` adds piece-square values and a value of the set of remaining cubes:

    score = race(P(arriving first)) + Σ own cubes OWN_SQUARES + OWN_SETS + Σ enemy cubes ENEMY_… +
    ENEMY_SETS

in units of 1/256 logit, fitted to self-play (`benchmarks/search_fit_ewn.py`). Mirrored squares share a value, and so do
sets with reversed numbers. A table entry contains a cube's digit of the race in its low bits and its value above them.
"""

import functools
from pathlib import Path
from typing import Any, NamedTuple

import numpy

from starscout.evaluation.evaluation import Calibration, Evaluation, value_table
from starscout.evaluation.weights import Weights, pack, read_arrays, write_arrays
from starscout.game import Position
from starscout.games.ewn import heuristics as shared
from starscout.games.ewn.board import Cubes, movable
from starscout.kernels.bits import Word, integer
from starscout.kernels.kernel import kernel


@functools.cache
def arrival(far: int, cubes: int) -> numpy.ndarray:
    """[side, t] → probability of arrival within t turns; sides are numbers to base far + 1, cube 1 lowest."""
    base = far + 1
    sides, turns = base**cubes, cubes * (far - 1) + 1
    numbers = numpy.arange(sides)
    digits = numbers[:, None] // base ** numpy.arange(cubes) % base
    left = ((digits > 0) << numpy.arange(cubes)).sum(axis=1)
    movers = numpy.full((1 << cubes, cubes, 2), -1)
    for cubes_left in range(1, 1 << cubes):
        for roll in range(cubes):
            for place, cube in enumerate(movable(cubes_left, roll + 1, cubes)):
                movers[cubes_left, roll, place] = cube
    expected = numpy.full(sides, numpy.inf)
    within = numpy.zeros((sides, turns + 1))
    total = digits.sum(axis=1)
    for level in range(1, cubes * far + 1):
        level_sides = numbers[total == level]
        expected[level_sides] = 1.0
        for roll in range(cubes):
            least = numpy.full(len(level_sides), numpy.inf)
            following = numpy.zeros((len(level_sides), turns))
            for place in range(2):
                cube = movers[left[level_sides], roll, place]
                step = digits[level_sides, cube]
                target = numpy.where(cube >= 0, level_sides - base ** numpy.maximum(cube, 0), 0)
                turns_left = numpy.where(cube < 0, numpy.inf, numpy.where(step == 1, 0.0, expected[target]))
                better = turns_left < least
                least = numpy.where(better, turns_left, least)
                arrived = (step == 1)[:, None] | numpy.zeros(turns, dtype=bool)
                curve = numpy.where(arrived, 1.0, within[target, :turns])
                following = numpy.where(better[:, None], curve, following)
            expected[level_sides] += least / cubes
            within[level_sides, 1:] += following / cubes
    return within


@functools.cache
def factors(far: int, cubes: int, rank: int = 4) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Low-rank factors of the race: P(own before enemy) ≈ mover[own] · waiter[enemy].

    The singular values of the matrix of all pairs of sides decrease fast: with rank 4 the root mean square error of the
    probability is 0.0014 on the 5×5 board.
    """
    within = arrival(far, cubes)
    arrives = numpy.diff(within, axis=1)
    not_yet = 1.0 - within[:, :-1]
    own_basis, own_rest = numpy.linalg.qr(arrives)
    enemy_basis, enemy_rest = numpy.linalg.qr(not_yet)
    left, scale, right = numpy.linalg.svd(own_rest @ enemy_rest.T)
    root = numpy.sqrt(scale[:rank])
    mover = own_basis @ left[:, :rank] * root
    waiter = enemy_basis @ right.T[:, :rank] * root
    return numpy.ascontiguousarray(mover, dtype=numpy.float32), numpy.ascontiguousarray(waiter, dtype=numpy.float32)


UNIT = 256
LIMIT = 6 * UNIT
BINS = 1024
NUMBER_BITS = 20
NUMBER_MASK = (1 << NUMBER_BITS) - 1
WEIGHTS_FILE = Path(__file__).parent / "squares.csv"


class SquareWeights(NamedTuple):
    """Weights in 1/256 logit; squares in their owner's view, sets with one bit per cube."""

    constant: int
    slope: int
    """The weight of the race's logit."""
    own_squares: numpy.ndarray
    enemy_squares: numpy.ndarray
    own_sets: numpy.ndarray
    enemy_sets: numpy.ndarray


def read_weights(path: Path = WEIGHTS_FILE) -> SquareWeights:
    """The weights of a file."""
    named = read_arrays(path)
    return SquareWeights(int(named.pop("constant")[0]), int(named.pop("slope")[0]), **named)


def write_weights(weights: SquareWeights, path: Path = WEIGHTS_FILE) -> None:
    """The inverse of `read_weights`."""
    write_arrays(path, {name: numpy.atleast_1d(value) for name, value in weights._asdict().items()})


def race_and_squares(board: Cubes) -> Evaluation:
    """The evaluation on the 5×5 board with six cubes per side."""
    mover, waiter = factors(max(board.rows, board.columns) - 1, board.cubes)
    fitted = read_weights()
    chances = numpy.clip((numpy.arange(BINS) + 0.5) / BINS, 0.004, 0.996)
    race = numpy.rint(fitted.constant + fitted.slope * numpy.log(chances / (1.0 - chances)))
    weights = pack(
        {
            "mover": mover,
            "waiter": waiter,
            "own_table": packed_table(board, fitted.own_squares),
            "enemy_table": packed_table(board, fitted.enemy_squares),
            "own_sets": fitted.own_sets,
            "enemy_sets": fitted.enemy_sets,
            "race": race.astype(numpy.int64),
            "values": value_table(Calibration(0.0, 1.0), -LIMIT, LIMIT, UNIT),
        }
    )
    return Evaluation("race+squares", _race_and_squares(board), shared.move_order(board), weights)


@functools.cache
def _race_and_squares(board: Cubes) -> Any:
    cubes, bits, mask, alive = board.cubes, Word(board.bits), Word(board.gone), board.alive

    @kernel
    def evaluate(position: Position, weights: Weights) -> int:
        own_side, enemy_side = position.own, position.enemy
        own, enemy = 0, 0
        for cube in range(cubes):
            own += weights.own_table[cube, integer(own_side & mask)]
            enemy += weights.enemy_table[cube, integer(enemy_side & mask)]
            own_side >>= bits
            enemy_side >>= bits
        own_number, enemy_number = own & NUMBER_MASK, enemy & NUMBER_MASK
        chance = 0.0
        for term in range(4):
            chance += weights.mover[own_number, term] * weights.waiter[enemy_number, term]
        score = weights.race[min(max(integer(chance * BINS), 0), BINS - 1)]
        score += (own >> NUMBER_BITS) + (enemy >> NUMBER_BITS)
        score += weights.own_sets[integer(alive(position.own))] + weights.enemy_sets[integer(alive(position.enemy))]
        return integer(weights.values[LIMIT + min(max(score, -LIMIT), LIMIT)])

    return evaluate


def packed_table(board: Cubes, worths: numpy.ndarray) -> numpy.ndarray:
    """[cube, square] → the cube's part of the side's number and, above it, the value of the square."""
    near = shared.distances(board, 0)
    base = max(board.rows, board.columns)
    table = numpy.zeros((board.cubes, board.gone + 1), dtype=numpy.int64)
    for cube in range(board.cubes):
        for square in range(board.squares):
            table[cube, square] = int(near[square]) * base**cube + (int(worths[square]) << NUMBER_BITS)
    return table
