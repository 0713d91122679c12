"""`starscout warm [GAME] [SPEC…]`: compiles ahead what games and players need."""

from typing import Annotated

import typer

from starscout.cli.support.output import print_result


def command(
    game: Annotated[str | None, typer.Argument(help="A game by name, or a file; default: all the games.")] = None,
    players: Annotated[
        list[str] | None, typer.Argument(metavar="SPEC…", help="Players, each in quotes; default: the game's presets.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes that compile (default: one per core).")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Compile ahead, so that no first game waits: every kernel that these players need goes to the cache."""
    import starscout

    print_result(starscout.warm(game, *(players or ()), workers=workers), json)
