"""Elo conversions against known values."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starscout.arena.elo import elo, elo_error, expected_score, normalised_elo
from starscout.arena.statistics import sample_of


def test_elo_of_known_scores() -> None:
    assert elo(0.5) == 0
    assert elo(10 / 11) == pytest.approx(400, abs=1e-9)
    assert expected_score(400) == pytest.approx(10 / 11, abs=1e-15)
    assert elo(0) == -math.inf
    assert elo(1.2) == math.inf


@given(st.floats(min_value=-1200, max_value=1200))
def test_elo_and_score_are_inverse(difference: float) -> None:
    assert elo(expected_score(difference)) == pytest.approx(difference, abs=1e-6)


def test_elo_error_is_half_the_width_of_the_interval() -> None:
    assert elo_error((expected_score(-30), expected_score(50))) == pytest.approx(40, abs=1e-9)
    assert elo_error((0.9, 1.0)) == math.inf


def test_normalised_elo_of_pairs_computed_by_hand() -> None:
    """Pairs 0, ½, ½: s = 1/3, v = 1/18, so (s − ½)/√(2v) = −1/2 and the error is z/√6, both times 800/ln 10."""
    found = normalised_elo(sample_of([0.0, 0.5, 0.5]))
    assert found is not None
    assert found[0] == pytest.approx(-400 / math.log(10), abs=1e-9)
    assert found[1] == pytest.approx(1.959964 / math.sqrt(6) * 800 / math.log(10), abs=1e-9)
    assert normalised_elo(sample_of([0.5, 0.5])) is None
    assert normalised_elo(sample_of([])) is None
