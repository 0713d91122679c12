"""`starscout perft GAME DEPTH`: count the leaves of the game tree at a depth."""

from typing import Annotated

from starscout.cli.output import print_result
from starscout.settings.schema import Depth, GameName, Json, PositionText, Setting


def command(
    game: GameName,
    depth: Annotated[Depth, Setting("Depth in plies.", low=0)],
    *,
    position: Annotated[PositionText | None, Setting("A position as text; default: the first start position.")] = None,
    json: Json = False,
) -> None:
    """Count the leaves of the game tree.

    Counts the leaves DEPTH plies below a position; a finished game is one leaf, and every roll is a separate branch.
    """
    import starscout

    root = starscout.start(game) if position is None else starscout.parse(game, position)
    print_result(starscout.perft(root, depth), json)
