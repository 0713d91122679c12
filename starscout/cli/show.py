"""`starscout show GAME [POSITION]`: draw a position."""

from typing import Annotated

from starscout.cli.output import print_result
from starscout.settings.schema import GameName, Json, PositionText, Seed, Setting


def command(
    game: GameName,
    position: Annotated[PositionText | None, Setting("A position as text; default: a start position.")] = None,
    *,
    seed: Annotated[Seed, Setting("Selects a start position if the game has several.")] = 0,
    json: Json = False,
) -> None:
    """Draw a position and list its moves."""
    import starscout

    state = starscout.start(game, seed) if position is None else starscout.parse(game, position)
    print_result(starscout.show(state), json)
