"""`starscout puzzle FILE`: the shortest solution of the single-player puzzle."""

from pathlib import Path
from typing import Annotated

import typer

from starscout.cli.support.output import console, print_result


def command(
    file: Annotated[Path, typer.Argument(help="`n m`, the board, `p`, the p dice, the wanted piece (0 = any).")],
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Print the number of moves, then a line `piece direction` for each; exit code 1 when there is no solution."""
    import starscout

    result = starscout.puzzle(file)
    if json or result.moves is not None:
        print_result(result, json)
    else:
        console(stderr=True).print(result)
    if result.moves is None:
        raise typer.Exit(1)
