"""`starscout replay FILE…`: were these games played by the rules?"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from starscout.cli.support.command_options import Games
from starscout.cli.support.output import print_result


def command(
    files: Annotated[list[Path], typer.Argument(help="Files of game records.")],
    game: Games = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Replay recorded games and check every move; exit code 1 when one is illegal."""
    import starscout

    result = starscout.replay(*files, game=game or ())
    if not json:
        for fault in result.illegal:
            print(f"{fault.file}:{fault.line}: {fault.why}", file=sys.stderr)
    print_result(result, json)
    if result.illegal:
        raise typer.Exit(1)
