"""Schema of the result store: tables, upgrades from earlier versions, and the checksum of every row.

matches      one row per plan; the identity covers the plan and the code that plays it. `stored`, `games` and `points`
             are the number of its stored pairs, of their games, and A's points in them
pairs        one row per finished pair; the key (match, pair) prevents counting a pair twice
tournaments  a description and its meetings: which match is played in which round. `meetings` is their number
tunings      the steps of a parameter tuning
experiments  descriptions; their matches and tournaments are found by plan
"""

import hashlib
import sqlite3
from typing import Any

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
    "tunings": "id, identity, description, created",
    "tuning_steps": "tuning, step, content",
    "experiments": "id, identity, description, created",
}
"""The columns of each table that its checksum covers."""

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
CREATE TABLE IF NOT EXISTS experiments (
    id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE, description TEXT NOT NULL, created REAL NOT NULL);
ALTER TABLE matches ADD COLUMN stored INTEGER NOT NULL DEFAULT 0;
ALTER TABLE matches ADD COLUMN games INTEGER NOT NULL DEFAULT 0;
ALTER TABLE matches ADD COLUMN points REAL NOT NULL DEFAULT 0;
UPDATE matches SET (stored, games, points) = (
    SELECT COUNT(*), COUNT(*) + COUNT(score1), TOTAL(score0 + IFNULL(score1, 0)) FROM pairs WHERE match = matches.id);
ALTER TABLE tournaments ADD COLUMN meetings INTEGER NOT NULL DEFAULT 0;
UPDATE tournaments SET meetings = (SELECT COUNT(*) FROM meetings WHERE tournament = tournaments.id);
{"".join(f"ALTER TABLE {table} ADD COLUMN checksum BLOB;" for table in COLUMNS)}
{"".join(f"UPDATE {table} SET checksum = row_checksum({columns});" for table, columns in COLUMNS.items())}
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
