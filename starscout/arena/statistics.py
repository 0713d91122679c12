"""Match statistics: error bars, confidence intervals and p-values of independent units.

The unit is a pair of games from one start with the same dice and seats swapped; its score is the mean of the two games
for player A, in [0, 1]. A luck-adjusted unit may lie outside [0, 1]. `Sample` holds what every formula needs:

    n units, mean s = Σaᵢ/n, variance v = Σ(aᵢ − s)²/n

`confidence_interval` is the 95 % interval shown to users: a Student t interval with a prior of half a pair (lost and
won in equal parts), which keeps its coverage for few or one-sided pairs. Error bars (±) are its half-width. For
luck-adjusted pairs the prior shrinks in proportion to their standard deviation.
`points_interval` is that of points per game, whose pairs take many values: Student's t without a prior.
`superiority` (LOS) uses the model of the score: it exceeds 97.5 % when the lower bound of the interval exceeds ½.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import NormalDist

Z_95 = 1.959964
NORMAL = NormalDist()
NORMAL_FREEDOM = 2000
"""Degrees of freedom above which Student's t distribution equals the normal one to four digits."""


@dataclass(frozen=True)
class Sample:
    """Independent units: their number, mean score and variance (divided by n)."""

    n: int
    mean: float
    variance: float


@dataclass(frozen=True)
class Prior:
    """Units that are added to a sample, half of them lost and half won."""

    weight: float = 0.5
    """Number of units."""
    scale: float = 1.0
    """Scale of their deviations from the sample mean: below 1 if the sample's units vary less than scores."""


HALF_A_PAIR, NO_PRIOR = Prior(), Prior(0.0)


def shrunk_prior(adjusted: Sample, raw: Sample) -> Prior:
    """Return the prior of luck-adjusted pairs, whose scale is the ratio of their standard deviation to the raw one."""
    return Prior(scale=math.sqrt(min(1.0, adjusted.variance / raw.variance))) if raw.variance > 1e-12 else HALF_A_PAIR


def sample_of(scores: Iterable[float]) -> Sample:
    """Return the sample of these unit scores."""
    values = list(scores)
    if not values:
        return Sample(0, 0.5, 0.0)
    mean = math.fsum(values) / len(values)
    return Sample(len(values), mean, math.fsum((value - mean) ** 2 for value in values) / len(values))


def sample_of_counts(counts: Mapping[float, float]) -> Sample:
    """Return the sample of units given as score → count."""
    n = sum(counts.values())
    if not n:
        return Sample(0, 0.5, 0.0)
    mean = math.fsum(score * count for score, count in counts.items()) / n
    return Sample(int(n), mean, math.fsum(count * (score - mean) ** 2 for score, count in counts.items()) / n)


def superiority(sample: Sample, prior: Prior = HALF_A_PAIR) -> float:
    """Return the likelihood of superiority (LOS) of A; ½ without data.

    The Student t distribution at (s − ½)/error; for many pairs this is Φ((s − ½)/√(v/n)).
    """
    if sample.n < 2:
        return 0.5
    mean, error = estimate(sample, prior)
    if error == 0:
        return 0.5 if mean == 0.5 else float(mean > 0.5)
    return student_cdf((mean - 0.5) / error, sample.n - 1)


def confidence_interval(sample: Sample, prior: Prior = HALF_A_PAIR) -> tuple[float, float]:
    """Return the 95 % confidence interval of the true score; [0, 1] for fewer than two units."""
    if sample.n < 2:
        return 0.0, 1.0
    mean, error = estimate(sample, prior)
    half = student_quantile(sample.n - 1) * error
    low, high = min(sample.mean, mean - half), max(sample.mean, mean + half)
    return min(max(low, 0.0), 1.0), max(min(high, 1.0), 0.0)


def wilson_interval(score: float, games: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of the true score of independent games."""
    weight = Z_95**2 / games
    middle = (score + weight / 2) / (1 + weight)
    half = math.sqrt(weight * (score * (1 - score) + weight / 4)) / (1 + weight)
    return min(max(middle - half, 0.0), score), max(min(middle + half, 1.0), score)


def half_width(interval: tuple[float, float]) -> float:
    """Return half the width of an interval, for texts like 54.5 % ± 6.2 %."""
    return (interval[1] - interval[0]) / 2


def points_interval(sample: Sample, least: float, most: float) -> tuple[float, float]:
    """Return the 95 % confidence interval of the points per game; [−most, most] for fewer than two units.

    A Student t interval. Its variance is at least that of a sample in which one game went the other way, by `least`
    points, the fewest of a game that was won: equal results of few pairs do not prove that all results are equal.
    """
    if sample.n < 2:
        return -most, most
    half = student_quantile(sample.n - 1) * points_standard_error(sample, least)
    return max(sample.mean - half, -most), min(sample.mean + half, most)


def points_standard_error(sample: Sample, least: float) -> float:
    """Return the standard error of the points per game, at least that of one game that went the other way."""
    n = sample.n
    return math.sqrt(max(sample.variance / (n - 1), (least / n) ** 2)) if n > 1 else 0.0


def estimate(sample: Sample, prior: Prior = HALF_A_PAIR) -> tuple[float, float]:
    """Return the mean and its standard error, both with a prior.

    The prior counts in the number of units; without one (weight 0), the variance is divided by n − 1.
    """
    if not prior.weight:
        return sample.mean, math.sqrt(sample.variance / (sample.n - 1))
    n, center = sample.n + prior.weight, sample.mean + prior.scale * (0.5 - sample.mean)
    mean = (sample.n * sample.mean + prior.weight * center) / n
    squares = sample.n * (sample.variance + (sample.mean - mean) ** 2)
    squares += prior.weight * ((prior.scale / 2) ** 2 + (center - mean) ** 2)
    return mean, math.sqrt(squares) / n


def decisive_p_value(won: int, lost: int) -> float:
    """Return the two-sided p-value of the exact binomial test on decisive pairs."""
    total = won + lost
    if total == 0:
        return 1.0
    tail = math.fsum(_binomial_half(total, k) for k in range(min(won, lost) + 1))
    return min(1.0, 2 * tail)


def _binomial_half(total: int, k: int) -> float:
    logarithm = math.lgamma(total + 1) - math.lgamma(k + 1) - math.lgamma(total - k + 1)
    return math.exp(logarithm - total * math.log(2))


def student_quantile(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's t (Cornish–Fisher from 3 degrees of freedom)."""
    if freedom == 1:
        return math.tan(math.pi * 0.475)
    if freedom == 2:
        return 0.95 * math.sqrt(2 / (1 - 0.95**2))
    z = NORMAL.inv_cdf(0.975)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return sum(term / freedom**power for power, term in enumerate(terms))


def student_cdf(t: float, freedom: int) -> float:
    """Return Student's t CDF: a finite series, or the normal CDF above NORMAL_FREEDOM degrees."""
    if freedom > NORMAL_FREEDOM:
        return NORMAL.cdf(t)
    angle = math.atan(t / math.sqrt(freedom))
    cosine, sine = math.cos(angle), math.sin(angle)
    # Abramowitz and Stegun, 26.7.3 and 26.7.4.
    odd = freedom % 2
    term = cosine if odd else 1.0
    total = term if freedom > 1 else 0.0
    for k in range(2 + odd, freedom - 1, 2):
        term *= (k - 1) / k * cosine * cosine
        total += term
    share = 2 / math.pi * (angle + sine * total) if odd else sine * total
    return 0.5 + share / 2
