"""Files of game records: which format a file has, and what is wrong in it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from starscout.game import GameError
from starscout.records import ewn_server, move_list
from starscout.records.ggf import read_ggf
from starscout.records.json_lines import read_json_lines
from starscout.records.recorded import RecordedGame, RecordError, replay


@dataclass(frozen=True)
class Fault:
    """A record that is not legal."""

    file: str
    line: int
    why: str


@dataclass(frozen=True)
class FileCheck:
    """What replaying the games of a file found."""

    games: int
    legal: int
    faults: tuple[Fault, ...]


def read_games(path: Path) -> Iterator[RecordedGame]:
    """The games of a file in any known format; raises RecordError, or GameError where no format fits."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise GameError(f"{path} is no text file (byte {error.start})") from error
    yield from _reader(text, path)(text)


def check_file(path: Path) -> FileCheck:
    """Replay every game of a file."""
    games, faults = 0, []
    reader = read_games(path)
    while True:
        try:
            recorded = next(reader, None)
        except RecordError as error:
            # The reader cannot go on behind a line that it does not understand.
            faults.append(Fault(str(path), error.line, error.why))
            games += 1
            break
        if recorded is None:
            break
        games += 1
        try:
            replay(recorded)
        except RecordError as error:
            faults.append(Fault(str(path), error.line, error.why))
    return FileCheck(games, games - len(faults), tuple(faults))


def _reader(text: str, path: Path) -> Callable[[str], Iterator[RecordedGame]]:
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
    raise GameError(f"{path} holds no game record of a known format; its first line is {first[:60]!r}")
