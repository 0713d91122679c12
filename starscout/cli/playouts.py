"""`starscout playouts GAME`: play random games and measure their rate."""

from typing import Annotated

from starscout.cli.output import print_result
from starscout.settings.schema import GameName, Json, Seconds, Seed, Setting, Threads


def command(
    game: GameName,
    *,
    seconds: Seconds = 1.0,
    threads: Threads = 1,
    seed: Annotated[Seed, Setting("Random seed of the games.")] = 0,
    json: Json = False,
) -> None:
    """Play random games and measure their rate.

    Prints number, rate and mean length of the games, and the share won by the first mover.
    """
    import starscout

    print_result(starscout.playouts(game, seconds=seconds, threads=threads, seed=seed), json)
