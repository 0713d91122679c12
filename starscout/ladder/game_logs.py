"""Logs of games: the last lines of an engine that forfeited, kept for its owner and the teacher.

A log contains the lines of the engine and the messages of the referee, but nothing from its opponent.
"""

import contextlib
from pathlib import Path

from starscout.arena.pair import PairRecord
from starscout.errors import printable
from starscout.ladder.configuration import Folder
from starscout.ladder.league import Assignment

TAIL = 16 << 10
"""Maximum bytes to keep of an engine's log."""
MAX_FILES = 5_000
_READ = 1 << 20


class GameLogs:
    """The folder of the logs."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder.logs

    def raw(self, item: Assignment) -> Path:
        """The log of a pair in progress."""
        return self._folder / f"{item.number}.raw"

    def keep(self, item: Assignment, record: PairRecord) -> None:
        """Keep the last lines of the engines that forfeited, and remove the rest."""
        raw = self.raw(item)
        forfeiters = {name for half in range(len(record.scores)) for name in record.forfeiters(half)}
        # An error here must not affect the games.
        with contextlib.suppress(OSError):
            for name in sorted(forfeiters):
                spec = item.plan.first if name == "A" else item.plan.second
                kept_log(self._folder, item.match, item.pair, name).write_bytes(_lines_of(raw, spec))
        with contextlib.suppress(OSError):
            raw.unlink()

    def clean(self) -> None:
        """Remove the logs of pairs that were interrupted, and the oldest if there are too many."""
        for path in self._folder.glob("*.raw"):
            path.unlink(missing_ok=True)
        kept = sorted(self._folder.glob("*.log"), key=lambda path: path.stat().st_mtime)
        for path in kept[:-MAX_FILES]:
            path.unlink(missing_ok=True)


def kept_log(folder: Path, match: int, pair: int, player: str) -> Path:
    """The kept log of player `"A"` or `"B"` of a pair."""
    return folder / f"{match}-{pair}-{player}.log"


def _lines_of(raw: Path, spec: str) -> bytes:
    """The last lines of one engine in a log, without its name."""
    name = f" {printable(spec)} ".encode()
    if not raw.exists():
        return b""
    with raw.open("rb") as file:
        file.seek(max(0, raw.stat().st_size - _READ))
        lines = [line.replace(name, b" ", 1) for line in file if name in line[: len(name) + 16]]
    return b"".join(lines)[-TAIL:]
