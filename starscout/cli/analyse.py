"""`starscout analyse GAME POSITION`: the value, every move, the line."""

from json import dumps as json_text
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from starscout.cli.support.output import console, print_board, print_json

if TYPE_CHECKING:
    from starscout.players.analysis import Analysis
    from starscout.players.player import MoveReport, Player
    from starscout.state import State

DEFAULT_SECONDS = 1.0
TREE_FILES = (".dot", ".gv", ".json")


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
    from starscout import games
    from starscout import state as states
    from starscout.players.analysis import analyse
    from starscout.search.limits import Limit
    from starscout.spec import default_player, make_player

    rules = games.load(game)
    state = states.parse(rules, position)
    thinker = make_player(player or default_player(rules), rules)
    unlimited = depth is None and nodes is None and simulations is None
    limit = Limit(time=DEFAULT_SECONDS if unlimited and time is None else time, depth=depth, nodes=nodes,
                  simulations=simulations)  # fmt: skip
    try:
        thinker.new_game(rules, seed)
        began = perf_counter()
        analysis = analyse(thinker, state, limit)
        seconds = perf_counter() - began
        if tree is not None:
            _write_tree(thinker, state, tree, tree_depth)
    finally:
        thinker.close()
    if json:
        print_json(_fields(state, analysis, seconds))
    else:
        _print(state, analysis, seconds)


def _write_tree(player: "Player", state: "State", file: Path, depth: int) -> None:
    """Write the tree that `player` has just grown for `state`; raises GameError when there is none to write."""
    from starscout.game import GameError
    from starscout.search.mcts.export import tree_as_graphviz

    if file.suffix not in TREE_FILES:
        raise GameError(f"{file} is neither Graphviz nor JSON: its name must end with {', '.join(TREE_FILES)}")
    if state.needs_roll:
        raise GameError("a tree is written for a position after its roll: give the roll instead of -")
    tree = player.tree(depth)
    text = json_text(tree, indent=1) + "\n" if file.suffix == ".json" else tree_as_graphviz(tree)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise GameError(f"{file} cannot be written: {error.strerror}") from error


def _fields(state: "State", analysis: "Analysis", seconds: float) -> dict[str, Any]:
    name = state.game.format_move
    value, decision = analysis.value, analysis.decision
    fields: dict[str, Any] = {"value": value, "win_probability": None if value is None else (value + 1.0) / 2.0}
    if decision is None:
        fields["rolls"] = [
            {"roll": r.roll, "best": name(state.position, r.decision.move), "value": r.decision.value}
            for r in analysis.rolls
        ]
    else:
        fields["best"] = name(state.position, decision.move)
        fields["moves"] = [
            {"move": name(state.position, report.move), "value": report.value, "visits": report.visits}
            | ({} if report.interval is None else _sampled_fields(report))
            for report in decision.moves
        ]
    fields["pv"] = [] if decision is None else list(decision.line)
    return fields | {"depth": analysis.depth, "nodes": analysis.nodes, "seconds": seconds}


def _sampled_fields(report: "MoveReport") -> dict[str, Any]:
    return {"interval": report.interval, "proven": report.proven, "pruned": report.pruned}


def _print(state: "State", analysis: "Analysis", seconds: float) -> None:
    from rich.table import Table

    from starscout.players.analysis import line_text

    out = console()
    print_board(state)
    name = state.game.format_move
    table = Table(box=None, header_style="bold")
    decision = analysis.decision
    if decision is None:
        for heading in ("roll", "best", "value", "wins"):
            table.add_column(heading, justify="right")
        for report in analysis.rolls:
            best = name(state.position, report.decision.move)
            die = state.game.die(state.position, report.roll) or str(report.roll)
            table.add_row(die, best, *_value_texts(report.decision.value))
    else:
        visited = any(report.visits is not None for report in decision.moves)
        for heading in ("move", "value", "wins", *(["visits", "95 % interval", ""] if visited else [])):
            table.add_column(heading, justify="right")
        for report in sorted(decision.moves, key=lambda r: (-(r.visits or 0), -(r.value or 0.0))):
            visits = [f"{report.visits or 0:,}", _interval_text(report), _fate_text(report)] if visited else []
            table.add_row(name(state.position, report.move), *_value_texts(report.value), *visits)
    out.print()
    out.print(table)
    value, wins = _value_texts(analysis.value)
    mover = state.game.sides[state.mover]
    chosen = "" if decision is None else f" with {name(state.position, decision.move)}"
    out.print(f"\n{mover} wins {wins} (value {value}){chosen}")
    if decision is not None and decision.line:
        out.print(f"line: {line_text(state.game, decision.line)}", markup=False)
    depth = "" if analysis.depth is None else f"{analysis.depth} plies, "
    nodes = "" if analysis.nodes is None else f"{analysis.nodes:,} nodes, "
    out.print(f"{depth}{nodes}{seconds:.2f} s")


def _value_texts(value: float | None) -> tuple[str, str]:
    return ("?", "?") if value is None else (f"{value:+.4f}", f"{(value + 1.0) / 2.0:.1%}")


def _interval_text(report: "MoveReport") -> str:
    return "" if report.interval is None else f"{report.interval[0]:+.4f} … {report.interval[1]:+.4f}"


def _fate_text(report: "MoveReport") -> str:
    if report.proven:
        return "proven"
    return "" if report.pruned is None else f"pruned at {report.pruned:,}"
