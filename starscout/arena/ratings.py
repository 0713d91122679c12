"""Bradley–Terry ratings by maximum likelihood, with intervals from the Fisher information.

In each meeting, player i scored `score` against player j over `pairs` pairs whose scores have variance `variance`. The
model is E[score] = 1/(1 + 10^(−(rᵢ−rⱼ)/400)). A weak prior (half a pair, lost and won in equal parts, between any two
players who met) keeps the rating of a player with a perfect score finite. Ratings have mean 0. The intervals use
Student's t distribution, with one degree of freedom per pair that a player has played, less one per opponent.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy

from starscout.arena.elo import ELO_SCALE
from starscout.arena.statistics import HALF_A_PAIR, student_quantile

MAX_ITERATIONS = 100


@dataclass(frozen=True)
class MeetingScore:
    """Mean score of player number `first` against `second`, and the variance of a pair."""

    first: int
    second: int
    pairs: int
    score: float
    variance: float


@dataclass(frozen=True)
class Rating:
    """A rating in Elo with the half-width of its 95 % interval (infinite without opponents)."""

    elo: float
    error: float


def bradley_terry(players: int, meetings: Sequence[MeetingScore]) -> list[Rating]:
    """Return the rating of each player. Each connected group of players has mean 0."""
    strength = numpy.zeros(players)
    for _ in range(MAX_ITERATIONS):
        gradient, information, _ = _derivatives(players, meetings, strength)
        # The pseudo-inverse takes no step in directions that no meeting determines.
        step = numpy.clip(numpy.linalg.pinv(information, hermitian=True) @ gradient, -2, 2)
        strength += step
        if numpy.abs(step).max(initial=0) < 1e-12:
            break
    _, information, score_variance = _derivatives(players, meetings, strength)
    inverse = numpy.linalg.pinv(information, hermitian=True)
    # Use the observed variance: with shared dice it is far below the binomial one.
    covariance = inverse @ score_variance @ inverse
    ratings = []
    for player in range(players):
        played = [meeting.pairs for meeting in meetings if meeting.pairs and player in (meeting.first, meeting.second)]
        error = math.inf
        if played:
            quantile = student_quantile(max(1, sum(played) - len(played)))
            error = quantile * ELO_SCALE * math.sqrt(max(0.0, covariance[player, player]))
        ratings.append(Rating(float(strength[player]) * ELO_SCALE, error))
    return ratings


def _derivatives(
    players: int, meetings: Sequence[MeetingScore], strength: numpy.ndarray
) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """Return gradient of the log-likelihood, Fisher information, and gradient variance."""
    gradient = numpy.zeros(players)
    information = numpy.zeros((players, players))
    spread = numpy.zeros((players, players))
    for meeting in meetings:
        if not meeting.pairs:
            continue
        i, j = meeting.first, meeting.second
        expected = 1 / (1 + math.exp(strength[j] - strength[i]))
        prior = HALF_A_PAIR.weight
        total = meeting.pairs + prior
        score = (meeting.pairs * meeting.score + prior / 2) / total
        # The prior pair is half lost and half won, as in `statistics.confidence_interval`.
        squares = meeting.pairs * (meeting.variance + meeting.score**2) + prior / 2
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
