"""`starscout perft GAME DEPTH`: how many leaves the game tree has at a depth."""

from time import perf_counter
from typing import Annotated

import typer

from starscout.cli.support.output import console, print_json, progress


def command(
    game: Annotated[str, typer.Argument(help="A game by name, or a file like ./my_game.py.")],
    depth: Annotated[int, typer.Argument(min=0, help="How many plies deep.")],
    position: Annotated[str | None, typer.Option(help="A position as text; default: the first start.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Count the leaves DEPTH plies below a position; a finished game is one leaf, every roll its own branch."""
    from starscout import games, state
    from starscout.perft import count_leaves, perft, perft_parts

    rules = games.load(game)
    root = state.parse(rules, position) if position is not None else state.start(rules)
    perft(rules, root.position, 0)  # compiles or loads before the clock starts
    began = perf_counter()
    nodes = 0
    with progress("counting leaves") as show:
        parts = perft_parts(rules, root.position, depth, root.roll)
        for finished, part in enumerate(parts, 1):
            nodes += count_leaves(rules, part)
            show(finished / len(parts))
    seconds = perf_counter() - began
    if json:
        print_json({"nodes": nodes, "seconds": seconds})
    else:
        console().print(f"{nodes:,} leaves {depth} plies below, {seconds:.3f} s, {nodes / seconds:,.0f} a second")
