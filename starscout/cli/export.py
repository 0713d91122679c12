"""`starscout export FILE --format F`: game records in another format."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from starscout.cli.support.command_options import Games, load_games


def command(
    file: Annotated[Path, typer.Argument(help="A file of game records in any known format.")],
    form: Annotated[str, typer.Option("--format", help="json, text, ggf or moves (Othello), server (ewn).")] = "json",
    game: Games = None,
    output: Annotated[Path | None, typer.Option(help="Write here instead of to standard output.")] = None,
) -> None:
    """Convert game records; every game is checked on the way."""
    from starscout.records.convert import write_record
    from starscout.records.files import load_records

    load_games(game)
    text = "".join(write_record(record, form) for record in load_records(file))
    if output is None:
        sys.stdout.write(text)
    else:
        output.write_text(text, encoding="utf-8")
