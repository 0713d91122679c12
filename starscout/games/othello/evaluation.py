"""Hand-written evaluations of Othello.

    positional   discs by type of square, mobility and frontier (potential mobility), own − enemy each, weighted by
                 the game stage; the weights are set by hand, their scale is fitted to games
    mobility     own − enemy moves
    discs        own − enemy discs

Squares that are symmetric to each other have the same type: ten types on 8×8, the corner is type (0, 0).
"""

import functools
import itertools
from pathlib import Path
from typing import Any

import numpy

from starscout.evaluation.evaluation import Calibration, Evaluation, value_table
from starscout.evaluation.knowledge import FIRST_CLASS, LAST_CLASS, ORDINARY, Classify
from starscout.evaluation.weights import Weights, pack, read_arrays
from starscout.game import Game, Position
from starscout.games.othello.rules import PASS
from starscout.games.othello.rules import Position as OthelloPosition
from starscout.kernels.bits import WORD_ZERO, Word, integer, popcount
from starscout.kernels.kernel import kernel

KINDS = tuple(itertools.combinations_with_replacement(range(4), 2))
"""The types of squares by their distances from the nearest edges."""

STAGES = 6
STAGE_DISCS = 10
UNIT = 256
LIMIT = 6 * UNIT
MOBILITY, FRONTIER, BIAS = range(len(KINDS), len(KINDS) + 3)

WEIGHTS_FILE = Path(__file__).parent / "positional.csv"
"""[stage, type of square, then mobility, frontier and the mover's bias] in 1/256 logit."""

MOBILITY_CALIBRATION = Calibration(0.0, 0.116)
DISCS_CALIBRATION = Calibration(0.113, 0.037)


def square_kinds(size: int) -> numpy.ndarray:
    """[type] → the squares of the type as a word; empty for types that a small board lacks."""
    masks = [0] * len(KINDS)
    for row, column in itertools.product(range(size), repeat=2):
        edges = sorted((min(row, size - 1 - row), min(column, size - 1 - column)))
        masks[KINDS.index((edges[0], edges[1]))] |= 1 << row * size + column
    return numpy.array(masks, dtype=Word)


def positional(game: Game) -> Evaluation:
    """The evaluation `positional`."""
    stages = numpy.stack([read_arrays(WEIGHTS_FILE)[f"stage_{stage}"] for stage in range(STAGES)])
    values = value_table(Calibration(0.0, 1.0), -LIMIT, LIMIT, UNIT)
    return Evaluation("positional", _positional(game), move_order(game), pack({"stages": stages, "values": values}))


@functools.cache
def _positional(game: Game) -> Any:
    kinds, count, beside = square_kinds(game.rows), game.count, neighbours(game.rows)
    kind_count = len(KINDS)
    row = numpy.zeros(1, dtype=numpy.int64)

    @kernel
    def evaluate(position: Position, weights: Weights) -> int:
        own, enemy = position.own, position.enemy
        stage = min((popcount(own) + popcount(enemy) - 4) // STAGE_DISCS, STAGES - 1)
        score = weights.stages[stage, BIAS]
        for kind in range(kind_count):
            score += weights.stages[stage, kind] * (popcount(own & kinds[kind]) - popcount(enemy & kinds[kind]))
        other = OthelloPosition(enemy, own, 1 - position.mover)
        score += weights.stages[stage, MOBILITY] * (count(position, 1, row) - count(other, 1, row))
        empty = ~(own | enemy)
        score += weights.stages[stage, FRONTIER] * (popcount(beside(enemy) & empty) - popcount(beside(own) & empty))
        return integer(weights.values[LIMIT + min(max(score, -LIMIT), LIMIT)])

    return evaluate


def neighbours(size: int) -> Any:
    """The kernel (discs) → the discs and their neighbours."""
    column = sum(1 << size * row for row in range(size))
    everything = (1 << size * size) - 1
    not_first, not_last = Word(everything & ~column), Word(everything & ~(column << (size - 1)))
    one, row, board = Word(1), Word(size), Word(everything)

    @kernel
    def beside(discs: Word) -> Word:
        wide = discs | ((discs << one) & not_first) | ((discs >> one) & not_last)
        return (wide | (wide << row) | (wide >> row)) & board

    return beside


def mobility(game: Game) -> Evaluation:
    """The evaluation `mobility`."""
    weights = pack({"values": value_table(MOBILITY_CALIBRATION, -game.max_moves, game.max_moves, 1)})
    return Evaluation("mobility", _mobility(game), move_order(game), weights)


@functools.cache
def _mobility(game: Game) -> Any:
    count = game.count
    row = numpy.zeros(1, dtype=numpy.int64)
    most = game.max_moves

    @kernel
    def evaluate(position: Position, weights: Weights) -> int:
        other = OthelloPosition(position.enemy, position.own, 1 - position.mover)
        return integer(weights.values[most + count(position, 1, row) - count(other, 1, row)])

    return evaluate


def discs(game: Game) -> Evaluation:
    """The evaluation `discs`."""
    squares = game.rows * game.columns
    weights = pack({"values": value_table(DISCS_CALIBRATION, -squares, squares, 1)})
    return Evaluation("discs", _discs(game), move_order(game), weights)


@functools.cache
def _discs(game: Game) -> Any:
    squares = game.rows * game.columns

    @kernel
    def evaluate(position: Position, weights: Weights) -> int:
        return integer(weights.values[squares + popcount(position.own) - popcount(position.enemy)])

    return evaluate


@functools.cache
def move_order(game: Game) -> Any:
    """Move ordering: corners first, squares beside them last; otherwise by the enemy's mobility."""
    kinds = square_kinds(game.rows)
    ranks = numpy.full(PASS + 1, 500, dtype=numpy.int64)
    for kind, rank in ((0, 900), (1, 300), (4, 100), (2, 600)):
        for square in range(game.rows * game.columns):
            if int(kinds[kind]) >> square & 1:
                ranks[square] = rank
    play, count = game.play, game.count
    row = numpy.zeros(1, dtype=numpy.int64)

    @kernel
    def order(position: Position, move: int) -> int:
        child = play(position, move)
        if child.own == WORD_ZERO:
            return 1000
        return integer(ranks[move]) - 10 * count(child, 1, row)

    return order


def move_classes(game: Game) -> Classify:
    """Move classes. First: corners. Last: X squares beside an empty corner."""
    size, last = game.rows, game.rows - 1
    kinds = numpy.full(PASS + 1, ORDINARY, dtype=numpy.int64)
    guarded = numpy.zeros(PASS + 1, dtype=Word)
    for row, column in itertools.product((0, last), repeat=2):
        corner = row * size + column
        kinds[corner] = FIRST_CLASS
        inner_row, inner_column = min(max(row, 1), last - 1), min(max(column, 1), last - 1)
        guarded[inner_row * size + inner_column] = 1 << corner

    @kernel
    def classify(position: Position, move: int) -> int:
        if guarded[move] & ~(position.own | position.enemy) != WORD_ZERO:
            return LAST_CLASS
        return kinds[move]

    return classify
