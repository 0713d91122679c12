"""The sequential test: is A better by `elo1`, or only by `elo0`? It stops as soon as the pairs decide.

Each hypothesis fixes a mean. The generalised likelihood ratio compares the two distributions of pair scores that have
these means and fit the data best (M. Van den Bergh, "The generalized maximum likelihood ratio for the expectation value
of a distribution"). Elo is logistic here. The test does not stop before 30 decisive pairs: its normal approximation
does not hold earlier.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from starscout.arena.root_finder import find_root
from starscout.arena.statistics import Sample, expected_score
from starscout.game import GameError

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
LEAST_DECISIVE_PAIRS = 30
EMPTY_BIN = 1e-3


@dataclass(frozen=True)
class Sprt:
    """A test of elo ≤ elo0 against elo ≥ elo1 with error rates α (of accepting elo1) and β (of accepting elo0)."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not (math.isfinite(self.elo0) and math.isfinite(self.elo1)):
            raise GameError(f"the bounds of a sequential test are finite, not {self.elo0:g} and {self.elo1:g}")
        if not self.elo0 < self.elo1:
            raise GameError(f"elo0 of a sequential test must be below elo1: {self.elo0:g} is not below {self.elo1:g}")

    @property
    def lower(self) -> float:
        """At or below it elo0 is accepted: ln(β/(1 − α))."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """At or above it elo1 is accepted: ln((1 − β)/α)."""
        return math.log((1 - self.beta) / self.alpha)

    def verdict(self, ratio: float, decisive: int) -> str:
        """`"elo1"`, `"elo0"` or `"undecided"`, for a log-likelihood ratio from this many decisive pairs."""
        if decisive < LEAST_DECISIVE_PAIRS:
            return "undecided"
        if ratio >= self.upper:
            return "elo1"
        return "elo0" if ratio <= self.lower else "undecided"


def likelihood_ratio(counts: Mapping[float, float], test: Sprt) -> float:
    """n·Σ p̂ᵢ ln(p¹ᵢ/p⁰ᵢ) of pair scores given as score → how many; an empty bin counts as 10⁻³."""
    filled = {score: counts.get(score) or EMPTY_BIN for score in sorted({*PAIR_SCORES, *counts})}
    if not any(counts.values()):
        return 0.0
    n = float(sum(filled.values()))
    frequencies = {score: count / n for score, count in filled.items()}
    under0 = _nearest_with_mean(frequencies, expected_score(test.elo0))
    under1 = _nearest_with_mean(frequencies, expected_score(test.elo1))
    return n * sum(p * (math.log(under1[a]) - math.log(under0[a])) for a, p in frequencies.items())


def normal_likelihood_ratio(sample: Sample, test: Sprt) -> float:
    """The same for units that are not in bins (luck-adjusted scores): both hypotheses normal with variance v."""
    if sample.variance == 0:
        return 0.0
    score0, score1 = expected_score(test.elo0), expected_score(test.elo1)
    return sample.n * (score1 - score0) * (2 * sample.mean - score0 - score1) / (2 * sample.variance)


def _nearest_with_mean(frequencies: Mapping[float, float], mean: float) -> dict[float, float]:
    """The distribution p̂ᵢ/(1 + θ(aᵢ − mean)): the most likely one with this mean."""
    low, high = -1 / (max(frequencies) - mean), 1 / (mean - min(frequencies))

    def moment(theta: float) -> float:
        return sum(p * (a - mean) / (1 + theta * (a - mean)) for a, p in frequencies.items())

    # The moment falls from +∞ to −∞ between the poles; step back from them just enough to see both signs.
    margin = 1e-9
    while margin > 1e-15 and not moment(low + margin) > 0 > moment(high - margin):
        margin /= 10
    theta = find_root(moment, low + margin, high - margin)
    return {a: p / (1 + theta * (a - mean)) for a, p in frequencies.items()}
