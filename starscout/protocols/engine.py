"""Our players as engines: finds the protocol and the line, then answers a referee.

Our player as an engine: made for the game it is asked to play, and warmed up before any clock runs.
"""

from collections.abc import Callable

from starscout import games
from starscout.game import Game, GameError
from starscout.game.state import State, start
from starscout.players.player import Decision, Player
from starscout.protocols.compile_ahead import warm_up
from starscout.protocols.fallback import FallbackEngine
from starscout.protocols.protocol import EngineSeat
from starscout.protocols.registry import check_game, find_protocol
from starscout.protocols.remote import READY
from starscout.protocols.wire import connect as connect_to
from starscout.protocols.wire import standard_wire
from starscout.search.limits import Limit

MakePlayer = Callable[[str, Game], Player]
"""A SPEC and a game → a player."""

_WARM_UP = Limit(time=0.05, depth=1, nodes=100, simulations=10)


class PlayerEngine(Player):
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
    """Play as `spec` over standard input and output, or over a connection to HOST:PORT; raises GameError.

    With `front` this process only speaks the protocol, and a second one thinks: see `fallback_move.py`.
    """
    spoken = find_protocol(protocol)
    rules = games.load(game or spoken.games[0]) if game or spoken.games else None
    if rules is not None:
        check_game(protocol, rules)
    if connect is not None and not spoken.connects:
        raise GameError(f"{protocol} is spoken over standard input and output only, not over a connection")
    thinker: Player
    if front and rules is not None:
        allowed = spoken.limit_of(rules).time or (limit.time if limit and limit.time else READY)
        thinker = FallbackEngine(spec, allowed)
    else:
        thinker = PlayerEngine(spec, make, *([warm_up] if spoken.process_per_game else []))
    if connect is None:
        wire = standard_wire(newlines=spoken.newlines)
    else:
        wire = connect_to(connect, newlines=spoken.newlines_over_tcp)
    introduction = token if connect is not None and spoken.token else None
    seat = EngineSeat((name or spec).replace(" ", "_"), limit, rules, introduction)
    spoken.engine(thinker, wire, seat).serve()
    wire.close()
