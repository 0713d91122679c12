"""`starscout solve GAME POSITION`: the exact value, or a clear no."""

from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from starscout.cli.support.output import console, print_board, print_json, progress

if TYPE_CHECKING:
    from starscout.endgame.othello import DiscSolution
    from starscout.state import State

DISCS, TABLE = "disc solver", "table"
TABLE_SECONDS = 1.0
"""How long a search may try to find the value to the last digit where a table has it to four digits."""


def command(
    game: Annotated[str, typer.Argument(help="A game by name, or a file like ./my_game.py.")],
    position: Annotated[str, typer.Argument(help="A position as text; `-` for the die: not rolled yet.")],
    wld: Annotated[bool, typer.Option("--wld", help="Othello: only who wins, which is quicker.")] = False,
    time: Annotated[float, typer.Option(min=0.0, help="Seconds after which the answer is no.")] = 30.0,
    threads: Annotated[int, typer.Option(min=1, max=64, help="Othello: threads that share the work.")] = 1,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Find the exact value of a position on a small board or late in a game; say no when that takes too long."""
    from starscout import games
    from starscout import state as states
    from starscout.game import GameError

    rules = games.load(game)
    state = states.parse(rules, position)
    if wld and rules.family != "othello":
        raise GameError(f"--wld is for Othello: the value of {rules.name} already says who wins")
    began = perf_counter()
    if state.over:
        answer = _finished(state)
    elif rules.family == "othello":
        answer = _by_discs(state, time, threads, wld=wld)
    else:
        answer = _by_search(state, time)
    answer["seconds"] = perf_counter() - began
    sentence = answer.pop("sentence")
    if json:
        print_json(answer)
    elif answer["exact"]:
        _print(state, answer)
    if not answer["exact"]:
        typer.echo(f"starscout: no: {sentence}", err=True)
        raise typer.Exit(1)


def _answer(value: float | None, best: str | None, method: str, nodes: int) -> dict[str, Any]:
    wins = None if value is None else (value + 1.0) / 2.0
    return {
        "value": value,
        "win_probability": wins,
        "best": best,
        "exact": value is not None,
        "method": method,
        "nodes": nodes,
        "sentence": "",
    }


def _finished(state: "State") -> dict[str, Any]:
    from starscout.endgame.othello import disc_difference

    answer = _answer(float(state.game.outcome(state.position)), None, "the game is over", 0)
    if state.game.family == "othello":
        answer |= {"discs": disc_difference(state.game, state.position), "pv": []}
    return answer


def _by_table(state: "State") -> dict[str, Any] | None:
    """The answer of a table that has the position; None if there is none."""
    from starscout.endgame.ewn import find_table, table_moves

    table = find_table(state.game)
    if table is None or not table.covers(state.position):
        return None
    if state.needs_roll:
        return _answer(table.value(state.position), None, TABLE, 1)
    values = table_moves(table, state.position, state.roll)
    best = max(values, key=lambda move: values[move])
    return _answer(values[best], state.game.format_move(state.position, best), TABLE, len(values))


def _by_search(state: "State", seconds: float) -> dict[str, Any]:
    """The answer of a search that reaches the end of every game; of a table where that takes too long."""
    from starscout import evaluate
    from starscout.search.solve import solve

    rules = state.game
    known = _by_table(state)
    if known is not None:
        seconds = min(seconds, TABLE_SECONDS)
    solution = solve(rules, evaluate.load(rules, "zero"), state.position, state.roll, seconds)
    if not solution.exact and known is not None:
        return known
    best = None if solution.best is None else rules.format_move(state.position, solution.best)
    return _answer(solution.value, best, "search", solution.nodes) | {
        "sentence": f"after {seconds:g} s and {solution.nodes:,} nodes the search is {solution.depth} plies deep and "
        "the game still not over (a smaller board, a later position or more --time may do)"
    }


def _by_discs(state: "State", seconds: float, threads: int, *, wld: bool) -> dict[str, Any]:
    from starscout.endgame.othello import OthelloSolver
    from starscout.search.stop import stop_after

    rules, position = state.game, state.position
    solver = OthelloSolver(rules, threads=threads)
    solver.compile()
    solver.begin()
    found, pv = None, []
    try:
        with progress("solving") as finished, stop_after(seconds, *solver.flags):
            for found in solver.solve(position, wld=wld):
                finished(found.finished)
            if found is not None and found.exact:
                pv = [*solver.line(position, found.lower)]
    except KeyboardInterrupt:
        if found is not None:
            typer.echo(f"{_bounds_text(state, found)} when it was interrupted", err=True)
        raise
    assert found is not None
    solved = found.exact or (wld and found.outcome is not None)
    best = None if found.best is None else rules.format_move(position, found.best)
    names = []
    for move in pv:
        names.append(rules.format_move(position, move))
        position = rules.play_position(position, move)
    answer = _answer(float(found.outcome or 0) if solved else None, best, DISCS, solver.nodes)
    answer |= {"discs": found.lower if found.exact else None, "pv": names}
    if not solved:
        answer["bounds"] = [found.lower, found.upper]
        answer["sentence"] = (
            f"after {seconds:g} s and {solver.nodes:,} nodes only this is proven: {_bounds_text(state, found)} "
            "(a later position, more --time, --threads 2 or --wld may do)"
        )
    return answer


def _bounds_text(state: "State", found: "DiscSolution") -> str:
    mover = state.game.sides[state.mover]
    best = "" if found.best is None else f", best so far {state.game.format_move(state.position, found.best)}"
    return f"{mover} ends between {found.lower:+d} and {found.upper:+d} discs{best}"


def _print(state: "State", answer: dict[str, Any]) -> None:
    out = console()
    print_board(state)
    value, best = answer["value"], answer["best"]
    chosen = f" with {best}" if best is not None else ""
    mover = state.game.sides[state.mover]
    if answer["method"] == DISCS:
        result = {1: f"{mover} wins", 0: "a draw", -1: f"{mover} loses"}[int(value)]
        discs = "" if answer["discs"] is None else f" by {answer['discs']:+d} discs"
        out.print(f"\n{result}{discs}{chosen}, exactly")
        if answer["pv"]:
            out.print(f"line: {' '.join(answer['pv'])}")
        out.print(f"{answer['nodes']:,} nodes, {answer['seconds']:.2f} s")
        return
    wins = answer["win_probability"]
    exact = f"{wins:.6%} (value {value:+.12f})" if answer["method"] != TABLE else f"{wins:.2%} (value {value:+.4f})"
    out.print(f"\n{mover} wins {exact}{chosen}, exactly, by {answer['method']}")
