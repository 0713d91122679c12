"""`starscout replay FILE…`: replay recorded games and check every move."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from starscout.cli.output import print_result
from starscout.settings.schema import GameFiles, Json, Setting


def command(
    files: Annotated[list[Path], Setting("Files of game records.")],
    *,
    game: GameFiles | None = None,
    json: Json = False,
) -> None:
    """Replay recorded games and check every move.

    Exit code 1 if a game is illegal.
    """
    import starscout

    result = starscout.replay(*files, game=game or ())
    if not json:
        for fault in result.illegal:
            print(f"{fault.file}:{fault.line}: {fault.why}", file=sys.stderr)
    print_result(result, json)
    if result.illegal:
        raise typer.Exit(1)
