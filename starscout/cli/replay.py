"""`starscout replay FILE…`: were these games played by the rules?"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from starscout.cli.support.command_options import Games, load_games
from starscout.cli.support.output import console, print_json


def command(
    files: Annotated[list[Path], typer.Argument(help="Files of game records.")],
    game: Games = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Replay recorded games and check every move; exit code 1 when one is illegal."""
    from starscout.records.files import check_file

    load_games(game)
    checks = [check_file(file) for file in files]
    games = sum(check.games for check in checks)
    legal = sum(check.legal for check in checks)
    faults = [fault for check in checks for fault in check.faults]
    if json:
        rows = [{"file": fault.file, "line": fault.line, "why": fault.why} for fault in faults]
        print_json({"games": games, "legal": legal, "illegal": rows})
    else:
        for fault in faults:
            print(f"{fault.file}:{fault.line}: {fault.why}", file=sys.stderr)
        console().print(f"{games:,} games, {legal:,} legal, {len(faults):,} not")
    if faults:
        raise typer.Exit(1)
