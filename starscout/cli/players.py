"""`starscout players [GAME]`: presets and what they are."""

from typing import Annotated

import typer

from starscout.cli.output import console, print_json


def command(
    game: Annotated[str | None, typer.Argument(help="Only the players of this game.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """List the players that have a name, and the kinds of players that take options."""
    from starscout import games
    from starscout.players.spec import KINDS, presets

    rules = None if game is None else games.load(game)
    found = [preset for preset in presets() if rules is None or preset.fits(rules)]
    if json:
        rows = [{"name": p.name, "game": p.game, "description": p.description, "origin": p.origin} for p in found]
        print_json({"players": rows})
        return
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    for heading in ("name", "game", "what it is", "from", "the same as"):
        table.add_column(heading)
    for preset in sorted(found, key=lambda p: (p.game, p.name)):
        table.add_row(preset.name, preset.game, preset.description, preset.origin, preset.spec)
    console().print(table)
    console().print(f"\nKinds that take options: {', '.join(KINDS)}; programs: PROTOCOL:COMMAND", markup=False)
