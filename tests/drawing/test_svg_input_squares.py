"""The squares to click for a move."""

from pathlib import Path

import pytest

import starscout
from starscout import games
from starscout.drawing.svg import input_squares
from starscout.game import state

pytestmark = pytest.mark.plain

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_squares_named_by_the_game() -> None:
    ewn = starscout.parse("ewn", "1..../...../...../...../....a r 1")
    assert [input_squares(ewn.game, ewn.position, move) for move in ewn.legal] == [(0, 1), (0, 5), (0, 6)]
    othello = starscout.start("othello")
    assert sorted(input_squares(othello.game, othello.position, move) for move in othello.legal) == [
        (19,),
        (26,),
        (37,),
        (44,),
    ]


def test_pass_has_no_squares() -> None:
    blocked = starscout.parse("othello", "OX" + "-" * 62 + " X")
    assert blocked.moves == ["pass"]
    assert input_squares(blocked.game, blocked.position, blocked.legal[0]) == ()


def test_squares_from_changed_cells() -> None:
    start = state.start(games.load(str(EXAMPLES / "connect_four.py")))
    assert [input_squares(start.game, start.position, move) for move in start.legal] == [
        (35 + column,) for column in range(7)
    ]


def test_every_move_of_the_dice_example_has_squares() -> None:
    start = state.start(games.load(str(EXAMPLES / "dice_race.py")))
    for roll in range(1, start.game.faces + 1):
        rolled = start.rolled(roll)
        shown = [input_squares(start.game, start.position, move) for move in rolled.legal]
        assert all(len(squares) in (1, 2) for squares in shown)
        assert len(set(shown)) == len(shown)
