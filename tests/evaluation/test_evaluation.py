"""Invariants of every evaluation, and `zero`."""

import pytest

from starscout import games
from starscout.evaluation import evaluation_names, load_evaluation
from starscout.evaluation.evaluation import Evaluation, no_order, zero
from starscout.game.values import ONE
from tests.search.search_positions import random_positions

pytestmark = pytest.mark.plain


@pytest.mark.parametrize(
    "game_name",
    [name if name == "ewn" else pytest.param(name, marks=pytest.mark.slow_compiled) for name in games.NAMES],
)
def test_evaluations_are_in_range_and_symmetric(game_name: str):
    game = games.load(game_name)
    for name in evaluation_names(game):
        evaluation = load_evaluation(game, name)
        for position in random_positions(game, 20, 20):
            value = int(evaluation.value(position))
            assert -ONE < value < ONE
            for symmetry in game.symmetries:
                other = int(evaluation.value(symmetry.position(position)))
                assert other == pytest.approx(value, abs=ONE * 1e-5), (name, symmetry.name)


def test_zero_is_zero():
    game = games.load("kari")
    nothing = zero()
    for position in random_positions(game, 5, 20):
        assert nothing.value(position) == 0
        assert {nothing.order(position, move) for move in game.legal(position, 1)} == {0}


def test_default_move_order_is_constant():
    assert Evaluation("flat", zero().evaluate).order is no_order
