"""The three classes of moves, in every game that sorts its moves."""

import pytest

from starscout import evaluate, games
from starscout.evaluate.classes import FIRST_CLASS, LAST_CLASS, ORDINARY
from tests.search.search_positions import random_positions

pytestmark = pytest.mark.plain


@pytest.mark.parametrize("name", games.NAMES)
def test_every_move_has_one_of_the_three(name: str):
    assert FIRST_CLASS > ORDINARY > LAST_CLASS
    game = games.load(name)
    classify = evaluate.move_classes(game)
    assert classify is not None
    for position in random_positions(game, 10, 20):
        for roll in range(1, game.faces + 1):
            assert {int(classify(position, move)) for move in game.legal(position, roll)} <= {0, 1, 2}
