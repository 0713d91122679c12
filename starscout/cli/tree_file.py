"""Writing the tree of a Monte-Carlo player to a file."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starscout.players.player import Player
    from starscout.state import State

SUFFIXES = (".dot", ".gv", ".json")


def write_tree(player: "Player", state: "State", file: Path, depth: int) -> None:
    """Write the tree that `player` has just grown for `state`; raises GameError when there is none to write."""
    from starscout.game import GameError
    from starscout.players.mcts import MonteCarloPlayer
    from starscout.search.mcts.export import tree_as_graphviz

    if file.suffix not in SUFFIXES:
        raise GameError(f"{file} is neither Graphviz nor JSON: its name must end with {', '.join(SUFFIXES)}")
    if not isinstance(player, MonteCarloPlayer):
        raise GameError(f"{player.name!r} grows no Monte-Carlo tree: choose a player of the kind mcts")
    if state.needs_roll:
        raise GameError("a tree is written for a position whose die lies: give the roll instead of -")
    tree = player.tree(depth)
    text = json.dumps(tree, indent=1) + "\n" if file.suffix == ".json" else tree_as_graphviz(tree)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise GameError(f"{file} cannot be written: {error.strerror}") from error
