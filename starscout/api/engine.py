"""`starscout.engine`: a player of ours as a program that speaks a protocol."""

import os

from starscout.api.running import logged
from starscout.players.spec import make_player
from starscout.protocols.engine import serve_engine
from starscout.search.limits import Limit
from starscout.settings.arguments import checked


@checked()
def engine(
    spec: str,
    *,
    protocol: str = "lab",
    game: str | None = None,
    connect: str | None = None,
    token: str = "-",
    name: str | None = None,
    time: float | None = None,
    depth: int | None = None,
    nodes: int | None = None,
    simulations: int | None = None,
    log: str | os.PathLike[str] | None = None,
    front: bool = False,
) -> None:
    """Speak a protocol as an engine until the referee ends it: over standard input and output, or over TCP.

    `protocol` is lab, tcg-ewn, tcg-raw, otp, nboard or gtp; `game` is needed for tcg-raw (ewn-cyclic or kari), and for
    a game of your own over lab. `connect="HOST:PORT"` goes to a judge, which wants to hear its `token`. The limits hold
    where the protocol does not say any. `front`: this process only speaks, and a second one thinks. Raises
    GameError, and WorkError if the judge turns the engine away.

    >>> try:
    ...     engine("random", connect="nowhere")
    ... except GameError as error:
    ...     print(error)
    address: expected HOST:PORT such as 127.0.0.1:7122, got 'nowhere'
    """
    limit = Limit(time=time, depth=depth, nodes=nodes, simulations=simulations)
    with logged(log):
        serve_engine(
            spec,
            protocol,
            make_player,
            game=game,
            connect=connect,
            token=token,
            name=name,
            limit=None if limit == Limit() else limit,
            front=front,
        )
