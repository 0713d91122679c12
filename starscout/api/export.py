"""`starscout.export`: game records in another format."""

import os
from collections.abc import Sequence
from pathlib import Path

from starscout.api.positions import load_files
from starscout.records.files import load_records, write_record
from starscout.settings.arguments import checked


@checked()
def export(
    file: str | os.PathLike[str],
    format: str = "json",
    *,
    game: str | Sequence[str] = (),
    output: str | os.PathLike[str] | None = None,
) -> str:
    """The game records of a file as `json`, `text`, `ggf`, `moves` (Othello) or `server` (ewn); every game is checked.

    Records name their game; `game` is the file of your own game, or several files. `output` writes the text to a file
    too. Raises GameError.

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
