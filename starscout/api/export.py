"""`starscout.export`: convert game records to another format."""

from pathlib import Path

from starscout.api.games import load_files
from starscout.records.files import load_records, write_record
from starscout.settings.arguments import checked
from starscout.settings.schema import File, GameFiles


@checked
def export(
    file: File,
    format: str = "json",
    *,
    game: GameFiles = (),
    output: File | None = None,
) -> str:
    """Convert and check the game records of a file: to `json`, `text`, `ggf`, `moves` (Othello) or `server` (ewn).

    `game` is a game file that the records refer to, or several. The text is also written to the file `output`. Raises
    GameError.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "games.txt")
    >>> _ = file.write_text("f5d6\\n")
    >>> print(export(file, "text"))
    othello: black (black) – white (white)
    ...
    1. black  f5
    2. white  d6
    ...
    """
    load_files(game)
    text = "".join(write_record(record, format) for record in load_records(Path(file)))
    if output is not None:
        Path(output).write_text(text, encoding="utf-8")
    return text
