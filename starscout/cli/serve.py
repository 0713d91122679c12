"""`starscout serve`: the web page."""

import sys
from typing import Annotated

import typer

from starscout.cli.support.command_options import StoreFile

LARGEST_MESSAGE = 1_000_000
"""Bytes that a page may send at once."""


def command(
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0: any that is free.")] = 8017,
    host: Annotated[str, typer.Option(help="The address; any but a loopback one asks for a token.")] = "127.0.0.1",
    token: Annotated[str | None, typer.Option(help="What visitors must know; default: made where needed.")] = None,
    game: Annotated[list[str] | None, typer.Option("--game", metavar="FILE", help="A game file of yours.")] = None,
    player: Annotated[
        list[str] | None, typer.Option("--player", metavar="SPEC", help="A player or program that pages may choose.")
    ] = None,
    store: StoreFile = None,
) -> None:
    """Open a page to play, watch and analyse games: on this machine, or for a class with --host and a token."""
    import uvicorn

    from starscout.arena.store import default_path
    from starscout.cli.support.ending import leave_nobody_behind
    from starscout.web.gate import open_gate
    from starscout.web.server import build_application
    from starscout.web.sockets import lift_file_limit, listen

    leave_nobody_behind()
    gate = open_gate(host, token)
    application = build_application(gate, store or str(default_path()), game or (), player or ())
    lift_file_limit()
    socket = listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{socket.getsockname()[1]}/" + (f"?token={gate.token}" if gate.token else "")
    print(f"StarScout is at {address}   (Ctrl-C ends it)", file=sys.stderr, flush=True)
    config = uvicorn.Config(
        application, log_level="warning", ws="websockets-sansio", ws_max_size=LARGEST_MESSAGE, server_header=False,
        timeout_graceful_shutdown=2, lifespan="on",
    )  # fmt: skip
    uvicorn.Server(config).run(sockets=[socket])
