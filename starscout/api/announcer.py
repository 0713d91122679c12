"""Games announced as they end: a line on standard error, and a file of records."""

import sys
import threading
from collections.abc import Mapping
from pathlib import Path

from starscout.api.tables import game_text
from starscout.arena.batch import Batch
from starscout.game import Game
from starscout.records.json_lines import write_json_line
from starscout.records.packed import SeatedGame


class Announcer:
    """Says the result of every game and appends its record; several boards may call it at once."""

    def __init__(
        self, game: Game, names: Mapping[str, str], records: Path | None, *, meetings: bool = False, shown: bool = True
    ) -> None:
        self._game, self._names, self._records = game, names, records
        self._meetings, self._shown = meetings, shown
        self._lock = threading.Lock()

    def __call__(self, batch: Batch, number: int, played: SeatedGame) -> None:
        """Announce a game of a batch, `number` from 0 in its match."""
        names = self._names[batch.plan.first], self._names[batch.plan.second]
        meeting = f"{names[0]} – {names[1]}, " if self._meetings else ""
        with self._lock:
            if self._shown:
                print(meeting + game_text(self._game, names, number, played), file=sys.stderr, flush=True)
            if self._records is not None:
                with self._records.open("a", encoding="utf-8") as file:
                    file.write(write_json_line(played.record))
