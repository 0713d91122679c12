"""`starscout perft GAME DEPTH`: how many leaves the game tree has at a depth."""

from typing import Annotated

import typer

from starscout.cli.support.output import print_result


def command(
    game: Annotated[str, typer.Argument(help="A game by name, or a file like ./my_game.py.")],
    depth: Annotated[int, typer.Argument(min=0, help="How many plies deep.")],
    position: Annotated[str | None, typer.Option(help="A position as text; default: the first start.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Count the leaves DEPTH plies below a position; a finished game is one leaf, every roll its own branch."""
    import starscout

    root = starscout.start(game) if position is None else starscout.parse(game, position)
    print_result(starscout.perft(root, depth), json)
