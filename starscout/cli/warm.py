"""`starscout warm [GAME] [SPEC…]`: compile kernels ahead of time."""

from typing import Annotated

from starscout.cli.output import print_result
from starscout.settings.schema import GameName, Json, Setting, Workers


def command(
    game: Annotated[GameName | None, Setting("A game by name or file; default: all games.")] = None,
    players: Annotated[
        list[str] | None, Setting("Players, each in quotes; default: the presets.", metavar="SPEC…")
    ] = None,
    *,
    workers: Annotated[Workers | None, Setting("Processes that compile (default: one per core).", low=1)] = None,
    json: Json = False,
) -> None:
    """Compile kernels ahead of time.

    Caches every kernel that the players need, so that their first game starts at once.
    """
    import starscout

    print_result(starscout.warm(game, *(players or ()), workers=workers), json)
