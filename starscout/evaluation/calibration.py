"""From a raw score to a value: the chance to win that games with such scores had.

    win probability = 1 / (1 + exp(−(offset + slope · score)))        value = 2 · win probability − 1

The numbers come from a fit on games of the search against itself (`benchmarks/search_calibration.py` repeats it), so
values of different evaluations can be compared.
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
    """[score − lowest] → value, for the whole scores lowest … highest, in 1/unit of a point."""
    scores = range(lowest, highest + 1)
    limit = ONE - 1
    values = [round(calibration.expected(score / unit) * ONE) for score in scores]
    return numpy.array([max(-limit, min(limit, value)) for value in values], dtype=numpy.int64)


def fit(scores: numpy.ndarray, results: numpy.ndarray) -> Calibration:
    """The most likely curve for scores and the results (1 win, 0 loss, ½ draw) that followed, by Newton's method."""
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
