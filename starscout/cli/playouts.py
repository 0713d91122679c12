"""`starscout playouts GAME`: random games by the clock."""

from typing import Annotated

import typer

from starscout.cli.support.output import print_result


def command(
    game: Annotated[str, typer.Argument(help="A game by name, or a file like ./my_game.py.")],
    seconds: Annotated[float, typer.Option(min=0.0, help="How long to play.")] = 1.0,
    threads: Annotated[int, typer.Option(min=1, max=1024, help="How many threads play.")] = 1,
    seed: Annotated[int, typer.Option(min=0, max=2**64 - 1, help="Numbers the sequence of games.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Play random games and say how many, how fast, how long they are and how often the first mover wins."""
    import starscout

    print_result(starscout.playouts(game, seconds=seconds, threads=threads, seed=seed), json)
