"""`starscout.replay`: replay recorded games and check every move.

`starscout.export`: convert game records to another format.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starscout.api.games import load_files
from starscout.api.result import Result
from starscout.records.files import RecordProblem, check_file, load_records, write_record
from starscout.records.record import GameRecord
from starscout.settings.arguments import checked
from starscout.settings.schema import File, GameFiles

if TYPE_CHECKING:
    from rich.console import RenderableType


@checked
def export(
    file: File,
    format: str = "json",
    *,
    game: GameFiles = (),
    output: File | None = None,
) -> str:
    """Convert and check the game records of a file.

    `format` is `json`, `text`, `ggf` or `moves` (Othello), `server` (ewn) or `mat` (backgammon). `game` is
    a game file that the records refer to, or several. The text is also written to the file `output`. Raises GameError.

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


@dataclass(frozen=True)
class ReplayResult(Result):
    """The number of legal games, the errors in the others, and the legal records.

    >>> ReplayResult(games=3, legal=2, illegal=()).legal
    2
    """

    games: int
    legal: int
    illegal: tuple[RecordProblem, ...]
    """File, line and reason for each illegal game."""
    records: tuple[GameRecord, ...] = field(default=(), repr=False)
    """The legal games."""

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout replay --json`."""
        return {"games": self.games, "legal": self.legal, "illegal": self.rows()}

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per illegal game."""
        return [dict(vars(problem)) for problem in self.illegal]

    def __rich__(self) -> "RenderableType":
        return f"{self.games:,} games, {self.legal:,} legal, {len(self.illegal):,} illegal"


@checked
def replay(*files: File, game: GameFiles = ()) -> ReplayResult:
    """Replay the games of files in any known format, and check every move.

    `game` is a game file that the records refer to, or several. Raises GameError for an unknown file format.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "games.txt")
    >>> _ = file.write_text("f5d6c3d3c4\\nf5f5\\n")
    >>> checked = replay(file)
    >>> checked.games, checked.legal, checked.illegal[0].line
    (2, 1, 2)
    >>> [ply.text for ply in checked.records[0].plies]
    ['f5', 'd6', 'c3', 'd3', 'c4']
    """
    load_files(game)
    checks = [check_file(Path(file)) for file in files]
    problems = tuple(problem for check in checks for problem in check.problems)
    records = tuple(record for check in checks for record in check.records)
    return ReplayResult(len(records) + len(problems), len(records), problems, records)
