"""Commands for this machine: bench, warm, cache."""

from typing import Annotated

from starscout.cli.output import print_result
from starscout.settings.schema import GameName, Json, Setting, Workers


def bench(*, quick: Annotated[bool, Setting("Take a tenth of the time.")] = False, json: Json = False) -> None:
    """Measure speed and compute the fingerprint.

    Measures perft and random games of every game. The fingerprint is the node count of a fixed set of searches.
    """
    import starscout

    print_result(starscout.bench(quick=quick), json)


def warm(
    game: Annotated[GameName | None, Setting("A game by name or file; default: all games.")] = None,
    players: Annotated[
        list[str] | None, Setting("Players, each in quotes; default: the presets.", metavar="SPEC…")
    ] = None,
    *,
    workers: Annotated[Workers | None, Setting("Processes that compile (default: one per core).", low=1)] = None,
    json: Json = False,
) -> None:
    """Compile kernels ahead of time.

    Caches every kernel that the players need, so that their first game starts immediately.
    """
    import starscout

    print_result(starscout.warm(game, *(players or ()), workers=workers), json)


def cache(*, clear: Annotated[bool, Setting("Delete all compiled kernels.")] = False, json: Json = False) -> None:
    """Show or clear the cache of compiled kernels."""
    import starscout

    print_result(starscout.cache(clear=clear), json, soft_wrap=True)
