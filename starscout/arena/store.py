"""Result store: one SQLite file in WAL mode with one writer, the director.

`add` is durable when it returns.

matches      one row per plan; the identity covers the plan and the code that plays it
pairs        one row per finished pair; the key (match, pair) prevents counting a pair twice
tournaments  a description and its meetings: which match is played in which round
tunings      the steps of a parameter tuning
experiments  descriptions; their matches and tournaments are found by plan
"""

import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starscout.arena.pair import PairRecord, usage_from_json
from starscout.arena.plan import MatchPlan, check_storable, code_digest, json_from_text, plan_from_json
from starscout.game import GameError, WorkError

VERSION = 2
MEMORY = ":memory:"

_PAIRS = """CREATE TABLE pairs (
    match INTEGER NOT NULL REFERENCES matches, pair INTEGER NOT NULL,
    score0 REAL NOT NULL, score1 REAL, plies0 INTEGER NOT NULL, plies1 INTEGER,
    reason0 TEXT NOT NULL, reason1 TEXT, luck0 REAL, luck1 REAL,
    seconds REAL NOT NULL, content BLOB NOT NULL, times BLOB NOT NULL, used TEXT,
    PRIMARY KEY (match, pair)) WITHOUT ROWID;"""

_FROM_VERSION_1 = f"""
ALTER TABLE pairs RENAME TO pairs_1;
{_PAIRS}
INSERT INTO pairs SELECT *, NULL FROM pairs_1;
DROP TABLE pairs_1;
UPDATE matches SET plan = json_remove(json_set(plan, '$.contents', '', '$.event', '', '$.schedule', json_object(
    'shared', json('true'), 'shuffled', json('true'),
    'swapped', json(CASE WHEN json_extract(plan, '$.colours') = 'fixed' THEN 'false' ELSE 'true' END))), '$.colours');
"""
"""In version 2 a pair may have one game, and a plan has a schedule instead of colours."""

_SCHEMA = f"""
CREATE TABLE matches (
    id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE, plan TEXT NOT NULL, code TEXT NOT NULL,
    created REAL NOT NULL, goal TEXT NOT NULL, counted INTEGER, seconds REAL NOT NULL DEFAULT 0);
{_PAIRS}
CREATE TABLE tournaments (
    id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE, description TEXT NOT NULL, created REAL NOT NULL);
CREATE TABLE meetings (
    tournament INTEGER NOT NULL REFERENCES tournaments, round INTEGER NOT NULL, board INTEGER NOT NULL,
    first INTEGER NOT NULL, second INTEGER NOT NULL, match INTEGER NOT NULL REFERENCES matches,
    PRIMARY KEY (tournament, round, board)) WITHOUT ROWID;
CREATE TABLE tunings (
    id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE, description TEXT NOT NULL, created REAL NOT NULL);
CREATE TABLE tuning_steps (
    tuning INTEGER NOT NULL REFERENCES tunings, step INTEGER NOT NULL, content TEXT NOT NULL,
    PRIMARY KEY (tuning, step)) WITHOUT ROWID;
"""

_EXPERIMENTS = """CREATE TABLE IF NOT EXISTS experiments (
    id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE, description TEXT NOT NULL, created REAL NOT NULL)"""
"""Optional in version 2: older programs ignore this table."""


@dataclass(frozen=True)
class StoredMatch:
    """A match in the store. Its first `counted` pairs are its result; None: all stored pairs."""

    id: int
    plan: MatchPlan
    code: str
    created: float
    stopping_rule: dict[str, Any]
    counted: int | None
    seconds: float

    @property
    def current(self) -> bool:
        """Whether the current code played it."""
        return self.code == code_digest()


