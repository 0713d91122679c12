"""`starscout.player`: a description becomes a player."""

from typing import Any

from starscout import games
from starscout.game import Game
from starscout.players.player import Player
from starscout.players.python_class import class_spec
from starscout.spec import default_player, make_player


def player(spec: str | type[Any], game: str | Game) -> Player:
    """The player that a SPEC describes, or that a Python class is: `choose` asks it for a move. Raises GameError.

    >>> from starscout import Limit, start
    >>> state = start("ewn-3x3-3").rolled(2)
    >>> decision = player("negascout depth=2 eval=zero", "ewn-3x3-3").choose(state, Limit())
    >>> decision.move in state.legal
    True
    """
    rules = games.load(game) if isinstance(game, str) else game
    return make_player(spec if isinstance(spec, str) else class_spec(spec), rules)


def thinker(described: str | type[Any] | Player | None, game: Game) -> Player:
    """The player that was given or described; None: the strong player of the game."""
    if isinstance(described, Player):
        return described
    return player(described or default_player(game), game)
