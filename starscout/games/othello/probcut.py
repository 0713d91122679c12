"""How well a shallow search of Othello predicts a deep one: the margins of ProbCut.

    the deep value − the shallow one     has the mean 0 and, in discs, the standard deviation
    log σ = constant + shallow · check depth + deep · depth + empty · empty squares (+ solved, if depth reaches the end)

Both depths have the same parity, so the side that moves last has no advantage in one of them. The five numbers are
fitted to searches without ProbCut by `python benchmarks/search_fit_probcut.py`, which writes the file beside this one.
"""

import functools
import math
from pathlib import Path
from typing import NamedTuple

import numpy

from starscout.evaluation.weights import read_arrays

FILE = Path(__file__).parent / "probcut.csv"
LEAST_DEPTH = 3
SHARE = 4
THOUSAND = 1000.0


class ErrorModel(NamedTuple):
    """The numbers of the formula above."""

    constant: float
    shallow: float
    deep: float
    empty: float
    solved: float

    def deviation(self, depth: int, empties: int) -> float:
        """The standard deviation in discs at a node of this depth."""
        terms = self.constant + self.shallow * check_depth(depth) + self.deep * depth + self.empty * empties
        return math.exp(terms + (self.solved if depth >= empties else 0.0))


def check_depth(depth: int) -> int:
    """The depth of the shallow search: about half of the deep one, with the same parity."""
    return 2 * (depth // SHARE) + depth % 2


@functools.cache
def fitted_model() -> ErrorModel:
    """The fit that comes with the package."""
    return ErrorModel(*(read_arrays(FILE)["error"] / THOUSAND).tolist())


def margins(model: ErrorModel, confidence: float, points: int, most: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    """[empty squares, depth] → the depth of the shallow search and the margin in 1/points of a disc.

    `confidence` is the margin in standard deviations; tables go up to `most` empty squares.
    """
    checks, found = (numpy.zeros((most + 1, most + 1), dtype=numpy.int64) for _ in range(2))
    for empties in range(1, most + 1):
        for depth in range(LEAST_DEPTH, empties + 1):
            checks[empties, depth] = check_depth(depth)
            found[empties, depth] = round(confidence * model.deviation(depth, empties) * points)
    return checks, found
