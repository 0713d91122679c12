"""`starscout players [GAME]`: presets and what they are."""

from typing import Annotated

import typer

from starscout.cli.output import console, print_json


def command(
    game: Annotated[str | None, typer.Argument(help="Only the players of this game.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """List the players that have a name, and the kinds of players that take options."""
    from starscout import evaluate, games
    from starscout.players.spec import EVERY_GAME, KINDS, all_presets, general_presets

    if game is None:
        found = all_presets()
    else:
        rules = games.load(game)
        found = [(EVERY_GAME, p) for p in general_presets()]
        found += [(rules.family or rules.name, p) for p in evaluate.presets(rules)]
    if json:
        rows = [{"name": p.name, "game": of, "description": p.description, "origin": p.origin} for of, p in found]
        print_json({"players": rows})
        return
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    for heading in ("name", "game", "what it is", "from", "the same as"):
        table.add_column(heading)
    for of, preset in sorted(found, key=lambda pair: (pair[0], pair[1].name)):
        table.add_row(preset.name, of, preset.description, preset.origin, preset.spec)
    console().print(table)
    console().print(f"\nKinds that take options: {', '.join(KINDS)}; programs: PROTOCOL:COMMAND", markup=False)
