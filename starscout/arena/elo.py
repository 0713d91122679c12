"""Elo: conversion between scores and logistic Elo differences; normalised Elo."""

import math

from starscout.arena.statistics import Z_95, Sample

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
