"""How strong, and how sure: Elo, error bars, intervals and superiority from the scores of independent units.

The unit is a pair of games from one start with the same dice and swapped seats; its score is the mean of the two
games for player A, in [0, 1]. A luck-adjusted unit may lie outside [0, 1]. `Sample` holds what every formula needs:

    n units, mean s = Σaᵢ/n, variance v = Σ(aᵢ − s)²/n

`score_error` and `elo_error` are the textbook error bars ±z√(v/n). `interval` is what we claim with 95 %: it is
Student's, and half an imaginary pair (as much lost as won) keeps it honest for few or lopsided pairs. `superiority` is
the same model's likelihood that A is stronger: it passes 97.5 % when the lower end of the interval passes ½.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import NormalDist

Z_95 = 1.959964
NORMAL = NormalDist()
IMAGINARY_PAIRS = 0.5
MANY_DEGREES = 2000
"""Degrees of freedom beyond which Student's distribution is the normal one to four digits."""


@dataclass(frozen=True)
class Sample:
    """Independent units: how many, their mean score and their variance (divided by n)."""

    n: int
    mean: float
    variance: float

    @property
    def standard_error(self) -> float:
        """√(v/n); 0 for no units."""
        return math.sqrt(self.variance / self.n) if self.n else 0.0


def sample_of(scores: Iterable[float]) -> Sample:
    """The sample of these unit scores."""
    values = list(scores)
    if not values:
        return Sample(0, 0.5, 0.0)
    mean = math.fsum(values) / len(values)
    return Sample(len(values), mean, math.fsum((value - mean) ** 2 for value in values) / len(values))


def sample_of_counts(counts: Mapping[float, float]) -> Sample:
    """The sample of units given as score → how many."""
    n = sum(counts.values())
    if not n:
        return Sample(0, 0.5, 0.0)
    mean = math.fsum(score * count for score, count in counts.items()) / n
    return Sample(int(n), mean, math.fsum(count * (score - mean) ** 2 for score, count in counts.items()) / n)


def elo(score: float) -> float:
    """The Elo difference of a score: −400·log₁₀(1/s − 1); infinite outside (0, 1)."""
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return 0.0 - 400 * math.log10(1 / score - 1)


def expected_score(difference: float) -> float:
    """The expected score at an Elo difference: 1/(1 + 10^(−E/400))."""
    return 1 / (1 + 10 ** (-difference / 400))


def score_error(sample: Sample) -> float:
    """The error bar of the score: z√(v/n)."""
    return Z_95 * sample.standard_error


def elo_error(sample: Sample) -> float:
    """The error bar of the Elo difference: half the distance between the ends of the score's; may be infinite."""
    error = score_error(sample)
    if error == 0:
        return 0.0
    return (elo(sample.mean + error) - elo(sample.mean - error)) / 2


def superiority(sample: Sample, *, bounded: bool = True) -> float:
    """The likelihood that A is stronger, by the model of `interval`; ½ when nothing is known.

    Student's distribution at (s − ½)/error, which for many pairs is Φ((s − ½)/√(v/n)).
    """
    if sample.n < 2:
        return 0.5
    mean, error = _estimate(sample, bounded)
    if error == 0:
        return 0.5 if mean == 0.5 else float(mean > 0.5)
    return student_cdf((mean - 0.5) / error, sample.n - 1)


def interval(sample: Sample, *, bounded: bool = True) -> tuple[float, float]:
    """The 95 % interval of the true score.

    `bounded` says that the units are plain pair scores: they are few values in [0, 1], so half an imaginary pair, as
    much lost as won, joins them. Luck-adjusted units are continuous and need only Student's quantile. The true score
    lies in [0, 1] in any case, and so does the interval. With fewer than two units it is [0, 1].
    """
    if sample.n < 2:
        return 0.0, 1.0
    mean, error = _estimate(sample, bounded)
    half = student_quantile(sample.n - 1) * error
    low, high = min(sample.mean, mean - half), max(sample.mean, mean + half)
    return min(max(low, 0.0), 1.0), max(min(high, 1.0), 0.0)


def _estimate(sample: Sample, bounded: bool) -> tuple[float, float]:
    """The mean and its standard error, with half an imaginary pair where the units are plain pair scores."""
    if not bounded:
        return sample.mean, math.sqrt(sample.variance / (sample.n - 1))
    n = sample.n + IMAGINARY_PAIRS
    mean = (sample.n * sample.mean + IMAGINARY_PAIRS / 2) / n
    squares = sample.n * (sample.variance + sample.mean**2) + IMAGINARY_PAIRS / 2
    return mean, math.sqrt(max(squares / n - mean**2, 0.0) / n)


def decisive_p_value(won: int, lost: int) -> float:
    """The exact two-sided probability of pairs as one-sided as these if the players are equal (binomial, ½)."""
    total = won + lost
    if total == 0:
        return 1.0
    tail = math.fsum(_binomial_half(total, k) for k in range(min(won, lost) + 1))
    return min(1.0, 2 * tail)


def _binomial_half(total: int, k: int) -> float:
    logarithm = math.lgamma(total + 1) - math.lgamma(k + 1) - math.lgamma(total - k + 1)
    return math.exp(logarithm - total * math.log(2))


def student_quantile(freedom: int) -> float:
    """The 97.5 % quantile of Student's distribution: exact for 1 and 2 degrees, else Cornish and Fisher's series."""
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
    """Student's distribution function: the finite series for whole degrees of freedom, the normal one for many."""
    if freedom > MANY_DEGREES:
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
