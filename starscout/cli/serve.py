"""`starscout serve`: serve the web page."""

from typing import Annotated

from starscout.cli.interrupt import kill_child_processes
from starscout.settings.schema import Host, Port, Setting, StoreFile, Token


def serve(
    *,
    port: Port = 8017,
    host: Annotated[Host, Setting("Address to listen on; a non-loopback address requires a token.")] = "127.0.0.1",
    token: Token | None = None,
    game: Annotated[list[str] | None, Setting("A game file to offer.", metavar="FILE")] = None,
    player: Annotated[list[str] | None, Setting("A player or program to offer.", metavar="SPEC")] = None,
    store: StoreFile | None = None,
) -> None:
    """Serve the web page.

    Players can play, watch and analyse games: on this machine, or in a class with --host and a token.
    """
    import starscout

    kill_child_processes()
    starscout.serve(port=port, host=host, token=token, game=game or (), player=player or (), store=store)
