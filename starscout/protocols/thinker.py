"""Our player as an engine: made for the game it is asked to play, and warmed up before any clock runs."""

from collections.abc import Callable

from starscout.game import Game
from starscout.players.player import Decision, Player
from starscout.search.limits import Limit
from starscout.state import State, start

MakePlayer = Callable[[str, Game], Player]
"""A SPEC and a game → a player."""

_WARM_UP = Limit(time=0.05, depth=1, nodes=100, simulations=10)


class Thinker(Player):
    """The players that one SPEC describes, one for each game that is asked for."""

    def __init__(
        self, spec: str, make: MakePlayer, prepare: Callable[[str, Game], None] = lambda spec, game: None
    ) -> None:
        self.name = spec
        self._make = make
        self._prepare = prepare
        """Called before a player is made: what it needs can be compiled elsewhere."""
        self._players: dict[str, Player] = {}
        self._player: Player | None = None

    def new_game(self, game: Game, seed: int) -> None:
        """Be ready to answer in this game: everything is compiled when this returns."""
        player = self._players.get(game.name)
        if player is None:
            player = self._make(self.name, game)
            if player.local:
                self._prepare(self.name, game)
                player.new_game(game, seed)
                state = start(game)
                player.choose(state.rolled(1) if state.needs_roll else state, _WARM_UP)
            self._players[game.name] = player
        player.new_game(game, seed)
        self._player = player

    def begin(self, start: State, side: int) -> None:
        self._playing().begin(start, side)

    def choose(self, state: State, limit: Limit) -> Decision:
        return self._playing().choose(state, limit)

    def observe(self, state: State, move: int) -> None:
        self._playing().observe(state, move)

    def end(self, winner: int | None, reason: str, detail: str) -> None:
        self._playing().end(winner, reason, detail)

    def close(self) -> None:
        for player in self._players.values():
            player.close()

    def _playing(self) -> Player:
        assert self._player is not None, "new_game comes first"
        return self._player
