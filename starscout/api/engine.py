"""`starscout.engine`: a player as an engine behind a protocol; `starscout.course_referee`: a course's program."""

import os
from typing import Unpack

from starscout import games
from starscout.api.running import logged
from starscout.game import GameError
from starscout.players.spec import make_player
from starscout.protocols.connection import standard_streams
from starscout.protocols.engine import serve_engine
from starscout.protocols.registry import PROTOCOLS
from starscout.search.limits import Limit
from starscout.settings.arguments import checked
from starscout.settings.schema import GameName, Log, SearchLimits, Seed


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

    `protocol` is lab, tcg-ewn, tcg-raw, tcg-dark, otp, nboard or gtp; `game` is needed for tcg-raw (ewn-cyclic or
    kari), for tcg-dark (dark-chess or a variant), and for a game of your own over lab. `connect="HOST:PORT"` connects
    to a judge, which expects its `token` (default: the environment variable STARSCOUT_TOKEN). The limits apply where
    the protocol sets none. With `front`, this process only handles the protocol and a second one searches. Raises
    GameError, and WorkError if the judge rejects the engine or the program behind it fails.

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


@checked
def course_referee(game: GameName, *, seed: Seed | None = None, log: Log | None = None) -> None:
    """Answer the commands of a course's match script over standard input and output, in place of its referee program.

    `seed` makes the hidden pieces reproducible. Raises GameError for a game whose course has no such program.

    >>> try:
    ...     course_referee("othello")
    ... except GameError as error:
    ...     print(error)
    no referee program for othello: only for dark-chess, dark-chess-reset, dark-chess-open
    """
    name = games.load(game).name
    known = {name: protocol for protocol in PROTOCOLS.values() if protocol.referee for name in protocol.games}
    if name not in known:
        raise GameError(f"no referee program for {name}: only for {', '.join(known)}")
    make = known[name].referee
    assert make is not None
    with logged(log):
        make(seed).serve(standard_streams())
