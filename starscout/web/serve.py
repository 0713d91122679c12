"""`starscout.serve`: the web page."""

import logging
import os
import sys
from collections.abc import Sequence

import uvicorn

from starscout.arena.store import default_path
from starscout.settings.arguments import checked
from starscout.settings.schema import Host, Port, Store, Token
from starscout.web.gate import open_gate
from starscout.web.server import build_application
from starscout.web.sockets import lift_file_limit, listen

LARGEST_MESSAGE = 1_000_000
"""Bytes that a page may send at once."""


@checked
def serve(
    *,
    port: Port = 8017,
    host: Host = "127.0.0.1",
    token: Token | None = None,
    game: Sequence[str] = (),
    player: Sequence[str] = (),
    store: Store | None = None,
) -> None:
    """Open a page to play, watch and analyse games, until Ctrl-C; the address is printed on standard error.

    Port 0 takes any free one. A `host` that other machines reach asks visitors for a `token`, and one is made where
    none is given. `game` are game files and `player` descriptions of players that the page offers beside ours.
    Raises GameError.

    >>> try:
    ...     serve(port=0, player=["nobody"])
    ... except GameError as error:
    ...     print(error)
    the player 'nobody' plays none of the games of this server: ...
    """
    gate = open_gate(host, token)
    kept = os.fspath(store) if store is not None else str(default_path())
    application = build_application(gate, kept, game, player)
    lift_file_limit()
    socket = listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{socket.getsockname()[1]}/" + (f"?token={gate.token}" if gate.token else "")
    print(f"StarScout is at {address}   (Ctrl-C ends it)", file=sys.stderr, flush=True)
    config = uvicorn.Config(
        application, log_level="warning", ws="websockets-sansio", ws_max_size=LARGEST_MESSAGE, server_header=False,
        timeout_graceful_shutdown=2, lifespan="on",
    )  # fmt: skip
    logging.getLogger("uvicorn.error").addFilter(_worth_a_word)
    uvicorn.Server(config).run(sockets=[socket])


def _worth_a_word(record: logging.LogRecord) -> bool:
    """False for a page's text that is not UTF-8: its connection is closed, and nobody here can do anything about it."""
    return record.exc_info is None or not isinstance(record.exc_info[1], UnicodeDecodeError)
