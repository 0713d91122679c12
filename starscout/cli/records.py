"""Commands for files of game records: replay, export."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from starscout.cli.output import print_result, standard_output
from starscout.settings.schema import File, GameFiles, Json, Setting


def replay(
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


def export(
    file: Annotated[File, Setting("A file of game records in any known format.")],
    *,
    form: Annotated[str, Setting("json, text, ggf or moves (Othello), server (ewn).", flags=("--format",))] = "json",
    game: GameFiles | None = None,
    output: Annotated[File | None, Setting("Write to this file instead of standard output.", metavar="FILE")] = None,
) -> None:
    """Convert game records to another format.

    Every game is checked.
    """
    import starscout

    text = starscout.export(file, form, game=game or (), output=output)
    if output is None:
        standard_output().write(text)
