"""Files of game records: format detection, reading, checking and writing."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from starscout.errors import naming_file
from starscout.game import GameError
from starscout.records import dark_boards, ewn_server, mat, move_list, table
from starscout.records.ewn_server import write_server
from starscout.records.ggf import read_ggf, write_ggf
from starscout.records.json_lines import read_json_lines, write_json_line
from starscout.records.move_list import write_move_list
from starscout.records.record import GameRecord, RecordError, record_text

FORMATS = ("json", "text", "ggf", "moves", "server", "mat")


def write_record(record: GameRecord, form: str) -> str:
    """Format a record in one of FORMATS; raises GameError if the game is not supported."""
    match form:
        case "json":
            return write_json_line(record)
        case "text":
            return record_text(record)
        case "ggf":
            return write_ggf(record) + "\n"
        case "moves":
            return write_move_list(record) + "\n"
        case "server":
            return write_server(record)
        case "mat":
            return mat.write_mat(record)
    raise GameError(f"format: expected one of {', '.join(FORMATS)}, got {form!r}")


_BYTE_ORDER_MARK = "\ufeff"
"""Some editors write it at the beginning of a file."""

_COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"PK\x03\x04")
"""Magic numbers of gzip, bzip2, xz, zstd and zip."""


@dataclass(frozen=True)
class RecordProblem:
    """A record that is malformed or breaks the rules."""

    file: str
    line: int
    why: str


@dataclass(frozen=True)
class FileCheck:
    """The result of replaying the games of a file."""

    records: tuple[GameRecord, ...]
    """The legal games."""
    problems: tuple[RecordProblem, ...]

    @property
    def legal(self) -> int:
        """Number of legal games."""
        return len(self.records)

    @property
    def games(self) -> int:
        """Number of games."""
        return len(self.records) + len(self.problems)


def read_records(path: Path) -> Iterator[GameRecord | RecordError]:
    """Read a file in any known format; yields records and errors. Raises GameError."""
    if path.suffix == ".parquet":
        yield from table.read_parquet(path)
        return
    try:
        with naming_file(path):
            text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        if error.object.startswith(_COMPRESSED):
            raise GameError(f"{path} is compressed: unpack it first") from error
        raise GameError(f"{path} is not a text file: invalid UTF-8 at byte {error.start}") from error
    yield from read_records_of(text, str(path))


def read_records_of(text: str, name: str) -> Iterator[GameRecord | RecordError]:
    """Read a text like `read_records`; `name` identifies the text in error messages."""
    text = text.removeprefix(_BYTE_ORDER_MARK)
    yield from _reader(text, name)(text)


def load_records(path: Path) -> Iterator[GameRecord]:
    """Read the games of a file; raises RecordError at the first malformed or illegal game."""
    for record in read_records(path):
        if isinstance(record, RecordError):
            raise record
        yield record


def check_file(path: Path) -> FileCheck:
    """Replay every game of a file."""
    records: list[GameRecord] = []
    problems: list[RecordProblem] = []
    for read in read_records(path):
        if isinstance(read, RecordError):
            problems.append(RecordProblem(str(path), read.line, read.why))
        else:
            records.append(read)
    return FileCheck(tuple(records), tuple(problems))


def _reader(text: str, name: str) -> Callable[[str], Iterator[GameRecord | RecordError]]:
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    if first.startswith("* "):
        return ewn_server.read_server
    if first.count("|") == 2:
        return ewn_server.read_compact
    if dark_boards.is_replay(text):
        return dark_boards.read_replay
    if first.startswith("{"):
        return read_json_lines
    if table.is_header(first):
        return table.read_csv
    if first.startswith("(;"):
        return read_ggf
    if mat.HEADER.fullmatch(first) or first.startswith(";"):
        return mat.read_mat
    if move_list.LINE.fullmatch(first):
        return move_list.read_move_lists
    raise GameError(f"{name}: unknown record format; the first line is {first[:60]!r}")
