"""`starscout serve`: serve the web page."""

from typing import Annotated

from starscout.cli.interrupt import kill_child_processes
from starscout.settings.schema import Host, Port, Setting, StoreFile, Token


def command(
    *,
    port: Port = 8017,
    host: Annotated[Host, Setting("Address to listen on; a non-loopback address requires a token.")] = "127.0.0.1",
    token: Token | None = None,
    game: Annotated[list[str], Setting("A game file to offer.", metavar="FILE")] | None = None,
    player: Annotated[list[str], Setting("A player or program to offer.", metavar="SPEC")] | None = None,
    store: StoreFile | None = None,
) -> None:
    """Serve a page to play, watch and analyse games, on this machine, or for a class with --host and a token."""
    import starscout

    kill_child_processes()
    starscout.serve(port=port, host=host, token=token, game=game or (), player=player or (), store=store)
