"""`starscout serve`: the web page."""

from typing import Annotated

import typer

from starscout.cli.support.command_options import StoreFile


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
    import starscout
    from starscout.cli.support.ending import kill_child_processes

    kill_child_processes()
    starscout.serve(port=port, host=host, token=token, game=game or (), player=player or (), store=store)
