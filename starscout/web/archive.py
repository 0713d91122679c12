"""The page's own database: games in progress, finished games and reviews, which survive a restart of the server.

It is a file beside the store: `arena.sqlite` has `arena.page.sqlite`.
"""

import hashlib
import json
import sqlite3
import time
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import starscout
from starscout.arena.plan import code_digest
from starscout.arena.store import MEMORY
from starscout.game import GameError
from starscout.records.files import write_record
from starscout.records.json_lines import record_from_json
from starscout.records.record import GameRecord
from starscout.web.searches import SERVER, Client, SearchPool

MAX_RECORDS = 500
MAX_TABLES, MAX_GAMES, MAX_REVIEWS = 5_000, 100_000, 2_000
"""Maximum number of rows; the oldest ones are deleted."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS tables (name TEXT PRIMARY KEY, saved REAL, data TEXT);
CREATE TABLE IF NOT EXISTS games (name TEXT PRIMARY KEY, saved REAL, owner TEXT, game TEXT, first TEXT, second TEXT,
    winner INTEGER, reason TEXT, plies INTEGER, record TEXT);
CREATE TABLE IF NOT EXISTS reviews (key TEXT PRIMARY KEY, saved REAL, data TEXT);
CREATE INDEX IF NOT EXISTS games_by_date ON games (saved);
"""


def page_database(store: str) -> str:
    """The path of the page's database for a store."""
    return MEMORY if store == MEMORY else str(Path(store).with_suffix(".page.sqlite"))


class Archive:
    """The database; used by the thread of the event loop only."""

    def __init__(self, path: str) -> None:
        try:
            if path != MEMORY:
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, timeout=5, isolation_level=None, check_same_thread=False)
            self._database.execute("PRAGMA journal_mode=WAL")
            # A game on the page is worth a transaction, but no wait for the disk.
            self._database.execute("PRAGMA synchronous=NORMAL")
            self._database.executescript(_SCHEMA)
        except (sqlite3.Error, OSError) as error:
            raise GameError(f"{path}: cannot open the games of the page: {error}", code="no_archive") from error

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    # Games in progress.

    def save_table(self, name: str, data: dict[str, Any]) -> None:
        """Save the state of a table."""
        self._put("tables", MAX_TABLES, name, time.time(), json.dumps(data))

    def table(self, name: str) -> dict[str, Any] | None:
        """The saved state of a table."""
        found = self._database.execute("SELECT data FROM tables WHERE name = ?", (name,)).fetchone()
        return None if found is None else json.loads(found[0])

    # Finished games.

    def add_game(self, name: str, owner: str, record: GameRecord) -> None:
        """Store a finished game; a game that was continued after its end replaces the earlier one."""
        self._put(
            "games", MAX_GAMES, name, time.time(), owner, record.game, *record.players, record.winner, record.reason,
            len(record.plies), write_record(record, "json"),
        )  # fmt: skip

    def game(self, name: str) -> GameRecord | None:
        """The record of a finished game."""
        found = self._database.execute("SELECT record FROM games WHERE name = ?", (name,)).fetchone()
        return None if found is None else record_from_json(json.loads(found[0]))

    def remove_game(self, name: str) -> None:
        """Remove a finished game whose last move was taken back."""
        self._database.execute("DELETE FROM games WHERE name = ?", (name,))

    def games(self, limit: int, owner: str | None = None) -> list[dict[str, Any]]:
        """The latest finished games, newest first; those of one owner or of all."""
        columns = "name", "saved", "owner", "game", "first", "second", "winner", "reason", "plies"
        rows = self._database.execute(
            f"SELECT {', '.join(columns)} FROM games WHERE ?1 IS NULL OR owner = ?1 ORDER BY saved DESC LIMIT ?2",
            (owner, limit),
        )
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def usage(self) -> dict[str, int]:
        """Game → how often it was played."""
        return dict(self._database.execute("SELECT game, count(*) FROM games GROUP BY game"))

    # Reviews.

    def save_review(self, kind: str, record: GameRecord, data: dict[str, Any]) -> None:
        """Keep the review of a game."""
        self._put("reviews", MAX_REVIEWS, review_key(kind, record), time.time(), json.dumps(data))

    def review(self, kind: str, record: GameRecord) -> dict[str, Any] | None:
        """The review of a game by the current code."""
        found = self._database.execute("SELECT data FROM reviews WHERE key = ?", (review_key(kind, record),)).fetchone()
        return None if found is None else json.loads(found[0])

    def _put(self, table: str, limit: int, *row: Any) -> None:
        marks = ", ".join("?" * len(row))
        self._database.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", row)
        # Deleting rows one by one would scan the table at every insert.
        if self._database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] > limit * 1.1:
            self._database.execute(
                f"DELETE FROM {table} WHERE saved < (SELECT saved FROM {table} ORDER BY saved DESC LIMIT 1 OFFSET ?)",
                (limit,),
            )


