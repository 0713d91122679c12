"""Our player as an engine: makes it for the game it is asked to play, and warms it up before any clock runs."""

from collections.abc import Callable
from typing import Protocol

from starscout.game import Game
from starscout.players.player import Decision, Follower, Player
from starscout.players.spec import make_player
from starscout.search.limits import Limit
from starscout.state import State, start

_WARM_UP = Limit(time=0.05, depth=1, nodes=100, simulations=10)


class Chooser(Protocol):
    """What engines ask for moves."""

    spec: str

    def new_game(self, game: Game, seed: int) -> None:
        """A game begins."""
        ...

    def choose(self, state: State, limit: Limit) -> Decision:
        """A legal move."""
        ...

    def close(self) -> None:
        """Nothing is asked any more."""
        ...


class Thinker:
    """The players that one description gives, one for each game that is asked for."""

    def __init__(self, spec: str, make: Callable[[str, Game], Player] = make_player) -> None:
        self.spec = spec
        self._make = make
        self._players: dict[str, Player] = {}
        self._player: Player | None = None

    def new_game(self, game: Game, seed: int) -> None:
        """Be ready to answer in this game: everything is compiled when this returns."""
        player = self._players.get(game.name)
        if player is None:
            player = self._make(self.spec, game)
            if not isinstance(player, Follower):
                player.new_game(game, seed)
                state = start(game)
                player.choose(state.rolled(1) if state.needs_roll else state, _WARM_UP)
            self._players[game.name] = player
        player.new_game(game, seed)
        self._player = player

    def choose(self, state: State, limit: Limit) -> Decision:
        """The player's move; a game must have begun."""
        assert self._player is not None
        return self._player.choose(state, limit)

    @property
    def follower(self) -> Follower | None:
        """The player, if it is a program that wants to follow the whole game."""
        return self._player if isinstance(self._player, Follower) else None

    def close(self) -> None:
        for player in self._players.values():
            player.close()
