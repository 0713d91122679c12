"""Our players as engines: finds the protocol and the line, then serves until the other side has enough."""

from starscout.game import GameError
from starscout.protocols.lab_engine import LabEngine
from starscout.protocols.programs import ADAPTERS
from starscout.protocols.thinker import Thinker
from starscout.protocols.wire import connect as connect_to
from starscout.protocols.wire import standard_wire


def serve(spec: str, protocol: str, *, connect: str | None, token: str, name: str | None) -> None:
    """Play as `spec` over standard input and output, or over a connection to HOST:PORT."""
    if protocol not in ADAPTERS:
        raise GameError(f"there is no protocol {protocol!r} (known: {', '.join(ADAPTERS)})")
    thinker = Thinker(spec)
    wire = standard_wire() if connect is None else connect_to(connect, newlines=True)
    engine = LabEngine(thinker, wire)
    engine.serve(name or spec.replace(" ", "_"), token if connect else None)
