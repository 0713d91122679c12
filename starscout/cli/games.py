"""`starscout games`: the games by name."""

from typing import Annotated

import typer

from starscout.cli.support.output import console, print_json


def command(json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False) -> None:
    """List the games."""
    from starscout import games

    known = [games.load(name) for name in games.NAMES]
    if json:
        rows = [
            {
                "name": g.name,
                "title": g.title,
                "board": f"{g.rows}x{g.columns}",
                "dice": g.dice,
                "description": g.description,
            }
            for g in known
        ]
        print_json({"games": rows})
        return
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    for heading in ("name", "title", "board", "dice", "description"):
        table.add_column(heading)
    for g in known:
        table.add_row(g.name, g.title, f"{g.rows}×{g.columns}", g.dice, g.description)
    console().print(table)
    console().print("\nOther sizes: ewn-4x4-3, othello-6x6. Your own: a file with a GAME in it, ./my_game.py")