def record_digest(record: GameRecord) -> str:
    """The digest of a record, which identifies it in links."""
    return hashlib.blake2b(write_record(record, "json").encode(), digest_size=9).hexdigest()


def review_key(kind: str, record: GameRecord) -> str:
    """The key of a review: the record and the code that reviewed it."""
    return f"{kind}/{record_digest(record)}/{starscout.__version__}/{code_digest()}"


class Recorded(Protocol):
    """A table, which has a record."""

    def record(self) -> GameRecord:
        """The record of the game so far."""
        ...


class TableFinder(Protocol):
    """Finds tables by name."""

    async def find(self, name: str) -> Recorded:
        """Look up a table; raises GameError."""
        ...


class RecordLibrary:
    """Finds game records by keys that fit into a link.

    table/NAME          a game that is played on this server
    game/NAME           a finished game of the page
    match/3/12/0        game 0 of pair 12 of match 3 in the store
    record/DIGEST       an uploaded record; the last MAX_RECORDS are kept
    """

    def __init__(self, archive: Archive, tables: "TableFinder", pool: SearchPool) -> None:
        self._archive, self._tables, self._pool = archive, tables, pool
        self._records: OrderedDict[str, GameRecord] = OrderedDict()

    async def find(self, key: str, client: Client = SERVER) -> GameRecord:
        """The record of a key; raises GameError."""
        match key.split("/"):
            case ["table", name]:
                return (await self._tables.find(name)).record()
            case ["game", name] if (found := self._archive.game(name)) is not None:
                return found
            case ["match", *numbers] if len(numbers) == 3 and all(number.isdecimal() for number in numbers):
                whole = (int(number[:12]) for number in numbers)
                return await self._pool.run("stored", *whole, lane="store", client=client)
            case ["record", digest] if digest in self._records:
                self._records.move_to_end(digest)
                return self._records[digest]
        raise GameError(
            f"no game {key[:60]!r} on this server: it may have been uploaded to another one",
            code="unknown_record", key=key[:60],
        )  # fmt: skip

    def add(self, records: Sequence[GameRecord | str]) -> list[dict[str, Any]]:
        """Keep and list the games of an uploaded file; an error message stands for an invalid one."""
        if not records:
            raise GameError("the uploaded file contains no game", code="empty_file")
        return [
            {"key": None, "error": record}
            if isinstance(record, str)
            else {"key": f"record/{self._keep(record)}", **headline(record)}
            for record in records
        ]

    def _keep(self, record: GameRecord) -> str:
        digest = record_digest(record)
        self._records[digest] = record
        while len(self._records) > MAX_RECORDS:
            self._records.popitem(last=False)
        return digest


def headline(record: GameRecord) -> dict[str, Any]:
    """Game, players, result and length of a record."""
    return {
        "game": record.game,
        "players": list(record.players),
        "winner": record.winner,
        "reason": record.reason,
        "plies": len(record.plies),
    }
