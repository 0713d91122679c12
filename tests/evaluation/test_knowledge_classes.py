"""The three classes of moves, in every game that sorts its moves."""

import pytest

from starscout import games
from starscout.evaluation import move_classes
from starscout.evaluation.knowledge import FIRST_CLASS, LAST_CLASS, ORDINARY
from starscout.game import GameError
from tests.search.search_positions import random_positions

pytestmark = pytest.mark.plain


@pytest.mark.slow_compiled
@pytest.mark.parametrize("name", games.NAMES)
def test_every_move_has_a_class(name: str):
    assert FIRST_CLASS > ORDINARY > LAST_CLASS
    game = games.load(name)
    classify = move_classes(game)
    assert classify is not None
    for position in random_positions(game, 10, 20):
        for roll in range(1, game.faces + 1):
            assert {int(classify(position, move)) for move in game.legal(position, roll)} <= {0, 1, 2}


def test_other_classes_have_a_name():
    with pytest.raises(GameError, match="kari has no move classes 'steps': it has captures"):
        move_classes(games.load("kari"), "steps")
    with pytest.raises(GameError, match="it has none with a name"):
        move_classes(games.load("othello"), "captures")
