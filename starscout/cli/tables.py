"""`starscout tables build|check GAME`: exact tables of late positions."""

from enum import StrEnum
from typing import Annotated

import typer

from starscout.cli.support.output import console, print_json


class Action(StrEnum):
    """What to do with a table."""

    build = "build"
    check = "check"


def command(
    action: Annotated[Action, typer.Argument(help="Build a table, or check the one that is there.")],
    game: Annotated[str, typer.Argument(help="ewn, or another board and number of cubes like ewn-4x4-3.")],
    cubes: Annotated[
        int | None, typer.Option(help="The most cubes on the board (default: 4, or all if there are fewer).")
    ] = None,
    threads: Annotated[int | None, typer.Option(min=1, max=64, help="Threads that build (default: all cores).")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Build or check the exact table of all positions with few cubes; players and `solve` use it from then on."""
    import starscout

    result = starscout.tables(action.value, game, cubes=cubes, threads=threads)
    if json:
        print_json(result.json())
    else:
        console().print(result, soft_wrap=True)
