"""Sequential probability ratio test (SPRT) of elo0 against elo1 on pair scores.

Each hypothesis fixes a mean. The generalised likelihood ratio compares the maximum-likelihood distributions of pair
scores with these means (M. Van den Bergh, "The generalized maximum likelihood ratio for the expectation value of a
distribution"). Elo is logistic. The test never stops before 30 decisive pairs because its normal approximation does not
hold earlier.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from starscout.arena.elo import expected_score
from starscout.arena.statistics import Sample
from starscout.game import GameError

ABSOLUTE_TOLERANCE = 2e-12
RELATIVE_TOLERANCE = 4 * 2.0**-52
MAX_ITERATIONS = 200


def find_root(function: Callable[[float], float], low: float, high: float) -> float:
    """Find a root between `low` and `high`, where signs differ, by Brent's method (1973)."""
    earlier, current = low, high
    earlier_value, current_value = function(earlier), function(current)
    if earlier_value == 0:
        return earlier
    if current_value == 0:
        return current
    if (earlier_value > 0) == (current_value > 0):
        raise ValueError(f"the function has the same sign at {low} and {high}")
    other, other_value = earlier, earlier_value
    last_step = step = current - earlier
    for _ in range(MAX_ITERATIONS):
        # The root lies between `current`, the best guess, and `other`.
        if earlier_value != 0 and (earlier_value > 0) != (current_value > 0):
            other, other_value = earlier, earlier_value
            last_step = step = current - earlier
        if abs(other_value) < abs(current_value):
            earlier, current, other = current, other, current
            earlier_value, current_value, other_value = current_value, other_value, current_value
        tolerance = (ABSOLUTE_TOLERANCE + RELATIVE_TOLERANCE * abs(current)) / 2
        halving = (other - current) / 2
        if current_value == 0 or abs(halving) < tolerance:
            return current
        trial = math.inf
        if abs(last_step) > tolerance and abs(current_value) < abs(earlier_value):
            trial = _interpolated(earlier, earlier_value, current, current_value, other, other_value)
        if 2 * abs(trial) < min(abs(last_step), 3 * abs(halving) - tolerance):
            last_step, step = step, trial
        else:
            last_step = step = halving
        earlier, earlier_value = current, current_value
        current += step if abs(step) > tolerance else math.copysign(tolerance, halving)
        current_value = function(current)
    return current


def _interpolated(
    earlier: float, earlier_value: float, current: float, current_value: float, other: float, other_value: float
) -> float:
    """Return the step to the zero of the secant or of the inverse parabola through the points."""
    if earlier == other:
        return -current_value * (current - earlier) / (current_value - earlier_value)
    earlier_slope = (earlier_value - current_value) / (earlier - current)
    other_slope = (other_value - current_value) / (other - current)
    numerator = -current_value * (other_value * other_slope - earlier_value * earlier_slope)
    return numerator / (other_slope * earlier_slope * (other_value - earlier_value))


PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
MIN_DECISIVE_PAIRS = 30
EMPTY_BIN = 1e-3


@dataclass(frozen=True)
class Sprt:
    """A test of H0: elo ≤ elo0 against H1: elo ≥ elo1 with error rates α and β.

    α is the probability of accepting H1 under H0, β that of accepting H0 under H1.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not (math.isfinite(self.elo0) and math.isfinite(self.elo1)):
            raise GameError(f"sprt: expected finite bounds, got {self.elo0:g} and {self.elo1:g}")
        if not self.elo0 < self.elo1:
            raise GameError(f"sprt: elo0 must be below elo1, got {self.elo0:g} and {self.elo1:g}")

    @property
    def lower(self) -> float:
        """H0 is accepted at or below this log-likelihood ratio: ln(β/(1 − α))."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """H1 is accepted at or above this log-likelihood ratio: ln((1 − β)/α)."""
        return math.log((1 - self.beta) / self.alpha)

    def verdict(self, ratio: float, decisive: int) -> str:
        """Return `"elo1"`, `"elo0"` or `"undecided"` for a log-likelihood ratio."""
        if decisive < MIN_DECISIVE_PAIRS:
            return "undecided"
        if ratio >= self.upper:
            return "elo1"
        return "elo0" if ratio <= self.lower else "undecided"


def likelihood_ratio(counts: Mapping[float, float], test: Sprt) -> float:
    """Return n·Σ p̂ᵢ ln(p¹ᵢ/p⁰ᵢ) for score → count; an empty bin counts as 10⁻³."""
    filled = {score: counts.get(score) or EMPTY_BIN for score in sorted({*PAIR_SCORES, *counts})}
    if not any(counts.values()):
        return 0.0
    n = float(sum(filled.values()))
    frequencies = {score: count / n for score, count in filled.items()}
    under0 = _nearest_with_mean(frequencies, expected_score(test.elo0))
    under1 = _nearest_with_mean(frequencies, expected_score(test.elo1))
    return n * sum(p * (math.log(under1[a]) - math.log(under0[a])) for a, p in frequencies.items())


def normal_likelihood_ratio(sample: Sample, test: Sprt) -> float:
    """Return the log-likelihood ratio of luck-adjusted scores under normal hypotheses."""
    if sample.variance == 0:
        return 0.0
    score0, score1 = expected_score(test.elo0), expected_score(test.elo1)
    return sample.n * (score1 - score0) * (2 * sample.mean - score0 - score1) / (2 * sample.variance)


def _nearest_with_mean(frequencies: Mapping[float, float], mean: float) -> dict[float, float]:
    """Return the maximum-likelihood distribution with this mean: p̂ᵢ/(1 + θ(aᵢ − mean))."""
    low, high = -1 / (max(frequencies) - mean), 1 / (mean - min(frequencies))

    def moment(theta: float) -> float:
        return sum(p * (a - mean) / (1 + theta * (a - mean)) for a, p in frequencies.items())

    # The moment falls from +∞ to −∞ between the poles; keep just far enough from them to see both signs.
    margin = 1e-9
    while margin > 1e-15 and not moment(low + margin) > 0 > moment(high - margin):
        margin /= 10
    theta = find_root(moment, low + margin, high - margin)
    return {a: p / (1 + theta * (a - mean)) for a, p in frequencies.items()}
