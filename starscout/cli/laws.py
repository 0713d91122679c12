"""`starscout laws GAME`: does a game keep the laws that every search relies on?"""

from typing import Annotated

import typer

from starscout.cli.support.output import console, print_json, print_result


def command(
    game: Annotated[str, typer.Argument(help="A game, or a file like ./my_game.py.")],
    games: Annotated[int, typer.Option(help="How many random games to look through.", min=1)] = 20,
    seed: Annotated[int, typer.Option(help="Which random games.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Check the laws of a game along random games; exit code 1 when one is broken."""
    import starscout

    result = starscout.laws(game, games=games, seed=seed)
    if result.holds:
        print_result(result, json)
        return
    if json:
        print_json(result.json())
    else:
        console(stderr=True).print(result, soft_wrap=True)
    raise typer.Exit(1)
