"""`starscout players [GAME]`: presets and what they are."""

from typing import Annotated

import typer

from starscout.cli.support.output import print_result


def command(
    game: Annotated[str | None, typer.Argument(help="Only the players of this game.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """List the players that have a name, and the kinds of players that take options."""
    import starscout

    print_result(starscout.list_players(game), json)
