"""`starscout puzzle FILE`: find the shortest solution of the single-player puzzle."""

from typing import Annotated

import typer

from starscout.cli.output import print_result
from starscout.settings.schema import File, Json, Setting


def command(
    file: Annotated[File, Setting("A file with `n m`, the board, `p`, the p dice and the target piece (0 = any).")],
    *,
    json: Json = False,
) -> None:
    """Find the shortest solution of a puzzle.

    Prints the number of moves, then a line `piece direction` for each; exit code 1 if there is no solution.
    """
    import starscout

    result = starscout.puzzle(file)
    print_result(result, json, stderr=result.moves is None)
    if result.moves is None:
        raise typer.Exit(1)
