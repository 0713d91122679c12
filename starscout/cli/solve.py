"""`starscout solve GAME POSITION`: compute the exact value of a position."""

from typing import Annotated

import typer

from starscout.cli.output import print_json, print_result
from starscout.settings.schema import GameName, Json, PositionText, Setting, Threads, Time


def command(
    game: GameName,
    position: PositionText,
    *,
    wld: Annotated[bool, Setting("Othello: compute only win, loss or draw, which is faster.")] = False,
    time: Annotated[Time, Setting("Give up after this many seconds.", low=0.0)] = 30.0,
    threads: Annotated[Threads, Setting("Othello: number of threads.")] = 1,
    json: Json = False,
) -> None:
    """Compute the exact value of a position.

    For small boards and late positions; exit code 1 if it takes too long.
    """
    import starscout

    try:
        solution = starscout.solve(starscout.parse(game, position), wld=wld, time=time, threads=threads)
    except starscout.Interrupted as stop:
        typer.echo(f"{stop.result.proven()} when it was interrupted", err=True)
        raise
    if solution.exact:
        print_result(solution, json)
        return
    if json:
        print_json(solution.json())
    typer.echo(f"starscout: {solution.sentence()}", err=True)
    raise typer.Exit(1)
