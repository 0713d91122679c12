"""Schema of the result store: tables, upgrades from earlier versions, and access to rows with checksums.

matches      one row per plan; the identity covers the plan and the code that plays it. `stored`, `games` and `points`
             are the number of its stored pairs, of their games, and A's points in them
pairs        one row per finished pair; the key (match, pair) prevents counting a pair twice
tournaments  a description and its meetings: which match is played in which round. `meetings` is their number
tunings      the steps of a parameter tuning. `steps` is their number
experiments  descriptions; their matches and tournaments are found by plan
totals       the number of rows of each listed table, so that a lost row is detected
"""

import contextlib
import hashlib
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any

from starscout.game import GameError, WorkError

VERSION = 3

CHECKSUM_BYTES = 12

LATEST = 253_402_300_799
"""The latest date in seconds: the end of the year 9999."""

COLUMNS = {
    "matches": "id, identity, plan, code, created, goal, counted, seconds, stored, games, points",
    "pairs": "match, pair, score0, score1, plies0, plies1, reason0, reason1, luck0, luck1, "
    "seconds, content, times, used",
    "tournaments": "id, identity, description, created, meetings",
    "meetings": "tournament, round, board, first, second, match",
    "tunings": "id, identity, description, created, steps",
    "tuning_steps": "tuning, step, content",
    "experiments": "id, identity, description, created",
}
"""The columns of each table that its checksum covers."""

LISTED = ("matches", "tournaments", "tunings", "experiments")
"""The tables with an id, whose rows are listed."""

_PAIRS = """CREATE TABLE pairs (
    match INTEGER NOT NULL REFERENCES matches, pair INTEGER NOT NULL,
    score0 REAL NOT NULL, score1 REAL, plies0 INTEGER NOT NULL, plies1 INTEGER,
    reason0 TEXT NOT NULL, reason1 TEXT, luck0 REAL, luck1 REAL,
    seconds REAL NOT NULL, content BLOB NOT NULL, times BLOB NOT NULL, used TEXT,
    PRIMARY KEY (match, pair)) WITHOUT ROWID;"""

_VERSION_2 = f"""
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

_FROM_1_TO_2 = f"""
ALTER TABLE pairs RENAME TO pairs_1;
{_PAIRS}
INSERT INTO pairs SELECT *, NULL FROM pairs_1;
DROP TABLE pairs_1;
UPDATE matches SET plan = json_remove(json_set(plan, '$.contents', '', '$.event', '', '$.schedule', json_object(
    'shared', json('true'), 'shuffled', json('true'),
    'swapped', json(CASE WHEN json_extract(plan, '$.colours') = 'fixed' THEN 'false' ELSE 'true' END))), '$.colours');
