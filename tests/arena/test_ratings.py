"""Bradley–Terry ratings: known strengths are recovered, intervals have nominal coverage."""

import math

import numpy
import pytest

from starscout.arena.elo import expected_score
from starscout.arena.ratings import MeetingScore, bradley_terry


def exact_meetings(strengths: list[float], pairs: int) -> list[MeetingScore]:
    """Return meetings of all players with expected scores and independent games."""
    meetings = []
    for i in range(len(strengths)):
        for j in range(i):
            score = expected_score(strengths[i] - strengths[j])
            meetings.append(MeetingScore(i, j, pairs, score, score * (1 - score) / 2))
    return meetings


def test_exact_scores_recover_the_strengths() -> None:
    strengths = [120.0, 30.0, -50.0, -100.0]
    ratings = bradley_terry(4, exact_meetings(strengths, 1_000_000))
    assert [r.elo for r in ratings] == pytest.approx(strengths, abs=0.01)
    assert all(r.error < 1 for r in ratings)


def test_two_players_agree_with_the_plain_elo() -> None:
    ratings = bradley_terry(2, [MeetingScore(0, 1, 100_000, expected_score(80), 0.1)])
    assert ratings[0].elo - ratings[1].elo == pytest.approx(80, abs=0.05)


def test_perfect_score_is_finite_and_no_opponents_means_infinite_error() -> None:
    ratings = bradley_terry(3, [MeetingScore(0, 1, 20, 1.0, 0.0)])
    assert 100 < ratings[0].elo < 1000
    assert math.isfinite(ratings[0].error)
    assert ratings[2].elo == 0
    assert ratings[2].error == math.inf


def test_interval_of_a_player_who_wins_nearly_all_games_covers_enough() -> None:
    """800 Elo above all others, 20 pairs per meeting: with a prior of a whole pair, coverage was 70 %."""
    generator = numpy.random.default_rng(13)
    strengths = [600.0, -200.0, -200.0, -200.0]
    covered, tournaments = 0, 300
    for _ in range(tournaments):
        meetings = []
        for i, j in ((1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2)):
            pairs = generator.binomial(2, expected_score(strengths[i] - strengths[j]), size=20) / 2
            meetings.append(MeetingScore(i, j, 20, float(pairs.mean()), float(pairs.var())))
        covered += abs(bradley_terry(4, meetings)[0].elo - 600) <= bradley_terry(4, meetings)[0].error
    assert covered / tournaments >= 0.84


def test_intervals_cover_true_ratings() -> None:
    generator = numpy.random.default_rng(11)
    strengths = [60.0, 20.0, 0.0, -80.0]
    covered, tournaments = 0, 400
    for _ in range(tournaments):
        meetings = []
        for i in range(4):
            for j in range(i):
                score = expected_score(strengths[i] - strengths[j])
                pairs = generator.binomial(2, score, size=60) / 2
                meetings.append(MeetingScore(i, j, 60, float(pairs.mean()), float(pairs.var())))
        ratings = bradley_terry(4, meetings)
        covered += sum(abs(r.elo - s) <= r.error for r, s in zip(ratings, strengths, strict=True))
    assert 0.93 <= covered / (4 * tournaments) <= 0.97
