"""The margins of ProbCut: their formula, and the tables that a search reads."""

import math

import pytest

from starscout.games.othello.selective import LEAST_DEPTH, ErrorModel, check_depth, fitted_model, margins


def test_a_check_is_shallower_and_has_the_same_parity():
    assert [check_depth(depth) for depth in range(3, 13)] == [1, 2, 3, 2, 3, 4, 5, 4, 5, 6]
    assert all(check_depth(depth) < depth and (depth - check_depth(depth)) % 2 == 0 for depth in range(3, 61))


def test_the_formula():
    model = ErrorModel(constant=0.5, shallow=-0.1, deep=0.05, empty=0.01, solved=0.2)
    assert model.deviation(8, 30) == pytest.approx(math.exp(0.5 - 0.4 + 0.4 + 0.3))
    assert model.deviation(14, 14) == pytest.approx(math.exp(0.5 - 0.6 + 0.7 + 0.14 + 0.2))


def test_margin_tables():
    model = fitted_model()
    checks, found = margins(model, 2.0, 32, 60)
    assert checks[30, 8] == 4
    assert found[30, 8] == round(2.0 * 32 * model.deviation(8, 30))
    assert not found[:, :LEAST_DEPTH].any()


def test_shipped_margins_are_plausible():
    for depth in range(3, 15):
        assert 0.5 < fitted_model().deviation(depth, 30) < 20.0
