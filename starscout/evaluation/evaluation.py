"""Evaluations: two kernels that a search is compiled with, and the weights passed to them.

Calibration of raw scores to values by logistic regression on game results.

    win probability = 1 / (1 + exp(−(offset + slope · score)))        value = 2 · win probability − 1

The curves are fitted to self-play of the search (`benchmarks/search_calibration.py`), so values of different
evaluations are comparable.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy

from starscout.evaluation.weights import NO_WEIGHTS, Weights
from starscout.game import Position
from starscout.game.values import ONE
from starscout.kernels.kernel import kernel


class Calibration(NamedTuple):
    """A logistic curve."""

    offset: float
    slope: float

    def expected(self, score: float) -> float:
        """The expected result in (−1, 1) of a position with this raw score."""
        return math.tanh((self.offset + self.slope * score) / 2.0)


def value_table(calibration: Calibration, lowest: int, highest: int, unit: int) -> numpy.ndarray:
    """[score − lowest] → value, for integer scores lowest … highest in 1/unit of a point."""
    scores = range(lowest, highest + 1)
    limit = ONE - 1
    values = [round(calibration.expected(score / unit) * ONE) for score in scores]
    return numpy.array([max(-limit, min(limit, value)) for value in values], dtype=numpy.int64)


def fit(scores: numpy.ndarray, results: numpy.ndarray) -> Calibration:
    """The maximum-likelihood curve for scores and results (1 win, 0 loss, ½ draw), by Newton's method."""
    offset, slope = 0.0, 0.0
    for _ in range(50):
        chance = 1.0 / (1.0 + numpy.exp(-(offset + slope * scores)))
        weight = chance * (1.0 - chance)
        error = results - chance
        gradient = numpy.array([error.sum(), (error * scores).sum()])
        curvature = numpy.array(
            [
                [weight.sum() + 1e-9, (weight * scores).sum()],
                [(weight * scores).sum(), (weight * scores * scores).sum() + 1e-9],
            ]
        )
        step = numpy.linalg.solve(curvature, gradient)
        offset, slope = offset + float(step[0]), slope + float(step[1])
        if numpy.abs(step).max() < 1e-10:
            break
    return Calibration(offset, slope)


@kernel
def no_order(position: Position, move: int) -> int:
    """Rank all moves equally."""
    return 0


class EvaluationKernels(NamedTuple):
    """The kernels a search is compiled with; evaluations that differ only in weights share them."""

    evaluate: Callable[..., int]
    """*kernel* (unfinished position, weights) → the mover's value."""
    order: Callable[..., int]
    """*kernel* (position, move) → 0 … 1000."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """An estimate of the positions of one game and a move ordering."""

    name: str
    evaluate: Callable[..., int]
    """*kernel* (unfinished position) → the mover's value in 2⁻⁴⁴ (see game/values.py), inside (−ONE, ONE).

    With weights it is called with (position, weights).
    """
    order: Callable[..., int] = no_order
    """*kernel* (position, move) → 0 … 1000: moves with higher numbers are tried first."""
    weights: Weights = NO_WEIGHTS
    """The numbers that `evaluate` reads (see `pack`)."""
    point: int = 0
    """The value of a raw point if values are proportional to raw points, else 0."""

    @property
    def kernels(self) -> EvaluationKernels:
        """The kernels a search is compiled with."""
        plain = self.weights is NO_WEIGHTS
        return EvaluationKernels(_without_weights(self.evaluate) if plain else self.evaluate, self.order)

    def value(self, position: Position) -> int:
        """The mover's value of an unfinished position, for Python callers."""
        return self.evaluate(position) if self.weights is NO_WEIGHTS else self.evaluate(position, self.weights)


@functools.cache
def _without_weights(evaluate: Any) -> Any:
    @kernel(inline=True)
    def evaluate_position(position: Position, weights: Weights) -> int:
        return evaluate(position)

    return evaluate_position


@kernel
def _zero(position: Position) -> int:
    return 0


def zero(order: Any = no_order) -> Evaluation:
    """The evaluation that is 0 in every unfinished position."""
    return Evaluation("zero", _zero, order)
