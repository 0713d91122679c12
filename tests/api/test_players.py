"""`starscout.player`: players from SPECs and classes."""

from typing import Any

import numpy
import pytest

import starscout
from starscout.api.players import player_object
from starscout.search.limits import Limit


class Last:
    def choose(self, state, limit):
        return state.moves[-1]


def test_specs_and_classes_are_players() -> None:
    state = starscout.parse("ewn-3x3-3", "12./3.a/.cb r 2")
    for described in ("random", Last):
        assert starscout.player(described, "ewn-3x3-3").choose(state, Limit()).move in state.legal
    assert starscout.player(Last, state.game).choose(state, Limit()).move == state.legal[-1]


def test_default_player() -> None:
    game = starscout.load("ewn-3x3-3")
    given = starscout.player("random", game)
    assert player_object(given, game) is given
    assert player_object(None, game).name == "strong"


@pytest.mark.parametrize("wrong", [0, [], numpy.zeros(2)])
def test_other_objects_are_no_players(wrong: Any) -> None:
    with pytest.raises(starscout.GameError, match="player: expected a SPEC or a class"):
        player_object(wrong, starscout.load("ewn-3x3-3"))
