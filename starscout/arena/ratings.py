"""Ratings of many players: Bradley–Terry by maximum likelihood, intervals from the Fisher information.

Each meeting says: i scored `score` against j over `pairs` pairs, and a pair's score has variance `variance`. The model
says E[score] = 1/(1 + 10^(−(rᵢ−rⱼ)/400)). A weak prior (one imaginary drawn pair between every two players who met)
keeps the rating of a player who won everything finite. Ratings have mean 0.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy

from starscout.arena.statistics import Z_95

ELO_SCALE = 400 / math.log(10)
PRIOR_PAIRS = 1.0
MOST_STEPS = 100


@dataclass(frozen=True)
class MeetingScore:
    """Player `first` (a number) scored `score` on average against `second` over `pairs` pairs of this variance."""

    first: int
    second: int
    pairs: int
    score: float
    variance: float


@dataclass(frozen=True)
class Rating:
    """A rating in Elo and half the width of its 95 % interval (infinite for a player who met nobody)."""

    elo: float
    error: float


def bradley_terry(players: int, meetings: Sequence[MeetingScore]) -> list[Rating]:
    """The rating of each player. Groups that never met each other each have mean 0."""
    strength = numpy.zeros(players)
    for _ in range(MOST_STEPS):
        gradient, information, _ = _derivatives(players, meetings, strength)
        # The pseudo-inverse takes no step in a direction that no meeting determines.
        step = numpy.clip(numpy.linalg.pinv(information, hermitian=True) @ gradient, -2, 2)
        strength += step
        if numpy.abs(step).max(initial=0) < 1e-12:
            break
    _, information, score_variance = _derivatives(players, meetings, strength)
    inverse = numpy.linalg.pinv(information, hermitian=True)
    # The pairs' own variance, not the binomial's: shared dice make a pair far less noisy than two coin flips.
    covariance = inverse @ score_variance @ inverse
    met = {player for meeting in meetings if meeting.pairs for player in (meeting.first, meeting.second)}
    ratings = []
    for player in range(players):
        error = Z_95 * ELO_SCALE * math.sqrt(max(0.0, covariance[player, player]))
        ratings.append(Rating(float(strength[player]) * ELO_SCALE, error if player in met else math.inf))
    return ratings


def _derivatives(
    players: int, meetings: Sequence[MeetingScore], strength: numpy.ndarray
) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """The gradient of the log-likelihood, the information of the model, and the variance of the gradient."""
    gradient = numpy.zeros(players)
    information = numpy.zeros((players, players))
    spread = numpy.zeros((players, players))
    for meeting in meetings:
        if not meeting.pairs:
            continue
        i, j = meeting.first, meeting.second
        expected = 1 / (1 + math.exp(strength[j] - strength[i]))
        total = meeting.pairs + PRIOR_PAIRS
        score = (meeting.pairs * meeting.score + PRIOR_PAIRS / 2) / total
        # The imaginary pair is half lost and half won, as in `statistics.interval`.
        squares = meeting.pairs * (meeting.variance + meeting.score**2) + PRIOR_PAIRS / 2
        gradient[i] += total * (score - expected)
        gradient[j] -= total * (score - expected)
        for matrix, weight in (
            (information, total * expected * (1 - expected)),
            (spread, squares - total * score**2),
        ):
            matrix[i, i] += weight
            matrix[j, j] += weight
            matrix[i, j] -= weight
            matrix[j, i] -= weight
    return gradient, information, spread
