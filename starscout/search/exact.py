"""The definition of a value: minimax and expectiminimax without pruning. All other searches are tested against it.

    value(position, 0)      = evaluation(position)
    value(position, depth)  = mean over the rolls of the best −value(play(position, move), depth − 1)
    value of a finished game = its outcome

Values are the mover's expected result in [−1, 1], as floats.
"""

import functools
from typing import Any

import numpy

from starscout.evaluation.evaluation import Evaluation, EvaluationKernels
from starscout.evaluation.weights import Weights
from starscout.game import ONGOING, Game, Position, new_rows
from starscout.game.values import ONE
from starscout.kernels.kernel import kernel


def exact_value(game: Game, evaluation: Evaluation, position: Position, depth: int) -> float:
    """The value of a position before its roll, `depth` plies deep."""
    return float(_build(game, evaluation.kernels)(position, depth, new_rows(game, depth + 1), evaluation.weights))


def exact_moves(game: Game, evaluation: Evaluation, position: Position, roll: int, depth: int) -> dict[int, float]:
    """The value of each legal move after a roll; the move is the first of the `depth` plies."""
    value, rows = _build(game, evaluation.kernels), new_rows(game, depth)
    return {
        move: -float(value(game.play_position(position, move), depth - 1, rows, evaluation.weights))
        for move in game.legal(position, roll)
    }


@functools.cache
def _build(game: Game, evaluation: EvaluationKernels) -> Any:
    outcome, moves, play, evaluate = game.outcome, game.moves, game.play, evaluation.evaluate
    faces, one = game.faces, float(ONE)

    @kernel
    def value(position: Position, depth: int, rows: numpy.ndarray, weights: Weights) -> float:
        result = outcome(position)
        if result != ONGOING:
            return float(result)
        if depth == 0:
            return evaluate(position, weights) / one
        total = 0.0
        row = rows[depth]
        for roll in range(1, faces + 1):
            best = -2.0
            for number in range(moves(position, roll, row)):
                best = max(best, -value(play(position, row[number]), depth - 1, rows, weights))
            total += best
        return total / faces

    return value
