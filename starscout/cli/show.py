"""`starscout show GAME [POSITION]`: a position drawn."""

from typing import Annotated

import typer

from starscout.cli.support.output import print_result


def command(
    game: Annotated[str, typer.Argument(help="A game, or a file like ./my_game.py.")],
    position: Annotated[str | None, typer.Argument(help="A position as text; default: a start.")] = None,
    seed: Annotated[int, typer.Option(help="Which start, where a game has several.", min=0)] = 0,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Draw a position and list its moves."""
    import starscout

    state = starscout.start(game, seed) if position is None else starscout.parse(game, position)
    print_result(starscout.show(state), json)
