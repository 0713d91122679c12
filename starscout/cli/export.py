"""`starscout export FILE --format F`: convert game records to another format."""

from typing import Annotated

from starscout.cli.output import standard_output
from starscout.settings.schema import File, GameFiles, Setting


def command(
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
