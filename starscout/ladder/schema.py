"""Tables of a ladder, in the file of a result store of the arena.

entrants     who is rated: a student, a team of students, or a permanent player
students     members of the class, each with the hash of a token
submissions  every submitted file, with its status and the reason
versions     accepted engines of an entrant; the newest active one plays
encounters   one row per match of two versions: sums over its pairs, from which the ratings are computed
log          the pairs in the order of their end; `sides` lists the pairs of each entrant
ratings      earlier ratings, for changes and histories
usage        thinking time of the engines of an entrant, per hour
answers      moves of a version in fixed positions, for the similarity report
events       notifications for the teacher: faults of the server, disqualifications
state        phase and other single values
"""

import sqlite3
from dataclasses import dataclass

LADDER_VERSION = "1"

LADDER_COLUMNS = {
    "ladder_entrants": "id, name, kind, status, note, created",
    "ladder_students": "id, code, name, email, entrant, token, created",
    "ladder_submissions": "id, student, entrant, game, received, channel, file, digest, status, reason, transcript, "
    "seconds, version",
    "ladder_versions": "id, entrant, game, number, digest, spec, created, status, prior",
    "ladder_encounters": "match, game, first, second, sums",
}
"""The columns that the checksum of each table covers. Other tables can be rebuilt, or do not affect results."""

_TABLES = """
CREATE TABLE ladder_entrants (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, status TEXT NOT NULL, note TEXT NOT NULL,
    created REAL NOT NULL, checksum BLOB);
CREATE TABLE ladder_students (
    id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, name TEXT NOT NULL, email TEXT NOT NULL,
    entrant INTEGER NOT NULL REFERENCES ladder_entrants, token TEXT NOT NULL, created REAL NOT NULL, checksum BLOB);
CREATE INDEX ladder_student_tokens ON ladder_students (token);
CREATE TABLE ladder_submissions (
    id INTEGER PRIMARY KEY, student INTEGER NOT NULL REFERENCES ladder_students,
    entrant INTEGER NOT NULL REFERENCES ladder_entrants, game TEXT NOT NULL, received REAL NOT NULL,
    channel TEXT NOT NULL, file TEXT NOT NULL, digest TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL,
    transcript TEXT NOT NULL, seconds REAL NOT NULL, version INTEGER, checksum BLOB);
CREATE INDEX ladder_submissions_of ON ladder_submissions (entrant, received);
CREATE INDEX ladder_submission_states ON ladder_submissions (status);
CREATE TABLE ladder_versions (
    id INTEGER PRIMARY KEY, entrant INTEGER NOT NULL REFERENCES ladder_entrants, game TEXT NOT NULL,
    number INTEGER NOT NULL, digest TEXT NOT NULL, spec TEXT NOT NULL, created REAL NOT NULL, status TEXT NOT NULL,
    prior REAL, checksum BLOB, UNIQUE (entrant, game, number));
CREATE TABLE ladder_encounters (
    match INTEGER PRIMARY KEY REFERENCES matches, game TEXT NOT NULL,
    first INTEGER NOT NULL REFERENCES ladder_versions, second INTEGER NOT NULL REFERENCES ladder_versions,
    sums TEXT NOT NULL, checksum BLOB);
CREATE TABLE ladder_log (
    id INTEGER PRIMARY KEY, match INTEGER NOT NULL, pair INTEGER NOT NULL, game TEXT NOT NULL,
    first INTEGER NOT NULL, second INTEGER NOT NULL, ended REAL NOT NULL, score REAL NOT NULL,
    forfeits INTEGER NOT NULL, UNIQUE (match, pair));
CREATE INDEX ladder_log_forfeits ON ladder_log (id) WHERE forfeits > 0;
CREATE TABLE ladder_sides (
    entrant INTEGER NOT NULL, log INTEGER NOT NULL, score REAL NOT NULL, forfeits INTEGER NOT NULL,
    PRIMARY KEY (entrant, log)) WITHOUT ROWID;
CREATE INDEX ladder_losses ON ladder_sides (entrant, log) WHERE score < 0.5;
CREATE INDEX ladder_own_forfeits ON ladder_sides (entrant, log) WHERE forfeits > 0;
CREATE TABLE ladder_ratings (
    game TEXT NOT NULL, version INTEGER NOT NULL, time REAL NOT NULL, elo REAL NOT NULL, error REAL NOT NULL,
    rank INTEGER NOT NULL, pairs INTEGER NOT NULL, PRIMARY KEY (version, time)) WITHOUT ROWID;
CREATE TABLE ladder_usage (
    entrant INTEGER NOT NULL, hour INTEGER NOT NULL, seconds REAL NOT NULL,
    PRIMARY KEY (entrant, hour)) WITHOUT ROWID;
CREATE TABLE ladder_answers (
    version INTEGER NOT NULL, question INTEGER NOT NULL, move TEXT NOT NULL,
    PRIMARY KEY (version, question)) WITHOUT ROWID;
CREATE TABLE ladder_events (id INTEGER PRIMARY KEY, time REAL NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL);
CREATE TABLE ladder_state (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""

STUDENT, BASELINE = "student", "baseline"
"""Kinds of entrants."""
ACTIVE, DISQUALIFIED = "active", "disqualified"
"""States of entrants; versions are ACTIVE, RETIRED or SUSPENDED."""
RETIRED, SUSPENDED = "retired", "suspended"
WAITING, BUILDING, ACCEPTED, REJECTED = "waiting", "building", "accepted", "rejected"
"""States of submissions."""


def create_tables(database: sqlite3.Connection) -> None:
    """Create the tables within a transaction; raises sqlite3.DatabaseError for those of another version."""
    if database.execute("SELECT 1 FROM sqlite_master WHERE name = 'ladder_state'").fetchone() is None:
        for statement in _TABLES.split(";")[:-1]:
            database.execute(statement)
        database.execute("INSERT INTO ladder_state VALUES ('version', ?)", (LADDER_VERSION,))
    found = database.execute("SELECT value FROM ladder_state WHERE name = 'version'").fetchone()
    if found != (LADDER_VERSION,):
        raise sqlite3.DatabaseError(f"ladder version {found}, expected {LADDER_VERSION}")


@dataclass(frozen=True)
class Entrant:
    """Who is rated: a student, a team, or a permanent player."""

    id: int
    name: str
    kind: str
    status: str
    note: str
    created: float


@dataclass(frozen=True)
class Student:
    """A member of the class."""

    id: int
    code: str
    name: str
    email: str
    entrant: int
    token: str
    """The hash of the token."""
    created: float


@dataclass(frozen=True)
class Submission:
    """A submitted file and its status."""

    id: int
    student: int
    entrant: int
    game: str
    received: float
    channel: str
    file: str
    digest: str
    status: str
    reason: str
    transcript: str
    seconds: float
    version: int | None


@dataclass(frozen=True)
class Version:
    """An accepted engine of an entrant."""

    id: int
    entrant: int
    game: str
    number: int
    """1, 2, … for each entrant and game."""
    digest: str
    """The hash of its files; empty for a permanent player."""
    spec: str
    """Its SPEC, relative to the folder of the version."""
    created: float
    status: str
    prior: float | None
    """The rating of the version before it, in Elo; None for the first version."""


@dataclass(frozen=True)
class LoggedPair:
    """A finished pair of games in the log."""

    id: int
    match: int
    pair: int
    game: str
    first: int
    """Entrant A."""
    second: int
    ended: float
    score: float
    """Mean score of A."""
    forfeits: int
    """1 if A forfeited a game, plus 2 if B did."""
