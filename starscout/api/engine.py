"""`starscout.engine`: run a player as an engine behind a protocol."""

import os
from typing import Unpack

from starscout.api.running import logged
from starscout.players.spec import make_player
from starscout.protocols.engine import serve_engine
from starscout.search.limits import Limit
from starscout.settings.arguments import checked
from starscout.settings.schema import Log, SearchLimits


@checked
def engine(
    spec: str,
    *,
    protocol: str = "lab",
    game: str | None = None,
    connect: str | None = None,
    token: str | None = None,
    name: str | None = None,
    log: Log | None = None,
    front: bool = False,
    **limits: Unpack[SearchLimits],
) -> None:
    """Run a player as an engine until the referee ends it: over standard input and output, or over TCP.

    `protocol` is lab, tcg-ewn, tcg-raw, otp, nboard or gtp; `game` is needed for tcg-raw (ewn-cyclic or kari), and for
    a game of your own over lab. `connect="HOST:PORT"` connects to a judge, which expects its `token` (default: the
    environment variable STARSCOUT_TOKEN). The limits apply where the protocol sets none. With `front`, this process
    only handles the protocol and a second one searches. Raises GameError, and WorkError if the judge rejects the engine
    or the program behind it fails.

    >>> try:
    ...     engine("random", connect="nowhere")
    ... except GameError as error:
    ...     print(error)
    address: expected HOST:PORT such as 127.0.0.1:7122, got 'nowhere'
    """
    limit = Limit(**limits)
    with logged(log):
        serve_engine(
            spec,
            protocol,
            make_player,
            game=game,
            connect=connect,
            token=token or os.environ.get("STARSCOUT_TOKEN") or "-",
            name=name,
            limit=None if limit == Limit() else limit,
            front=front,
        )
