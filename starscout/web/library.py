"""The games that pages look at, by a key that fits into a link.

table/NAME          a game that is played here
match/3/12/0        game 0 of pair 12 of match 3 in the store
record/DIGEST       a record that somebody dropped on the page; the last MOST_RECORDS are kept
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from starscout.arena.store import Store
from starscout.game import GameError
from starscout.records.files import read_records_of, write_record
from starscout.records.record import GameRecord, RecordError
from starscout.web.game_table import Tables

MOST_RECORDS = 500
MOST_GAMES = 200
"""Games of one dropped file that are listed."""


class Library:
    """Finds records by their keys."""

    def __init__(self, tables: Tables, open_store: Callable[[], Store]) -> None:
        self._tables, self._open_store = tables, open_store
        self._records: OrderedDict[str, GameRecord] = OrderedDict()

    def find(self, key: str) -> GameRecord:
        """The record of this key; raises GameError. Reads the store: call it in a thread."""
        match key.split("/"):
            case ["table", name]:
                return self._tables.find(name).record()
            case ["match", *numbers] if len(numbers) == 3 and all(number.isdecimal() for number in numbers):
                return self._stored(*(int(number[:12]) for number in numbers))
            case ["record", digest] if digest in self._records:
                self._records.move_to_end(digest)
                return self._records[digest]
        raise GameError(f"there is no game {key[:60]!r} here: it may have been dropped on another server")

    def _stored(self, match: int, pair: int, half: int) -> GameRecord:
        with self._open_store() as store:
            plan = store.match(match).plan
            record = next(iter(store.pairs(match, pair)), None)
            if record is not None and record.pair == pair and half < len(record.scores):
                return record.games(plan.game, (plan.first, plan.second), plan.seed)[half].record
        raise GameError(f"match {match} has no game {half} of pair {pair}")

    def add_text(self, text: str) -> list[dict[str, Any]]:
        """Keep the games of a dropped record and list them; raises GameError when there is none to read."""
        listed: list[dict[str, Any]] = []
        for record in read_records_of(text, "the dropped file"):
            if len(listed) == MOST_GAMES:
                break
            if isinstance(record, RecordError):
                listed.append({"key": None, "error": str(record)})
                continue
            listed.append({"key": f"record/{self._keep(record)}", **headline(record)})
        if not listed:
            raise GameError("the dropped file holds no game")
        return listed

    def _keep(self, record: GameRecord) -> str:
        digest = hashlib.blake2b(write_record(record, "json").encode(), digest_size=9).hexdigest()
        self._records[digest] = record
        while len(self._records) > MOST_RECORDS:
            self._records.popitem(last=False)
        return digest


def headline(record: GameRecord) -> dict[str, Any]:
    """Who played, and how it ended."""
    return {
        "game": record.game,
        "players": list(record.players),
        "winner": record.winner,
        "reason": record.reason,
        "plies": len(record.plies),
    }
