"""Elo: conversion between scores and logistic Elo differences; normalised Elo."""

import math
from collections.abc import Mapping

from starscout.arena.statistics import Z_95, Sample, student_quantile

ELO_SCALE = 400 / math.log(10)
"""Elo points per unit of log-odds."""


def elo(score: float) -> float:
    """Return the Elo difference of a score: −400·log₁₀(1/s − 1); infinite outside (0, 1)."""
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return 0.0 - 400 * math.log10(1 / score - 1)


def expected_score(difference: float) -> float:
    """Return the expected score at an Elo difference: 1/(1 + 10^(−E/400))."""
    return 1 / (1 + 10 ** (-difference / 400))


def elo_error(interval: tuple[float, float]) -> float:
    """Return half the width, in Elo, of an interval of scores; may be infinite."""
    return (elo(interval[1]) - elo(interval[0])) / 2


def normalised_elo(sample: Sample) -> tuple[float, float] | None:
    """Return the normalised Elo of pairs, and the half-width of its error bar; None if all pairs are equal.

    As in fastchess: (s − ½)/√(2v) · 800/ln 10. √(2v) is the standard deviation of a game whose results are independent
    within a pair. The error bar takes v as known: z/√(2n) · 800/ln 10.
    """
    if sample.variance == 0:
        return None
    scale = 2 * ELO_SCALE
    return (sample.mean - 0.5) / math.sqrt(2 * sample.variance) * scale, Z_95 / math.sqrt(2 * sample.n) * scale


def normalised_elo_interval(counts: Mapping[float, float]) -> tuple[float, float]:
    """Return the 95 % confidence interval of the normalised Elo of pairs, given as score → count; may be infinite.

    Unlike fastchess's error bar, it takes into account that v is estimated. The delta method gives the variance of
    t = (s − ½)/√(2v) from the third and fourth moments, with a prior of one pair, lost and won in equal parts. The
    interval is Student's in the angle arctan t, whose variance hardly depends on t.
    """
    pairs = sum(counts.values())
    if pairs < 2:
        return -math.inf, math.inf
    filled = {**dict.fromkeys((0.0, 1.0), 0.0), **counts}
    weights = {score: (count + (0.5 if score in (0.0, 1.0) else 0.0)) / (pairs + 1) for score, count in filled.items()}
    mean = math.fsum(score * weight for score, weight in weights.items())
    second, third, fourth = (
        math.fsum(weight * (score - mean) ** power for score, weight in weights.items()) for power in (2, 3, 4)
    )
    effect = (mean - 0.5) / math.sqrt(second)
    variance = 1 - effect * third / second**1.5 + effect**2 * (fourth / second**2 - 1) / 4
    tangent = effect / math.sqrt(2)
    error = math.sqrt(max(variance, 0.0) / (2 * (pairs + 1))) / (1 + tangent**2)
    half = student_quantile(math.ceil(pairs) - 1) * error
    low, high = (math.atan(tangent) + side * half for side in (-1, 1))
    scale = 2 * ELO_SCALE
    return (
        scale * math.tan(low) if low > -math.pi / 2 else -math.inf,
        scale * math.tan(high) if high < math.pi / 2 else math.inf,
    )
