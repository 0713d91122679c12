"""`starscout analyse GAME POSITION`: search a position with a player."""

from typing import Annotated, Unpack

from starscout.cli.output import print_result
from starscout.settings.schema import (
    GameName,
    Json,
    PositionText,
    SearchLimits,
    Seed,
    Setting,
    Tree,
    TreeDepth,
)


def command(
    game: GameName,
    position: PositionText,
    *,
    player: Annotated[str | None, Setting("Player that searches (default: the game's `strong` preset).")] = None,
    seed: Annotated[Seed, Setting("Random seed of a tree search.")] = 0,
    tree: Tree | None = None,
    tree_depth: TreeDepth = 2,
    json: Json = False,
    **limits: Unpack[SearchLimits],
) -> None:
    """Search a position and value every move.

    Prints the value for the side to move, the value of every move and the expected line. Without a limit the search
    takes one second.
    """
    import starscout

    state = starscout.parse(game, position)
    print_result(starscout.analyse(state, player, seed=seed, tree=tree, tree_depth=tree_depth, **limits), json)
