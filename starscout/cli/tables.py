"""`starscout tables build|check GAME`: build or check exact endgame tables."""

from enum import StrEnum
from typing import Annotated

from starscout.cli.output import print_result
from starscout.settings.schema import Cubes, Json, Setting, Threads


class Action(StrEnum):
    """What to do with a table."""

    build = "build"
    check = "check"


def command(
    action: Annotated[Action, Setting("Build a table, or check the existing one.")],
    game: Annotated[str, Setting("ewn, or another board and number of cubes such as ewn-4x4-3.")],
    *,
    cubes: Cubes | None = None,
    threads: Annotated[Threads | None, Setting("Number of threads (default: all cores).")] = None,
    json: Json = False,
) -> None:
    """Build or check exact endgame tables.

    A table holds all positions with few cubes; players and `solve` use it.
    """
    import starscout

    print_result(starscout.tables(action.value, game, cubes=cubes, threads=threads), json, soft_wrap=True)
