"""`starscout games`: the games by name."""

from typing import Annotated

import typer

from starscout.cli.support.output import print_result


def command(json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False) -> None:
    """List the games."""
    import starscout

    print_result(starscout.list_games(), json)
