"""`starscout solve GAME POSITION`: the exact value, or a clear no."""

from typing import Annotated

import typer

from starscout.cli.support.output import print_json, print_result


def command(
    game: Annotated[str, typer.Argument(help="A game by name, or a file like ./my_game.py.")],
    position: Annotated[str, typer.Argument(help="A position as text; `-` for the die: not rolled yet.")],
    wld: Annotated[bool, typer.Option("--wld", help="Othello: only who wins, which is quicker.")] = False,
    time: Annotated[float, typer.Option(min=0.0, help="Seconds after which the answer is no.")] = 30.0,
    threads: Annotated[int, typer.Option(min=1, max=64, help="Othello: threads that share the work.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Find the exact value of a position on a small board or late in a game; say no when that takes too long."""
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
