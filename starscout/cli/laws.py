"""`starscout laws GAME`: check the invariants that every search depends on."""

from typing import Annotated

import typer

from starscout.cli.output import print_result
from starscout.settings.schema import GameName, Games, Json, Seed, Setting


def command(
    game: GameName,
    *,
    games: Annotated[Games, Setting("Number of random games to check.")] = 20,
    seed: Annotated[Seed, Setting("Random seed of the games.")] = 0,
    json: Json = False,
) -> None:
    """Check the laws of a game in random games.

    Every search depends on these laws. Exit code 1 if one is violated.
    """
    import starscout

    result = starscout.laws(game, games=games, seed=seed)
    print_result(result, json, stderr=not result.holds, soft_wrap=not result.holds)
    if not result.holds:
        raise typer.Exit(1)
