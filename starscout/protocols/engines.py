"""Our players as engines: finds the protocol and the line, then serves until the other side has enough."""

from starscout import games
from starscout.game import GameError
from starscout.protocols.lab_engine import LabEngine
from starscout.protocols.nboard import NboardEngine
from starscout.protocols.otp import OtpEngine
from starscout.protocols.programs import ADAPTERS, check_game
from starscout.protocols.stopgap import StopgapThinker
from starscout.protocols.tcg_ewn import TcgEwnEngine
from starscout.protocols.tcg_raw import TcgRawEngine
from starscout.protocols.thinker import Chooser, Thinker
from starscout.protocols.wire import connect as connect_to
from starscout.protocols.wire import standard_wire
from starscout.search.limits import Limit


def serve(
    spec: str,
    protocol: str,
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
    if protocol not in ADAPTERS:
        raise GameError(f"there is no protocol {protocol!r} (known: {', '.join(ADAPTERS)})")
    about = ADAPTERS[protocol][2]
    rules = games.load(game or about[0]) if game or about else None
    if rules is not None:
        check_game(protocol, rules)
    if connect is not None and protocol not in ("lab", "otp"):
        raise GameError(f"{protocol} is spoken over standard input and output only, not over a connection")
    name = (name or spec).replace(" ", "_")
    thinker: Chooser = StopgapThinker(spec) if front else Thinker(spec)
    newlines = protocol != "tcg-raw" and not (protocol == "otp" and connect is not None)
    wire = standard_wire(newlines=newlines) if connect is None else connect_to(connect, newlines=newlines)
    match protocol:
        case "lab":
            LabEngine(Thinker(spec), wire, rules).serve(name, token if connect else None)
        case "tcg-ewn":
            TcgEwnEngine(thinker, wire, name, limit).serve()
        case "tcg-raw":
            assert rules is not None
            TcgRawEngine(thinker, wire, rules, limit).serve()
        case "otp":
            OtpEngine(thinker, wire, name, limit).serve()
        case "nboard":
            NboardEngine(thinker, wire, name, limit).serve()
    wire.close()
