"""Evaluations of Othello: `positional` adds discs by square, corners and mobility, each weighted by the stage.

    positional   discs by kind of square, moves, and empty squares beside the enemy (moves to come), own − enemy each,
                 weighted by the stage; the weights are set by hand, their scale is fitted to games
    mobility     own − enemy moves
    discs        own − enemy discs

Squares of a kind are those that the symmetries of the board exchange: ten on 8×8, the corner is kind (0, 0).
"""

import itertools
from pathlib import Path
from typing import Any

import numpy

from starscout.bits import WORD_ZERO, Word, integer, popcount
from starscout.evaluate.calibration import Calibration, value_table
from starscout.evaluate.evaluation import Evaluation, zero
from starscout.evaluate.weights import read_arrays
from starscout.game import Game, GameError, Position
from starscout.games.othello import PASS
from starscout.games.othello import Position as OthelloPosition
from starscout.kernel import kernel

NAMES = ("positional", "mobility", "discs", "zero")

KINDS = tuple(itertools.combinations_with_replacement(range(4), 2))
"""The kinds of squares by their distances from the nearest edges."""

STAGES = 6
STAGE_DISCS = 10
UNIT = 256
LIMIT = 6 * UNIT
MOBILITY, FRONTIER, BIAS = range(len(KINDS), len(KINDS) + 3)

WEIGHTS_FILE = Path(__file__).parent / "othello_positional.csv"
"""[stage, kind of square, then mobility, frontier and the bias for the mover] in 1/256 of the logistic curve's unit."""

MOBILITY_CALIBRATION = Calibration(0.0, 0.116)
DISCS_CALIBRATION = Calibration(0.113, 0.037)


def evaluation(game: Game, text: str | None) -> Evaluation:
    """The evaluation that a text names, the first of NAMES for None; raises GameError."""
    text = text or NAMES[0]
    order = _order(game)
    if text == "zero":
        return zero(order)
    builders = {"positional": _positional, "mobility": _mobility, "discs": _discs}
    if text not in builders:
        raise GameError(f"{game.name} has no evaluation {text!r}: it has {', '.join(NAMES)}")
    return Evaluation(text, builders[text](game), order)


def square_kinds(size: int) -> numpy.ndarray:
    """[kind] → the squares of the kind as a word; empty for kinds that a small board lacks."""
    masks = [0] * len(KINDS)
    for row, column in itertools.product(range(size), repeat=2):
        edges = sorted((min(row, size - 1 - row), min(column, size - 1 - column)))
        masks[KINDS.index((edges[0], edges[1]))] |= 1 << row * size + column
    return numpy.array(masks, dtype=Word)


def _positional(game: Game) -> Any:
    weights = numpy.stack([read_arrays(WEIGHTS_FILE)[f"stage_{stage}"] for stage in range(STAGES)])
    kinds, count, beside = square_kinds(game.rows), game.count, neighbours(game.rows)
    kind_count = len(KINDS)
    row = numpy.zeros(1, dtype=numpy.int64)
    values = value_table(Calibration(0.0, 1.0), -LIMIT, LIMIT, UNIT)

    @kernel
    def evaluate(position: Position) -> int:
        own, enemy = position.own, position.enemy
        stage = min((popcount(own) + popcount(enemy) - 4) // STAGE_DISCS, STAGES - 1)
        score = weights[stage, BIAS]
        for kind in range(kind_count):
            score += weights[stage, kind] * (popcount(own & kinds[kind]) - popcount(enemy & kinds[kind]))
        other = OthelloPosition(enemy, own, 1 - position.mover)
        score += weights[stage, MOBILITY] * (count(position, 1, row) - count(other, 1, row))
        empty = ~(own | enemy)
        score += weights[stage, FRONTIER] * (popcount(beside(enemy) & empty) - popcount(beside(own) & empty))
        return integer(values[LIMIT + min(max(score, -LIMIT), LIMIT)])

    return evaluate


def neighbours(size: int) -> Any:
    """The kernel (discs) → the squares beside them, the discs themselves among them."""
    column = sum(1 << size * row for row in range(size))
    everything = (1 << size * size) - 1
    not_first, not_last = Word(everything & ~column), Word(everything & ~(column << (size - 1)))
    one, row, board = Word(1), Word(size), Word(everything)

    @kernel
    def beside(discs: Word) -> Word:
        wide = discs | ((discs << one) & not_first) | ((discs >> one) & not_last)
        return (wide | (wide << row) | (wide >> row)) & board

    return beside


def _mobility(game: Game) -> Any:
    count = game.count
    row = numpy.zeros(1, dtype=numpy.int64)
    most = game.max_moves
    values = value_table(MOBILITY_CALIBRATION, -most, most, 1)

    @kernel
    def evaluate(position: Position) -> int:
        other = OthelloPosition(position.enemy, position.own, 1 - position.mover)
        return integer(values[most + count(position, 1, row) - count(other, 1, row)])

    return evaluate


def _discs(game: Game) -> Any:
    squares = game.rows * game.columns
    values = value_table(DISCS_CALIBRATION, -squares, squares, 1)

    @kernel
    def evaluate(position: Position) -> int:
        return integer(values[squares + popcount(position.own) - popcount(position.enemy)])

    return evaluate


def _order(game: Game) -> Any:
    """Corners first, the squares beside them last; among the others those that leave the enemy the fewest moves."""
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
