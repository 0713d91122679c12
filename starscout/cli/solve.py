"""`starscout solve GAME POSITION`: the exact value, or a clear no."""

from typing import Annotated

import typer

from starscout.cli.support.output import console, print_board, print_json

METHOD = "search"


def command(
    game: Annotated[str, typer.Argument(help="A game by name, or a file like ./my_game.py.")],
    position: Annotated[str, typer.Argument(help="A position as text; `-` for the die: not rolled yet.")],
    time: Annotated[float, typer.Option(min=0.0, help="Seconds after which the answer is no.")] = 30.0,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Find the exact value of a position on a small board or late in a game; say no when that takes too long."""
    from starscout import evaluate, games
    from starscout import state as states
    from starscout.search.solve import solve

    rules = games.load(game)
    state = states.parse(rules, position)
    if state.over:
        result = rules.outcome(state.position)
        value, best, method = float(result), None, "the game is over"
    else:
        solution = solve(rules, evaluate.load(rules, "zero"), state.position, state.roll, time)
        value, method = solution.value, METHOD
        best = None if solution.best is None else rules.format_move(state.position, solution.best)
        if value is None:
            sentence = (
                f"no: after {time:g} s and {solution.nodes:,} nodes the search is {solution.depth} plies deep and the "
                "game still not over (a smaller board, a later position or more --time may do)"
            )
            if json:
                print_json({"value": None, "win_probability": None, "best": None, "exact": False, "method": method})
            typer.echo(f"starscout: {sentence}", err=True)
            raise typer.Exit(1)
    if json:
        wins = (value + 1.0) / 2.0
        print_json({"value": value, "win_probability": wins, "best": best, "exact": True, "method": method})
        return
    out = console()
    print_board(state)
    chosen = f" with {best}" if best is not None else ""
    mover = rules.sides[state.mover]
    out.print(f"\n{mover} wins {(value + 1.0) / 2.0:.6%} (value {value:+.12f}){chosen}, exactly, by {method}")
