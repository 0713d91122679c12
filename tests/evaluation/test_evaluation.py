"""What every evaluation of every game has to keep, and `zero`."""

import pytest

from starscout import games
from starscout.evaluation import evaluation_names, load_evaluation
from starscout.evaluation.evaluation import Evaluation, no_order, zero
from starscout.game.values import ONE
from tests.search.search_positions import random_positions

pytestmark = pytest.mark.plain


@pytest.mark.parametrize("game_name", games.NAMES)
def test_every_evaluation_keeps_its_range_and_the_symmetries(game_name: str):
    game = games.load(game_name)
    for name in evaluation_names(game):
        evaluation = load_evaluation(game, name)
        for position in random_positions(game, 20, 20):
            value = int(evaluation.value(position))
            assert -ONE < value < ONE
            for symmetry in game.symmetries:
                other = int(evaluation.value(symmetry.position(position)))
                assert other == pytest.approx(value, abs=ONE * 1e-5), (name, symmetry.name)


def test_zero_knows_nothing():
    game = games.load("kari")
    nothing = zero()
    for position in random_positions(game, 5, 20):
        assert nothing.value(position) == 0
        assert {nothing.order(position, move) for move in game.legal(position, 1)} == {0}


def test_moves_have_no_order_unless_one_is_given():
    assert Evaluation("flat", zero().evaluate).order is no_order
