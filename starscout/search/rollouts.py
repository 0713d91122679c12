"""Rollouts: games from one position in which both sides play the best move by an evaluation.

The mean of their results estimates the value of a position better than the evaluation does, because it includes the
rest of the game. With variance reduction the luck of every event is subtracted from the result of a game:

    luck of an event = value of the best move after it − mean of these values over all events

Its expectation is zero for any evaluation, so the estimate stays unbiased. Variance reduction evaluates all
moves after all events at each ply.

The events of the first ply are drawn systematically: each occurs in proportion to its weight, up to rounding.
"""

import functools
from typing import Any

import numpy

from starscout.evaluation.evaluation import Evaluation
from starscout.evaluation.weights import Weights
from starscout.game import ONGOING, Game, Position, new_row
from starscout.game.values import ONE
from starscout.kernels.bits import WORD_ALL, Word, random_word
from starscout.kernels.kernel import kernel


class Rollouts:
    """Rollouts of one game by one evaluation; a trial is a game."""

    def __init__(self, game: Game, evaluation: Evaluation, *, reduced: bool, plies: int) -> None:
        self.game = game
        self._reduced, self._plies = reduced, plies
        self._weights = evaluation.weights
        self._kernel = _build(game, evaluation.kernels.evaluate)
        self._row = new_row(game)

    def play(self, position: Position, seed: int, first: int, count: int, total: int) -> numpy.ndarray:
        """The results of the trials `first` to `first + count − 1` of `total` for the mover before the event.

        With variance reduction they can lie outside [−1, 1].
        """
        results = numpy.zeros(count)
        if self.game.outcome(position) != ONGOING:
            results[:] = int(self.game.outcome(position)) / self.game.points
            return results
        self._kernel(position, Word(seed), first, total, self._reduced, self._plies, self._row, self._weights, results)
        return results


@functools.cache
def _build(game: Game, evaluate: Any) -> Any:
    outcome, groups, group, moves, play = game.outcome, game.groups, game.group, game.moves, game.play
    total_weight, resolve, sign, draw, resolves = game.total, game.resolve, game.sign, game.draw, game.resolves
    alternating, points, longest, one = game.alternating, float(game.points), game.max_depth, float(ONE)
    upper, last = Word(32), WORD_ALL

    @kernel
    def best_after(
        position: Position, decision: Position, event: int, row: numpy.ndarray, weights: Weights
    ) -> tuple[float, Position]:
        """The value of the best move for the mover of `position`, and the next position."""
        result = outcome(decision) if resolves else ONGOING
        if result != ONGOING:
            same_mover = alternating or decision.mover == position.mover
            return (result if same_mover else -result) / points, decision
        best, chosen = -2.0, decision
        for index in range(moves(decision, event, row)):
            child = play(decision, row[index])
            result = outcome(child)
            value = result / points if result != ONGOING else evaluate(child, weights) / one
            value *= sign(decision, child)
            if value > best:
                best, chosen = value, child
        return best if alternating or decision.mover == position.mover else -best, chosen

    @kernel
    def play_trials(
        start: Position, seed: Word, first: int, total: int, reduced: bool, plies: int, row: numpy.ndarray,
        weights: Weights, results: numpy.ndarray,
    ) -> None:  # fmt: skip
        shift = (random_word(seed, last) >> upper) / 4294967296.0
        for index in range(len(results)):
            trial_seed = random_word(seed, Word(first + index))
            position, side, luck, ply = start, 1.0, 0.0, 0
            result = outcome(position)
            while result == ONGOING and ply < longest and (plies == 0 or ply < plies):
                word = random_word(trial_seed, Word(ply)) << upper
                if ply == 0:
                    word = Word((first + index + shift) / total * 4294967296.0) << upper
                event = draw(position, word)
                best, child = best_after(position, resolve(position, event), event, row, weights)
                if reduced:
                    mean = 0.0
                    for number in range(groups(position)):
                        other, weight = group(position, number)
                        value, _ = best_after(position, resolve(position, other), other, row, weights)
                        mean += weight * value
                    luck += side * (best - mean / total_weight(position))
                if alternating or child.mover != position.mover:
                    side = -side
                position = child
                ply += 1
                result = outcome(position)
            if result != ONGOING:
                value = result / points
            elif plies > 0 and ply == plies:
                value = evaluate(position, weights) / one
            else:
                value = 0.0
            results[index] = side * value - luck

    return play_trials