"""
"""In version 2 a pair may have one game, and a plan has a schedule instead of colours."""

_FROM_2_TO_3 = f"""
CREATE TABLE totals (name TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS experiments (
    id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE, description TEXT NOT NULL, created REAL NOT NULL);
ALTER TABLE matches ADD COLUMN stored INTEGER NOT NULL DEFAULT 0;
ALTER TABLE matches ADD COLUMN games INTEGER NOT NULL DEFAULT 0;
ALTER TABLE matches ADD COLUMN points REAL NOT NULL DEFAULT 0;
UPDATE matches SET (stored, games, points) = (
    SELECT COUNT(*), COUNT(*) + COUNT(score1), TOTAL(score0 + IFNULL(score1, 0)) FROM pairs WHERE match = matches.id);
ALTER TABLE tunings ADD COLUMN steps INTEGER NOT NULL DEFAULT 0;
UPDATE tunings SET steps = (SELECT COUNT(*) FROM tuning_steps WHERE tuning = tunings.id);
ALTER TABLE tournaments ADD COLUMN meetings INTEGER NOT NULL DEFAULT 0;
UPDATE tournaments SET meetings = (SELECT COUNT(*) FROM meetings WHERE tournament = tournaments.id);
{"".join(f"ALTER TABLE {table} ADD COLUMN checksum BLOB;" for table in COLUMNS)}
{"".join(f"UPDATE {table} SET checksum = row_checksum({columns});" for table, columns in COLUMNS.items())}
{"".join(f"INSERT INTO totals SELECT '{table}', COUNT(*) FROM {table};" for table in LISTED)}
"""
"""In version 3 every row has a checksum."""

_STEPS = {0: _VERSION_2 + _FROM_2_TO_3, 1: _FROM_1_TO_2 + _FROM_2_TO_3, 2: _FROM_2_TO_3, VERSION: ""}


def row_checksum(*values: Any) -> bytes:
    """Return the checksum of the values of a row, in the order of COLUMNS."""
    parts = [value if isinstance(value, bytes) else repr(value).encode() for value in values]
    header = " ".join(f"{type(value).__name__}:{len(part)}" for value, part in zip(values, parts, strict=True))
    return hashlib.blake2b(b"\0".join((header.encode(), *parts)), digest_size=CHECKSUM_BYTES).digest()


def add_functions(database: sqlite3.Connection) -> None:
    """Make `row_checksum` available in SQL."""
    database.create_function("row_checksum", -1, row_checksum, deterministic=True)


def upgrade(database: sqlite3.Connection) -> None:
    """Create the tables or upgrade them to VERSION, inside a transaction; raises sqlite3.DatabaseError."""
    version = database.execute("PRAGMA user_version").fetchone()[0]
    if version not in _STEPS:
        raise sqlite3.DatabaseError(f"store version {version}, expected {VERSION}")
    if version == 0 and database.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]:
        raise sqlite3.DatabaseError("it contains tables of another program")
    for statement in _STEPS[version].split(";")[:-1]:
        database.execute(statement)
    if version != VERSION:
        database.execute(f"PRAGMA user_version = {VERSION}")


def check_types(kind: type, *values: Any) -> None:
    """Raise TypeError for a value of another type."""
    for value in values:
        if type(value) is not kind:
            raise TypeError(f"expected {kind.__name__}, got {str(value)[:40]!r}")


def check_date(seconds: Any) -> None:
    """Raise TypeError or ValueError unless this is a date in seconds since 1970."""
    check_types(float, seconds)
    if not 0 <= seconds <= LATEST:
        raise ValueError(f"invalid date {seconds}")


IN_USE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
"""Error codes of a file that another process locks."""

UNAVAILABLE = (
    *IN_USE,
    *(getattr(sqlite3, f"SQLITE_{name}") for name in ("IOERR", "CANTOPEN", "FULL", "READONLY", "PERM")),
)
"""Error codes of a file that cannot be accessed now; others mean that it is damaged."""


class StoreError(WorkError):
    """A store that cannot be read or written now, for example on a full disk or a read-only file."""


class CheckedRows:
    """Access to the rows of an open store. Every error of SQLite becomes a StoreError or a GameError."""

    path: str
    columns: Mapping[str, str] = COLUMNS
    """The columns of each table that its checksum covers."""
    _database: sqlite3.Connection

    @contextlib.contextmanager
    def _atomic(self) -> Iterator[None]:
        """Commit all statements of the block, or none."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._database.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                self._database.execute("ROLLBACK")
            raise

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """Run a transaction; raises StoreError if the store cannot be written, GameError if it is damaged."""
        with self._translated("cannot write: {}; stored results are intact"), self._atomic():
            yield

    @contextlib.contextmanager
    def _translated(self, unavailable: str = "cannot read: {}") -> Iterator[None]:
        """Convert errors of SQLite to StoreError or, for a damaged file, to GameError."""
        try:
            yield
        except sqlite3.ProgrammingError:
            raise
        except (sqlite3.Error, MemoryError, UnicodeDecodeError) as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in UNAVAILABLE:
                raise StoreError(f"{self.path}: {unavailable.format(error)}") from error
            raise self._damaged(str(error) or type(error).__name__) from error

    def _damaged(self, what: str) -> GameError:
        return GameError(f"{self.path}: the store is damaged: {what}")

    def _select(self, table: str, condition: str, values: tuple[Any, ...] = (), more: str = "") -> Iterator[list[Any]]:
        """Yield the rows of a table: COLUMNS, the checksum, and `more`."""
        with self._translated():
            for row in self._database.execute(
                f"SELECT {self.columns[table]}, checksum{more} FROM {table} WHERE {condition}", values
            ):
                yield list(row)

    def _verified(self, table: str, row: list[Any]) -> list[Any]:
        """Return a row without its checksum; raises GameError if it differs from the row."""
        *values, checksum = row
        if row_checksum(*values) != checksum:
            names = self.columns[table].split(", ")
            key = ", ".join(
                f"{name} {value}" for name, value in zip(names[:2], values, strict=False) if name != "identity"
            )
            raise self._damaged(f"checksum of table {table}, {key}")
        return values

    def _seal(self, table: str, condition: str, values: tuple[Any, ...]) -> None:
        """Store the checksums of changed rows."""
        self._database.execute(
            f"UPDATE {table} SET checksum = row_checksum({self.columns[table]}) WHERE {condition}", values
        )

    def _listed(self, table: str) -> Iterator[list[Any] | str]:
        """Yield all rows of a table with their checksums, or a message if rows are missing."""
        found, stored = 0, None
        columns = ", ".join(f"listed.{name}" for name in self.columns[table].split(", "))
        with self._translated():
            # The join reads the rows themselves; COUNT would read an index, where a lost row may still exist.
            for *row, total in self._database.execute(
                f"SELECT {columns}, listed.checksum, number FROM totals LEFT JOIN {table} AS listed ON TRUE "
                "WHERE name = ? ORDER BY listed.id",
                (table,),
            ):
                stored = total
                if row[0] is not None:
                    found += 1
                    yield row
        if found != stored:
            yield f"the store is damaged: table {table} has {found} of {stored} rows"

    def _count_new(self, table: str) -> None:
        """Count a new row of a listed table."""
        self._database.execute("UPDATE totals SET number = number + 1 WHERE name = ?", (table,))

    def _check_count(self, table: str, key: str, number: int, owners: str, field: str) -> None:
        """Raise GameError if the number of rows in `table` differs from that in the row of their owner."""
        with self._translated():
            counts = self._database.execute(
                f"SELECT {field}, (SELECT COUNT(*) FROM {table} WHERE {key} = {owners}.id) FROM {owners} WHERE id = ?",
                (number,),
            ).fetchone()
        if counts is not None and counts[0] != counts[1]:
            raise self._damaged(f"{key} {number} has {counts[1]} of {counts[0]} {table}")

    @contextlib.contextmanager
    def _decoded(self, where: str) -> Iterator[None]:
        """Convert the errors of unexpected content, which only an earlier version can have stored, to GameError."""
        try:
            yield
        except GameError:
            raise
        except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
            raise self._damaged(f"{where}: {error}") from error
