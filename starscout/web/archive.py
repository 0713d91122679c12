"""The page's own database: games in progress, finished games and reviews, which survive a restart of the server.

It is a file beside the store: `arena.sqlite` has `arena.page.sqlite`.
"""

import hashlib
import json
import re
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
MAX_TABLES, MAX_GAMES, MAX_REVIEWS, MAX_PUZZLES = 5_000, 100_000, 2_000, 5_000
"""Maximum number of rows; the oldest ones are deleted."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS tables (name TEXT PRIMARY KEY, saved REAL, data TEXT);
CREATE TABLE IF NOT EXISTS games (name TEXT PRIMARY KEY, saved REAL, owner TEXT, game TEXT, first TEXT, second TEXT,
    winner INTEGER, reason TEXT, plies INTEGER, record TEXT);
CREATE TABLE IF NOT EXISTS summaries (name TEXT PRIMARY KEY, saved REAL, luck REAL, loss REAL);
CREATE TABLE IF NOT EXISTS reviews (key TEXT PRIMARY KEY, saved REAL, data TEXT);
CREATE TABLE IF NOT EXISTS puzzles (key TEXT PRIMARY KEY, saved REAL, grade INTEGER, day TEXT, data TEXT);
CREATE INDEX IF NOT EXISTS games_by_date ON games (saved);
"""


def page_database(store: str) -> str:
    """The path of the page's database for a store."""
    return MEMORY if store == MEMORY else str(Path(store).with_suffix(".page.sqlite"))


class Archive:
    """The database; used only by the thread of the event loop."""

    def __init__(self, path: str) -> None:
        try:
            if path != MEMORY:
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, timeout=5, isolation_level=None, check_same_thread=False)
            self._database.execute("PRAGMA journal_mode=WAL")
            # Store games on the page in transactions, but do not wait for the disk.
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

    def games(self, limit: int, skipped: int = 0, game: str = "", player: str = "") -> list[dict[str, Any]]:
        """The latest finished games, newest first, after the first `skipped` ones.

        `game` and `player`: only games of this name, with a player whose name contains this text. `luck` (of the first
        side beyond that of the second) and `loss` (the largest of a move) are None until the game is reviewed; `seats`
        (the browsers of both sides, in JSON) is None if the table is no longer saved.
        """
        columns = (
            "name",
            "saved",
            "owner",
            "game",
            "first",
            "second",
            "winner",
            "reason",
            "plies",
            "luck",
            "loss",
            "seats",
        )
        like = "%" + re.sub(r"([%_!])", r"!\1", player) + "%"
        rows = self._database.execute(
            """SELECT games.name, games.saved, owner, game, first, second, winner, reason, plies, luck, loss,
                json_extract(tables.data, '$.seats')
            FROM games LEFT JOIN summaries ON summaries.name = games.name LEFT JOIN tables ON tables.name = games.name
            WHERE (?1 = '' OR game = ?1) AND (first LIKE ?2 ESCAPE '!' OR second LIKE ?2 ESCAPE '!')
            ORDER BY games.saved DESC LIMIT ?3 OFFSET ?4""",
            (game, like, limit, skipped),
        )
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def record_texts(self, names: Sequence[str]) -> list[str]:
        """The records of finished games in JSON."""
        found = (
            self._database.execute("SELECT record FROM games WHERE name = ?", (name,)).fetchone() for name in names
        )
        return [row[0] for row in found if row is not None]

    def summarise(self, name: str, review: dict[str, Any]) -> None:
        """Keep the luck and the largest loss of a reviewed game for lists."""
        first, second = (total["luck"] for total in review["totals"])
        loss = max((move["loss"] for move in review["moves"]), default=None)
        self._put("summaries", MAX_GAMES, name, time.time(), first - second if review["dice"] else None, loss)

    def usage(self) -> dict[str, int]:
        """Game → number of times that it was played."""
        return dict(self._database.execute("SELECT game, count(*) FROM games GROUP BY game"))

    # Reviews.

    def save_review(self, kind: str, record: GameRecord, data: dict[str, Any]) -> None:
        """Keep the review of a game."""
        self._put("reviews", MAX_REVIEWS, review_key(kind, record), time.time(), json.dumps(data))

    def review(self, kind: str, record: GameRecord) -> dict[str, Any] | None:
        """The review of a game by the current code."""
        found = self._database.execute("SELECT data FROM reviews WHERE key = ?", (review_key(kind, record),)).fetchone()
        return None if found is None else json.loads(found[0])

    # Puzzles.

    def save_puzzle(self, key: str, data: dict[str, Any] | None) -> None:
        """Keep a puzzle; None marks a position that yields no puzzle, so that it is not tried again."""
        grade = None if data is None else data["grade"]
        self._put("puzzles", MAX_PUZZLES, key, time.time(), grade, None, json.dumps(data))

    def tried_puzzles(self) -> frozenset[str]:
        """The keys of all positions that were tried."""
        return frozenset(key for (key,) in self._database.execute("SELECT key FROM puzzles"))

    def puzzles(self) -> list[tuple[str, dict[str, Any]]]:
        """The puzzles with their keys, easy ones first."""
        rows = self._database.execute("SELECT key, data FROM puzzles WHERE grade > 0 ORDER BY grade, saved")
        return [(key, json.loads(data)) for key, data in rows]

    def puzzle(self, key: str) -> dict[str, Any] | None:
        """A puzzle."""
        found = self._database.execute("SELECT data FROM puzzles WHERE key = ?", (key,)).fetchone()
        return None if found is None else json.loads(found[0])

    def daily_puzzle(self, day: str, grade: int) -> str | None:
        """The puzzle of a day, chosen once: unused on other days, and as close to the grade as possible."""
        row = self._database.execute("SELECT key FROM puzzles WHERE day = ?", (day,)).fetchone()
        if row is None:
            row = self._database.execute(
                "SELECT key FROM puzzles WHERE grade > 0 AND day IS NULL ORDER BY abs(grade - ?), saved LIMIT 1",
                (grade,),
            ).fetchone()
            if row is not None:
                self._database.execute("UPDATE puzzles SET day = ? WHERE key = ?", (day, row[0]))
        return None if row is None else row[0]

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
        """Store and list the games of an uploaded file; invalid games are replaced by an error message."""
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
