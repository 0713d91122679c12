"""Our players as engines: finds the protocol and the line, then answers a referee."""

from starscout import games
from starscout.game import GameError
from starscout.players.player import Player
from starscout.protocols.protocol import EngineSeat
from starscout.protocols.registry import check_game, find_protocol
from starscout.protocols.remote import READY
from starscout.protocols.stopgap import StopgapThinker
from starscout.protocols.thinker import MakePlayer, Thinker
from starscout.protocols.warming import warm_up
from starscout.protocols.wire import connect as connect_to
from starscout.protocols.wire import standard_wire
from starscout.search.limits import Limit


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

    With `front` this process only speaks the protocol, and a second one thinks: see `stopgap.py`.
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
        thinker = StopgapThinker(spec, allowed)
    else:
        thinker = Thinker(spec, make, *([warm_up] if spoken.process_per_game else []))
    if connect is None:
        wire = standard_wire(newlines=spoken.newlines)
    else:
        wire = connect_to(connect, newlines=spoken.newlines_over_tcp)
    introduction = token if connect is not None and spoken.token else None
    seat = EngineSeat((name or spec).replace(" ", "_"), limit, rules, introduction)
    spoken.engine(thinker, wire, seat).serve()
    wire.close()
