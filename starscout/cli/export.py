"""`starscout export FILE --format F`: game records in another format."""

from pathlib import Path
from typing import Annotated

import typer

from starscout.cli.support.command_options import Games
from starscout.cli.support.output import standard_output


def command(
    file: Annotated[Path, typer.Argument(help="A file of game records in any known format.")],
    form: Annotated[str, typer.Option("--format", help="json, text, ggf or moves (Othello), server (ewn).")] = "json",
    game: Games = None,
    output: Annotated[Path | None, typer.Option(help="Write here instead of to standard output.")] = None,
) -> None:
    """Convert game records; every game is checked on the way."""
    import starscout

    text = starscout.export(file, form, game=game or (), output=output)
    if output is None:
        standard_output().write(text)
