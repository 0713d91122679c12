"""Calibration of raw scores to values by logistic regression on game results.

    win probability = 1 / (1 + exp(−(offset + slope · score)))        value = 2 · win probability − 1

The curves are fitted to self-play of the search (`benchmarks/search_calibration.py`), so values of different
evaluations are comparable.
"""

import math
from typing import NamedTuple

import numpy

from starscout.game.values import ONE


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
