"""`starscout analyse GAME POSITION`: the value, every move, the line."""

from pathlib import Path
from typing import Annotated

import typer

from starscout.cli.support.output import print_result


def command(
    game: Annotated[str, typer.Argument(help="A game by name, or a file like ./my_game.py.")],
    position: Annotated[str, typer.Argument(help="A position as text; `-` for the die: not rolled yet.")],
    player: Annotated[str | None, typer.Option(help="Who thinks; default: the game's strong player.")] = None,
    depth: Annotated[
        int | None, typer.Option(min=1, help="Plies; a roll and its move are one (two layers of report 002).")
    ] = None,
    time: Annotated[float | None, typer.Option(min=0.0, help="Seconds; 1 if no limit is given.")] = None,
    nodes: Annotated[int | None, typer.Option(min=1, help="Positions.")] = None,
    simulations: Annotated[int | None, typer.Option(min=1, help="Random games of a tree search.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Repeats a tree search.")] = 0,
    tree: Annotated[
        Path | None, typer.Option(help="Write a Monte-Carlo tree to this file: Graphviz (.dot, .gv) or .json.")
    ] = None,
    tree_depth: Annotated[int, typer.Option(min=1, help="Plies of the written tree.")] = 2,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Let a player think about a position: the value for the side to move, every move, and the line it expects."""
    import starscout

    state = starscout.parse(game, position)
    limits = {"time": time, "depth": depth, "nodes": nodes, "simulations": simulations}
    print_result(starscout.analyse(state, player, **limits, seed=seed, tree=tree, tree_depth=tree_depth), json)
