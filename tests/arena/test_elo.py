"""Elo conversions against known values."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starscout.arena.elo import elo, elo_error, expected_score
from starscout.arena.statistics import Sample, score_error


def test_elo_of_known_scores() -> None:
    assert elo(0.5) == 0
    assert elo(10 / 11) == pytest.approx(400, abs=1e-9)
    assert expected_score(400) == pytest.approx(10 / 11, abs=1e-15)
    assert elo(0) == -math.inf
    assert elo(1.2) == math.inf


@given(st.floats(min_value=-1200, max_value=1200))
def test_elo_and_score_are_inverse(difference: float) -> None:
    assert elo(expected_score(difference)) == pytest.approx(difference, abs=1e-6)


def test_elo_error_is_half_the_width_of_the_error_bar() -> None:
    sample = Sample(4, 0.5, 0.125)
    error = score_error(sample)
    assert elo_error(sample) == pytest.approx((elo(0.5 + error) - elo(0.5 - error)) / 2, abs=1e-12)
    assert elo_error(Sample(4, 0.5, 0.0)) == 0.0
