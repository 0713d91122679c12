"""Games in progress, for live viewers: the process that plays a game writes it to a file in a folder beside the store.

Viewers touch the file `watched` in that folder. Nothing is written unless it was touched in the last few seconds, and a
game is written a few times per second at most, so that playing costs the same with and without viewers.
"""

import contextlib
import json
import os
import threading
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starscout.game import GameError
from starscout.game.state import State
from starscout.records.json_lines import record_from_json, record_to_json
from starscout.records.record import GameRecord
from starscout.referee.game_in_progress import GameInProgress, ply_reporter

WATCHED = "watched"
WATCHED_SECONDS = 6.0
"""Seconds for which a folder counts as watched after a viewer has touched `watched`."""
INTERVAL = 0.2
"""Minimum seconds between two writes of one process."""
STALE_SECONDS = 600.0
"""Age at which the file of a game is deleted: its process has ended, or nobody is watching."""


class Broadcast:
    """Writes the games of one thread while somebody watches."""

    def __init__(self, folder: str, match: int) -> None:
        self._folder, self._match = Path(folder), match
        self._file = self._folder / f"{os.getpid()}-{threading.get_ident()}.json"
        self._next = 0.0
        self._shown: GameInProgress | None = None

    def __call__(self, game: GameInProgress) -> None:
        """Show the game after a ply. A game that was shown is also shown at its end."""
        now = time.monotonic()
        if now < self._next and not (game.over and game is self._shown):
            return
        self._next = now + INTERVAL
        if not _is_watched(self._folder):
            return
        self._shown = game
        content = {
            "match": self._match, "time": time.time(), "over": game.over, "event": game.state.event_text or "",
            "record": record_to_json(game.record()),
        }  # fmt: skip
        # A viewer may have disappeared with the folder, and the disk may be full: the game continues.
        with contextlib.suppress(OSError):
            fresh = self._file.with_suffix(".new")
            fresh.write_text(json.dumps(content), encoding="utf-8")
            fresh.replace(self._file)


@contextlib.contextmanager
def broadcasting(folder: str, match: int) -> Iterator[None]:
    """Broadcast the games that this thread plays to the viewers of a folder; empty: do not broadcast."""
    if not folder:
        yield
        return
    token = ply_reporter.set(Broadcast(folder, match))
    try:
        yield
    finally:
        ply_reporter.reset(token)


def _is_watched(folder: Path) -> bool:
    try:
        return time.time() - (folder / WATCHED).stat().st_mtime < WATCHED_SECONDS
    except OSError:
        return False


@dataclass(frozen=True)
class LiveGame:
    """A game in progress, or one that has just ended."""

    name: str
    """The file; its process reuses it for successive games."""
    match: int
    record: GameRecord
    event: str
    """The event of the current ply in the game's notation; empty if there is none."""
    over: bool
    age: float
    """Seconds since the last ply."""

    @property
    def state(self) -> State:
        """The position on the board, with its event."""
        *_, state = self.record.states()
        return state.rolled(self.event) if self.event and state.needs_roll and not self.over else state


def live_games(folder: str, matches: Collection[int] | None = None) -> list[LiveGame]:
    """The games that are being played for these matches, or for all; the latest plies first.

    The call also marks the folder as watched, so the first call may find no games. `folder` is the `live_folder`
    of a store; if it is empty, there are no games.
    """
    if not folder:
        return []
    path, now, found = Path(folder), time.time(), list[LiveGame]()
    try:
        path.mkdir(parents=True, exist_ok=True)
        (path / WATCHED).touch()
    except OSError as error:
        raise GameError(f"{path}: cannot watch games: {error.strerror}") from error
    for file in path.glob("*.json"):
        with contextlib.suppress(OSError, ValueError, GameError, KeyError, TypeError):
            content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
            age = now - content["time"]
            if age > STALE_SECONDS:
                file.unlink()
            elif matches is None or content["match"] in matches:
                record = record_from_json(content["record"])
                found.append(LiveGame(file.stem, content["match"], record, content["event"], content["over"], age))
    return sorted(found, key=lambda game: game.age)
