"""The definition of a value: minimax and expectiminimax without pruning. All other searches are tested against it.

    value(position, 0)      = evaluation(position)
    value(position, depth)  = mean over the events, by weight, of the best ±value(play(decision, move), depth − 1)
    value of a finished game = its outcome / points

where decision = resolve(position, event). A value is the mover's expected result in [−1, 1], as a float; its sign
changes where the side to move does. If the game has a repetition rule, a position that occurred before, on the path or
in the game, is a draw.
"""

import functools
from collections.abc import Sequence
from typing import Any

import numpy

from starscout.evaluation.evaluation import Evaluation, EvaluationKernels
from starscout.evaluation.weights import Weights
from starscout.game import NOT_ROLLED, ONGOING, Game, Position, new_rows
from starscout.game.chance import ONLY_EVENT
from starscout.game.values import ONE
from starscout.kernels.bits import Word
from starscout.kernels.kernel import kernel


def exact_value(
    game: Game, evaluation: Evaluation, position: Position, depth: int, history: Sequence[Position] = ()
) -> float:
    """The value of a position before its event, `depth` plies deep; `history` are the earlier positions of the game."""
    return float(_build(game, evaluation.kernels)(position, depth, *_memory(game, depth, history), evaluation.weights))


def exact_moves(
    game: Game, evaluation: Evaluation, position: Position, roll: int, depth: int, history: Sequence[Position] = ()
) -> dict[int, float]:
    """The value of each legal move of a decision; the move is the first of the `depth` plies."""
    value = _build(game, evaluation.kernels)
    memory = _memory(game, depth, [*history, position])
    values = {}
    for move in game.legal(position, roll):
        following = game.play_position(position, move)
        values[move] = game.sign(position, following) * float(value(following, depth - 1, *memory, evaluation.weights))
    return values


def _memory(game: Game, depth: int, history: Sequence[Position]) -> tuple[numpy.ndarray, numpy.ndarray, int]:
    """A row of moves per depth, the keys of the path, and how many of them are known."""
    path = numpy.zeros((len(history) + depth + 1, 2), dtype=Word)
    for index, earlier in enumerate(history):
        path[index] = game.repetition_key(earlier)
    return new_rows(game, depth + 1), path, len(history)


@functools.cache
def _build(game: Game, evaluation: EvaluationKernels) -> Any:
    outcome, moves, play, evaluate = game.outcome, game.moves, game.play, evaluation.evaluate
    events, event, total, resolve, sign = game.events, game.event, game.total, game.resolve, game.sign
    points, one = float(game.points), float(ONE)
    no_event = NOT_ROLLED if game.has_chance else ONLY_EVENT
    repeats, repetition_key = game.repetition > 0, game.repetition_key

    @kernel
    def value(
        position: Position, depth: int, rows: numpy.ndarray, path: numpy.ndarray, length: int, weights: Weights
    ) -> float:
        result = outcome(position)
        if result != ONGOING:
            return result / points
        if repeats:
            first, second = repetition_key(position)
            for index in range(length):
                if path[index, 0] == first and path[index, 1] == second:
                    return 0.0
            path[length, 0], path[length, 1] = first, second
        if depth == 0:
            return evaluate(position, weights) / one
        mean = 0.0
        row = rows[depth]
        for index in range(max(events(position), 1)):
            drawn, weight = no_event, 1
            if events(position) > 0:
                drawn, weight = event(position, index)
            decision = resolve(position, drawn)
            best = -2.0
            result = outcome(decision)
            if result != ONGOING:
                best = result / points
            else:
                for number in range(moves(decision, drawn, row)):
                    following = play(decision, row[number])
                    below = value(following, depth - 1, rows, path, length + 1, weights)
                    best = max(best, sign(decision, following) * below)
            mean += weight * (best if decision.mover == position.mover else -best)
        return mean / total(position)

    return value
