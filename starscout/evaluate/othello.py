"""Evaluations of Othello: `positional` adds discs by square, corners and mobility, each weighted by the stage.

    positional   (own − enemy discs on each kind of square) · weight + (own − enemy moves) · weight + a bias
    mobility     own − enemy moves
    discs        own − enemy discs

Squares of a kind are those that the symmetries of the board exchange: ten on 8×8, the corner is kind (0, 0).
"""

import itertools
from typing import Any

import numpy

from starscout.bits import WORD_ZERO, Word, integer, popcount
from starscout.evaluate.calibration import Calibration, value_table
from starscout.evaluate.evaluation import Evaluation, zero
from starscout.game import Game, GameError, Position
from starscout.games.othello import PASS
from starscout.games.othello import Position as OthelloPosition
from starscout.kernel import kernel

NAMES = ("positional", "mobility", "discs", "zero")

KINDS = tuple(itertools.combinations_with_replacement(range(4), 2))
"""The kinds of squares by their distances from the nearest edges."""

STAGES = 6
STAGE_DISCS = 10
UNIT = 100
LIMIT = 1200
MOBILITY, BIAS = len(KINDS), len(KINDS) + 1

WEIGHTS = numpy.array(
    [[100, -20, 10, 5, -40, -5, -5, 3, 2, 0, 12, 10]] * 2
    + [[90, -15, 8, 5, -30, -4, -4, 3, 2, 1, 11, 10]] * 2
    + [[70, 0, 8, 5, -10, 0, 0, 4, 4, 4, 8, 10]]
    + [[40, 15, 15, 15, 10, 12, 12, 12, 12, 12, 4, 0]],
    dtype=numpy.int64,
)
"""[stage, kind of square, then mobility, then the bias for the mover] in hundredths of the logistic curve's unit."""

POSITIONAL_CALIBRATION = Calibration(0.012, 0.852)
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
    kinds, count = square_kinds(game.rows), game.count
    kind_count = len(KINDS)
    row = numpy.zeros(1, dtype=numpy.int64)
    values = value_table(POSITIONAL_CALIBRATION, -LIMIT, LIMIT, UNIT)

    @kernel
    def evaluate(position: Position) -> int:
        own, enemy = position.own, position.enemy
        stage = min((popcount(own) + popcount(enemy) - 4) // STAGE_DISCS, STAGES - 1)
        score = WEIGHTS[stage, BIAS]
        for kind in range(kind_count):
            score += WEIGHTS[stage, kind] * (popcount(own & kinds[kind]) - popcount(enemy & kinds[kind]))
        other = OthelloPosition(enemy, own, 1 - position.mover)
        score += WEIGHTS[stage, MOBILITY] * (count(position, 1, row) - count(other, 1, row))
        return integer(values[LIMIT + min(max(score, -LIMIT), LIMIT)])

    return evaluate


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
