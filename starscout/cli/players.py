"""`starscout players [GAME]`: presets and what they are."""

from typing import Annotated

import typer

from starscout.cli.support.output import console, print_json


def command(
    game: Annotated[str | None, typer.Argument(help="Only the players of this game.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """List the players that have a name, and the kinds of players that take options."""
    from starscout import games
    from starscout.spec import KINDS, all_presets, general_presets, presets_of

    if game is None:
        found = all_presets()
    else:
        rules = games.load(game)
        general = general_presets()
        found = [("*" if preset in general else rules.family or rules.name, preset) for preset in presets_of(rules)]
    if json:
        rows = [{"name": p.name, "game": name, "description": p.description, "origin": p.origin} for name, p in found]
        print_json({"players": rows})
        return
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    for heading in ("name", "game", "what it is", "from", "the same as"):
        table.add_column(heading)
    for name, preset in sorted(found, key=lambda row: (row[0], row[1].name)):
        table.add_row(preset.name, name, preset.description, preset.origin, preset.spec)
    console().print(table)
    console().print(f"\nKinds that take options: {', '.join(KINDS)}; programs: PROTOCOL:COMMAND")
