"""Players as engines: serve a player to a referee over any protocol."""

from collections.abc import Callable

from starscout import games
from starscout.game import Game, GameError, WorkError
from starscout.game.state import State, start
from starscout.players.player import Decision, Player, PlayerError
from starscout.protocols.compile_ahead import warm_up
from starscout.protocols.connection import connect as connect_to
from starscout.protocols.connection import standard_streams
from starscout.protocols.fallback import FallbackEngine
from starscout.protocols.protocol import EngineSettings
from starscout.protocols.registry import check_game, find_protocol
from starscout.protocols.remote_player import READY
from starscout.search.limits import Limit

MakePlayer = Callable[[str, Game], Player]
"""Creates the player of a SPEC for a game."""

_WARM_UP = Limit(time=0.05, depth=1, nodes=100, simulations=10)


class PlayerEngine(Player):
    """The player of a SPEC, created and warmed up for each game that a referee asks for."""

    def __init__(
        self, spec: str, make: MakePlayer, prepare: Callable[[str, Game], None] = lambda spec, game: None
    ) -> None:
        self.name = spec
        self._make = make
        self._prepare = prepare
        """Called before a player is created, to compile its kernels in another process."""
        self._players: dict[str, Player] = {}
        self._player: Player | None = None

    def new_game(self, game: Game, seed: int) -> None:
        """Prepare for a game; all kernels are compiled when this returns."""
        player = self._players.get(game.name)
        if player is None:
            player = self._make(self.name, game)
            if player.local:
                self._prepare(self.name, game)
                if player.rehearses:
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


def serve_engine(
    spec: str,
    protocol: str,
    make: MakePlayer,
    *,
    game: str | None = None,
    connect: str | None = None,
    token: str = "-",
    name: str | None = None,
    limit: Limit | None = None,
    front: bool = False,
) -> None:
    """Serve `spec` over standard streams, or over TCP to HOST:PORT; raises GameError.

    With `front` this process only handles the protocol, and a second one searches: see `fallback.py`.
    """
    chosen = find_protocol(protocol)
    rules = games.load(game or chosen.games[0]) if game or chosen.games else None
    if rules is not None:
        check_game(protocol, rules)
    if connect is not None and not chosen.connects:
        raise GameError(f"{protocol} works only over standard input and output, not over TCP")
    player: Player
    if front and rules is not None:
        allowed = chosen.limit_of(rules).time or (limit.time if limit and limit.time else READY)
        player = FallbackEngine(spec, allowed)
    else:
        player = PlayerEngine(spec, make, *([warm_up] if chosen.process_per_game else []))
    if connect is None:
        connection = standard_streams(newlines=chosen.newlines)
    else:
        connection = connect_to(connect, newlines=chosen.newlines_over_tcp)
    login = token if connect is not None and chosen.token else None
    settings = EngineSettings((name or spec).replace(" ", "_"), limit, rules, login)
    try:
        chosen.engine(player, connection, settings).serve()
    except PlayerError as error:
        # A program behind this engine has failed.
        raise WorkError(str(error)) from error
    connection.close()