def default_path() -> Path:
    """Return the default path: STARSCOUT_STORE, else a file in the user's data folder."""
    chosen = os.environ.get("STARSCOUT_STORE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "starscout" / "arena.sqlite"


class StoreError(WorkError):
    """A store that cannot be written, for example on a full disk or a read-only file."""


class Store:
    """An open store, not thread-safe; `Store(":memory:")` is not saved."""

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        self.read_only = False
        """Whether the file can only be read."""
        try:
            self._database = self._open_file()
        except (sqlite3.Error, OSError) as error:
            raise GameError(f"{self.path}: not a result store: {error}") from error

    def _open_file(self) -> sqlite3.Connection:
        if self.path != MEMORY:
            Path(self.path).parent.mkdir(parents=True, exist_ok=True)
        self._database = sqlite3.connect(self.path, timeout=60, isolation_level=None)
        try:
            self._database.execute("PRAGMA journal_mode=WAL")
            # FULL: a commit survives a power failure.
            self._database.execute("PRAGMA synchronous=FULL")
            self._create()
        except sqlite3.Error as error:
            self._database.close()
            if not (isinstance(error, sqlite3.OperationalError) and Path(self.path).is_file()):
                raise
            return self._open_read_only(error)
        return self._database

    def _open_read_only(self, reason: sqlite3.Error) -> sqlite3.Connection:
        """Open the file read-only; pairs still in the write-ahead log are not visible."""
        uri = f"{Path(self.path).resolve().as_uri()}?mode=ro&immutable=1"
        database = sqlite3.connect(uri, uri=True, isolation_level=None)
        if database.execute("PRAGMA user_version").fetchone()[0] != VERSION:
            database.close()
            raise reason
        self.read_only = True
        return database

    def _create(self) -> None:
        with self._transaction():
            version = self._database.execute("PRAGMA user_version").fetchone()[0]
            steps = {0: _SCHEMA, 1: _FROM_VERSION_1, VERSION: ""}
            if version not in steps:
                raise sqlite3.DatabaseError(f"store version {version}, expected {VERSION}")
            for statement in steps[version].split(";")[:-1]:
                self._database.execute(statement)
            self._database.execute(_EXPERIMENTS)
            if version != VERSION:
                self._database.execute(f"PRAGMA user_version = {VERSION}")

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """Run a transaction; raises StoreError if the store cannot be written."""
        try:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._database.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._database.execute("ROLLBACK")
                raise
        except sqlite3.OperationalError as error:
            raise StoreError(f"{self.path}: cannot write: {error}; stored results are intact") from error

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Matches and pairs.

    def open_match(self, plan: MatchPlan, stopping_rule: dict[str, Any]) -> StoredMatch:
        """Return the match of this plan, created if new, with this stopping rule."""
        if self.read_only:
            return self._existing_match(plan)
        check_storable(plan)
        with self._transaction():
            self._database.execute(
                "INSERT OR IGNORE INTO matches (identity, plan, code, created, goal) VALUES (?, ?, ?, ?, ?)",
                (plan.identity, plan.to_json(), code_digest(), time.time(), json.dumps(stopping_rule)),
            )
            self._database.execute(
                "UPDATE matches SET goal = ?, counted = NULL WHERE identity = ?",
                (json.dumps(stopping_rule), plan.identity),
            )
        row = self._database.execute("SELECT id FROM matches WHERE identity = ?", (plan.identity,)).fetchone()
        return self.match(row[0])

    def _existing_match(self, plan: MatchPlan) -> StoredMatch:
        """Return the match of this plan from a read-only store."""
        row = self._database.execute("SELECT id FROM matches WHERE identity = ?", (plan.identity,)).fetchone()
        if row is None:
            raise StoreError(f"{self.path}: cannot write, and the store does not contain this match")
        return self.match(row[0])

    def match(self, number: int) -> StoredMatch:
        """Return match `number`; raises GameError."""
        row = self._database.execute(
            "SELECT id, plan, code, created, goal, counted, seconds FROM matches WHERE id = ?", (number,)
        ).fetchone()
        if row is None:
            raise GameError(f"{self.path}: no match {number} (`starscout results` lists them)")
        return _stored_match(row)

    def matches(self) -> list[StoredMatch]:
        """Return all readable matches, oldest first."""
        return [found for found in self._read_matches() if isinstance(found, StoredMatch)]

    def unreadable(self) -> list[str]:
        """Return a message for each match that cannot be read."""
        return [found for found in self._read_matches() if isinstance(found, str)]

    def _read_matches(self) -> Iterator[StoredMatch | str]:
        rows = self._database.execute(
            "SELECT id, plan, code, created, goal, counted, seconds FROM matches ORDER BY id"
        ).fetchall()
        for row in rows:
            try:
                yield _stored_match(row)
            except GameError as error:
                yield f"match {row[0]}: cannot read: {error}"

    def add(self, match: int, records: Iterable[PairRecord], seconds: float = 0.0) -> None:
        """Store finished pairs durably and add `seconds` to the match; existing pairs are kept."""
        rows = [
            (
                match,
                r.pair,
                *_columns(r.scores, r.plies, r.reasons, r.luck or ()),
                r.seconds,
                r.content,
                r.times,
                json.dumps(r.used),
            )
            for r in records
        ]
        with self._transaction():
            self._database.executemany(
                "INSERT OR IGNORE INTO pairs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows
            )
            self._database.execute("UPDATE matches SET seconds = seconds + ? WHERE id = ?", (seconds, match))

    def finish(self, match: int, counted: int) -> None:
        """Mark a match as decided by its first `counted` pairs."""
        if self.read_only:
            return
        with self._transaction():
            self._database.execute("UPDATE matches SET counted = ? WHERE id = ?", (counted, match))

    def pairs(self, match: int, start: int = 0) -> Iterator[PairRecord]:
        """Yield the stored pairs of a match from number `start` on, in order."""
        cursor = self._database.execute(
            "SELECT pair, score0, score1, plies0, plies1, reason0, reason1, luck0, luck1, seconds, content, times, "
            "used FROM pairs WHERE match = ? AND pair >= ? ORDER BY pair",
            (match, start),
        )
        for pair, s0, s1, p0, p1, r0, r1, l0, l1, seconds, content, times, text in cursor:
            scores, plies, reasons, luck = (s0, s1), (p0, p1), (r0, r1), None if l0 is None else (l0, l1)
            if s1 is None:
                scores, plies, reasons, luck = (s0,), (p0,), (r0,), None if l0 is None else (l0,)
            first, second = json.loads(text) if text else ((), ())
            used = usage_from_json(first), usage_from_json(second)
            yield PairRecord(pair, scores, plies, reasons, luck, seconds, content, times, used)

    def counted_pairs(self, match: StoredMatch, start: int = 0) -> Iterator[PairRecord]:
        """Yield the pairs of the result: from `start` to the first missing pair or to the decision."""
        for number, record in enumerate(self.pairs(match.id, start), start):
            if record.pair != number or number == match.counted:
                return
            yield record

    def pair_counts(self) -> dict[int, int]:
        """Return match → number of stored pairs."""
        return dict(self._database.execute("SELECT match, COUNT(*) FROM pairs GROUP BY match").fetchall())

    def scores(self) -> dict[int, float]:
        """Return match → mean score of A over the stored games."""
        rows = self._database.execute(
            "SELECT match, SUM(score0 + IFNULL(score1, 0)) / SUM(1 + (score1 IS NOT NULL)) FROM pairs GROUP BY match"
        )
        return dict(rows.fetchall())

    # Tournaments.

    def open_tournament(self, identity: str, description: dict[str, Any]) -> int:
        """Return the number of the tournament with this identity, created if new."""
        return self._open("tournaments", identity, description)

    def update_tournament(self, tournament: int, description: dict[str, Any], cancelled: Iterable[int] = ()) -> None:
        """Replace the description of a tournament and remove the meetings of these matches; the identity is kept."""
        with self._transaction():
            self._database.executemany(
                "DELETE FROM meetings WHERE tournament = ? AND match = ?", [(tournament, match) for match in cancelled]
            )
            self._database.execute(
                "UPDATE tournaments SET description = ? WHERE id = ?", (json.dumps(description), tournament)
            )

    def add_meetings(self, tournament: int, rows: Iterable[tuple[int, int, int, int, int]]) -> None:
        """Store meetings, all or none: round, board, numbers of the players, and the match with their games."""
        if self.read_only:
            return
        with self._transaction():
            self._database.executemany(
                "INSERT OR IGNORE INTO meetings VALUES (?, ?, ?, ?, ?, ?)", [(tournament, *row) for row in rows]
            )

    def tournaments(self) -> list[tuple[int, dict[str, Any], float]]:
        """Return number, description and date of every tournament."""
        rows = self._database.execute("SELECT id, description, created FROM tournaments ORDER BY id").fetchall()
        return [(number, json.loads(text), created) for number, text, created in rows]

    def meetings(self, tournament: int) -> list[tuple[int, int, int, int]]:
        """Return round, first player, second player and match of every meeting, in order."""
        return self._database.execute(
            "SELECT round, first, second, match FROM meetings WHERE tournament = ? ORDER BY round, board", (tournament,)
        ).fetchall()

    # Tunings.

    def open_tuning(self, identity: str, description: dict[str, Any]) -> int:
        """Return the number of the tuning with this identity, created if new."""
        return self._open("tunings", identity, description)

    def add_tuning_step(self, tuning: int, step: int, content: dict[str, Any]) -> None:
        """Store one step of a tuning durably."""
        with self._transaction():
            self._database.execute(
                "INSERT OR IGNORE INTO tuning_steps VALUES (?, ?, ?)", (tuning, step, json.dumps(content))
            )

    def tunings(self) -> list[tuple[int, dict[str, Any], float]]:
        """Return number, description and date of every tuning."""
        rows = self._database.execute("SELECT id, description, created FROM tunings ORDER BY id").fetchall()
        return [(number, json.loads(text), created) for number, text, created in rows]

    def tuning_steps(self, tuning: int) -> list[dict[str, Any]]:
        """Return the steps so far, in order."""
        rows = self._database.execute(
            "SELECT content FROM tuning_steps WHERE tuning = ? ORDER BY step", (tuning,)
        ).fetchall()
        return [json.loads(text) for (text,) in rows]

    # Experiments.

    def open_experiment(self, identity: str, description: dict[str, Any]) -> None:
        """Store an experiment if its identity is new and the store is writable."""
        if not self.read_only:
            self._open("experiments", identity, description)

    def experiments(self) -> list[tuple[int, dict[str, Any]]]:
        """Return number and description of every experiment."""
        known = self._database.execute("SELECT 1 FROM sqlite_master WHERE name = 'experiments'").fetchone()
        if known is None:
            return []
        rows = self._database.execute("SELECT id, description FROM experiments ORDER BY id").fetchall()
        return [(number, json_from_text(text)) for number, text in rows]

    def _open(self, table: str, identity: str, description: dict[str, Any]) -> int:
        with self._transaction():
            self._database.execute(
                f"INSERT OR IGNORE INTO {table} (identity, description, created) VALUES (?, ?, ?)",
                (identity, json.dumps(description), time.time()),
            )
        return self._database.execute(f"SELECT id FROM {table} WHERE identity = ?", (identity,)).fetchone()[0]


def _columns(*fields: tuple[Any, ...]) -> list[Any]:
    """Expand each per-game field to two columns."""
    return [column for values in fields for column in (*values, None, None)[:2]]


def _stored_match(row: tuple[Any, ...]) -> StoredMatch:
    number, plan, code, created, goal, counted, seconds = row
    return StoredMatch(number, plan_from_json(plan), code, created, json_from_text(goal), counted, seconds)
