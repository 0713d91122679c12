"""Files of game records: their format, the games in them, and what is wrong with those.

A record in one of the formats, or as text for people.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from starscout.game import GameError
from starscout.game.values import win_probability
from starscout.records import ewn_server, move_list
from starscout.records.ewn_server import write_server
from starscout.records.ggf import read_ggf, write_ggf
from starscout.records.json_lines import read_json_lines, write_json_line
from starscout.records.move_list import write_move_list
from starscout.records.record import GameRecord, RecordError

FORMATS = ("json", "text", "ggf", "moves", "server")


def write_record(record: GameRecord, form: str) -> str:
    """The record in one of FORMATS, with a line end; raises GameError if the format is for other games."""
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
    raise GameError(f"there is no format {form!r}: choose one of {', '.join(FORMATS)}")


def record_text(record: GameRecord) -> str:
    """A game for people: its players, every ply with its roll, time and value, and the result."""
    *states, last = record.states()
    sides = last.game.sides
    lines = [f"{record.game}: {record.players[0]} ({sides[0]}) – {record.players[1]} ({sides[1]})", record.start]
    for number, (state, ply) in enumerate(zip(states, record.plies, strict=True), 1):
        die = f"  die {ply.roll}" if ply.roll else ""
        value = "" if ply.value is None else f"  {win_probability(ply.value):4.0%}"
        time = f"  {ply.seconds:.2f} s" if ply.seconds else ""
        lines.append(f"{number:3}. {sides[state.mover]:5}{die}  {ply.text}{value}{time}".rstrip())
    winner = "nobody wins" if record.winner is None else f"{sides[record.winner]} wins"
    detail = f" ({record.detail})" if record.detail else ""
    return "\n".join([*lines, f"{winner}: {record.reason}{detail}", ""]) + "\n"


_BYTE_ORDER_MARK = "\ufeff"
"""What some editors write before the text."""

_COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"PK\x03\x04")
"""How files of gzip, bzip2, xz, zstd and zip begin."""


@dataclass(frozen=True)
class Fault:
    """A record that is not legal."""

    file: str
    line: int
    why: str


@dataclass(frozen=True)
class FileCheck:
    """The result of replaying the games of a file."""

    records: tuple[GameRecord, ...]
    """The legal ones."""
    faults: tuple[Fault, ...]

    @property
    def legal(self) -> int:
        """How many games are legal."""
        return len(self.records)

    @property
    def games(self) -> int:
        """How many games there are."""
        return len(self.records) + len(self.faults)


def read_records(path: Path) -> Iterator[GameRecord | RecordError]:
    """The games of a file in any known format, each a record or its error; raises GameError if no format fits."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        if error.object.startswith(_COMPRESSED):
            raise GameError(f"{path} is compressed: unpack it first") from error
        raise GameError(f"{path} is not a text file: byte {error.start} is not UTF-8") from error
    yield from read_records_of(text, str(path))


def read_records_of(text: str, name: str) -> Iterator[GameRecord | RecordError]:
    """The games of a text in any known format, as `read_records`; `name` is what the text is called in an error."""
    text = text.removeprefix(_BYTE_ORDER_MARK)
    yield from _reader(text, name)(text)


def load_records(path: Path) -> Iterator[GameRecord]:
    """The games of a file; raises RecordError at the first that is malformed or illegal."""
    for record in read_records(path):
        if isinstance(record, RecordError):
            raise record
        yield record


def check_file(path: Path) -> FileCheck:
    """Replay every game of a file."""
    records: list[GameRecord] = []
    faults: list[Fault] = []
    for read in read_records(path):
        if isinstance(read, RecordError):
            faults.append(Fault(str(path), read.line, read.why))
        else:
            records.append(read)
    return FileCheck(tuple(records), tuple(faults))


def _reader(text: str, name: str) -> Callable[[str], Iterator[GameRecord | RecordError]]:
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    if first.startswith("* "):
        return ewn_server.read_server
    if first.count("|") == 2:
        return ewn_server.read_compact
    if first.startswith("{"):
        return read_json_lines
    if first.startswith("(;"):
        return read_ggf
    if move_list.LINE.fullmatch(first):
        return move_list.read_move_lists
    raise GameError(f"{name} is not a game record in a known format; its first line is {first[:60]!r}")
