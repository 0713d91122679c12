"""`starscout tables build|check GAME`: exact tables of late positions."""

from enum import StrEnum
from time import perf_counter
from typing import Annotated

import typer

from starscout.cli.support.output import console, print_json, progress


class Action(StrEnum):
    """What to do with a table."""

    build = "build"
    check = "check"


def command(
    action: Annotated[Action, typer.Argument(help="Build a table, or check the one that is there.")],
    game: Annotated[str, typer.Argument(help="ewn, or another board and number of cubes like ewn-4x4-3.")],
    cubes: Annotated[
        int | None, typer.Option(help="The most cubes on the board (default: 4, or all if there are fewer).")
    ] = None,
    threads: Annotated[int | None, typer.Option(min=1, max=64, help="Threads that build (default: all cores).")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Build or check the exact table of all positions with few cubes; players and `solve` use it from then on."""
    from os import cpu_count

    from starscout import games
    from starscout.endgame.ewn import DEFAULT_CUBES, build_table, check_cubes, open_table, table_path
    from starscout.endgame.table_check import first_wrong_value
    from starscout.game import WorkError

    rules = games.load(game)
    most = min(DEFAULT_CUBES, 2 * rules.faces) if cubes is None else cubes
    check_cubes(rules, most)
    began = perf_counter()
    if action is Action.build:
        with progress("building") as show:
            for finished in build_table(rules, most, threads or cpu_count() or 1):
                show(finished)
    table = open_table(rules, most, thorough=True)
    path = table_path(rules, most)
    remedy = f"starscout tables build {game} --cubes {most}"
    if table is None:
        what = "is damaged" if path.exists() else "does not exist"
        raise WorkError(f"the table {path} {what}: {remedy}")
    wrong = first_wrong_value(table)
    if wrong is not None:
        raise WorkError(f"the table {path} has a wrong value for {wrong!r}: {remedy}")
    classes, seconds = table.classes(), perf_counter() - began
    size = path.stat().st_size
    if json:
        rows = [
            {"own": part.own, "enemy": part.enemy, "positions": part.positions, "sum": part.sum} for part in classes
        ]
        print_json({"classes": rows, "bytes": size, "seconds": seconds})
        return
    from rich.table import Table

    shown = Table(box=None, header_style="bold")
    for heading in ("mover's cubes", "enemy's", "positions", "sum of chances", "mean chance"):
        shown.add_column(heading, justify="right")
    for part in classes:
        mean = part.sum / part.positions
        shown.add_row(str(part.own), str(part.enemy), f"{part.positions:,}", f"{part.sum:,.2f}", f"{mean:.4f}")
    out = console()
    out.print(shown)
    out.print(f"\n{path}: {size / 1e6:,.1f} MB, {seconds:.1f} s", soft_wrap=True)
