"""Elo: conversion between scores and logistic Elo differences."""

import math

from starscout.arena.statistics import Sample, score_error

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


def elo_error(sample: Sample) -> float:
    """Return the half-width of the score's error bar, converted to Elo; may be infinite."""
    error = score_error(sample)
    if error == 0:
        return 0.0
    return (elo(sample.mean + error) - elo(sample.mean - error)) / 2
