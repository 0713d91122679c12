"""The store of a ladder: a result store of the arena with further tables (schema.py).

Pairs are stored by the arena's code, in groups: one transaction holds the pairs of a group, the sums of their
encounters, and the log. A killed process loses the pairs in progress and nothing else.
"""

import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from starscout.arena.luck_adjustment import Fold
from starscout.arena.pair import PairRecord
from starscout.arena.plan import MatchPlan
from starscout.arena.store import MEMORY, Store
from starscout.arena.store_schema import COLUMNS, row_checksum
from starscout.game import GameError
from starscout.ladder.schema import (
    ACTIVE,
    BASELINE,
    LADDER_COLUMNS,
    RETIRED,
    STUDENT,
    WAITING,
    Entrant,
    LoggedPair,
    Student,
    Submission,
    Version,
    create_tables,
)

Row = TypeVar("Row", Entrant, Student, Submission, Version)

HOUR = 3600
UNBOUNDED = {"pairs": 10**9}
"""The stopping rule of the matches of a ladder."""
DAY_HOURS = 24


class Sums(NamedTuple):
    """The sums of an encounter: over its even and its odd pairs (luck_adjustment.py)."""

    match: int
    first: int
    """Version A."""
    second: int
    folds: tuple[Fold, Fold]


class FinishedPair(NamedTuple):
    """A pair to be stored: its encounter with the new sums, and its record."""

    sums: Sums
    entrants: tuple[int, int]
    record: PairRecord


class LadderStore(Store):
    """An open store of a ladder, for one thread."""

    columns = COLUMNS | LADDER_COLUMNS

    def _open_file(self) -> sqlite3.Connection:
        # Names and e-mails of students, and the games before they are published.
        if self.path != MEMORY and not os.path.exists(self.path):
            os.close(os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o600))
        return super()._open_file()

    def _upgrade(self) -> None:
        super()._upgrade()
        with self._atomic():
            create_tables(self._database)

    # Rows with checksums.

    def _rows(self, kind: type[Row], condition: str = "TRUE", values: tuple[Any, ...] = ()) -> list[Row]:
        table = f"ladder_{kind.__name__.lower()}s"
        return [kind(*self._verified(table, row)) for row in self._select(table, condition, values)]

    def _insert(self, table: str, **values: Any) -> int:
        """Insert a row with its checksum, within a transaction."""
        names = ", ".join(values)
        marks = ", ".join("?" * len(values))
        row = self._database.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(values.values()))
        self._seal(table, "id = ?", (row.lastrowid,))
        return int(row.lastrowid or 0)

    def _update(self, kind: type[Row], number: int, **values: Any) -> None:
        """Change a row, if its checksum is right, within a transaction."""
        table = f"ladder_{kind.__name__.lower()}s"
        if not self._rows(kind, "id = ?", (number,)):
            raise GameError(f"there is no {kind.__name__.lower()} {number}")
        changes = ", ".join(f"{name} = ?" for name in values)
        self._database.execute(f"UPDATE {table} SET {changes} WHERE id = ?", (*values.values(), number))
        self._seal(table, "id = ?", (number,))

    def _query(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._translated():
            return self._database.execute(statement, values).fetchall()

    # Entrants and students.

    def entrants(self) -> list[Entrant]:
        """Return all entrants."""
        return self._rows(Entrant)

    def entrant(self, number: int) -> Entrant:
        """Return an entrant; raises GameError."""
        for found in self._rows(Entrant, "id = ?", (number,)):
            return found
        raise GameError(f"there is no entrant {number}")

    def students(self) -> list[Student]:
        """Return all students."""
        return self._rows(Student)

    def student_with_hash(self, token: str) -> Student | None:
        """Return the student whose token has this hash."""
        return next(iter(self._rows(Student, "token = ?", (token,))), None) if token else None

    def student_with_code(self, code: str) -> Student | None:
        """Return the student with this id of the class list."""
        return next(iter(self._rows(Student, "code = ?", (code,))), None)

    def enrol(self, code: str, name: str, team: str, email: str, token: str) -> None:
        """Add a student, or replace name, e-mail and token of a known one; `token` is a hash.

        Students of one team are one entrant. Raises GameError if another entrant has this name.
        """
        called = team or name
        with self._transaction():
            known = self.student_with_code(code)
            entrant = next(iter(self._rows(Entrant, "name = ?", (called,))), None)
            if entrant is not None and (
                entrant.kind == BASELINE or (not team and known is not None and known.entrant != entrant.id)
                or (not team and known is None)
            ):  # fmt: skip
                raise GameError(
                    f"{code}: the name {called!r} is already taken; students who work together need the same team"
                )
            if entrant is not None:
                number = entrant.id
            elif known is not None and not team and self._members(known.entrant) == 1:
                number = known.entrant
                self._update(Entrant, number, name=called)
            else:
                number = self._new_entrant(called, STUDENT)
            if known is None:
                self._insert(
                    "ladder_students", code=code, name=name, email=email, entrant=number, token=token,
                    created=time.time(),
                )  # fmt: skip
            else:
                self._update(Student, known.id, name=name, email=email, entrant=number, token=token)

    def _members(self, entrant: int) -> int:
        return len(self._rows(Student, "entrant = ?", (entrant,)))

    def _new_entrant(self, name: str, kind: str) -> int:
        return self._insert("ladder_entrants", name=name, kind=kind, status=ACTIVE, note="", created=time.time())

    def baseline(self, name: str) -> Entrant:
        """Return the permanent player with this name, created if new; raises GameError if a student has it."""
        with self._transaction():
            if not self._rows(Entrant, "name = ?", (name,)):
                self._new_entrant(name, BASELINE)
        found = self._rows(Entrant, "name = ?", (name,))[0]
        if found.kind != BASELINE:
            raise GameError(f"baseline {name!r}: a student or team has this name")
        return found

    def set_entrant(self, number: int, status: str, note: str) -> None:
        """Change the state of an entrant."""
        with self._transaction():
            self._update(Entrant, number, status=status, note=note)

    # Submissions.

    def add_submission(self, student: Student, game: str, channel: str, file: str) -> int:
        """Store a new submission; returns its number."""
        with self._transaction():
            return self._insert(
                "ladder_submissions", student=student.id, entrant=student.entrant, game=game, received=time.time(),
                channel=channel, file=file, digest="", status=WAITING, reason="", transcript="", seconds=0.0,
                version=None,
            )  # fmt: skip

    def update_submission(self, number: int, **values: Any) -> None:
        """Change columns of a submission."""
        with self._transaction():
            self._update(Submission, number, **values)

    def submission(self, number: int) -> Submission:
        """Return a submission; raises GameError."""
        for found in self._rows(Submission, "id = ?", (number,)):
            return found
        raise GameError(f"there is no submission {number}")

    def submissions(self, entrant: int | None = None, status: str | None = None, limit: int = 200) -> list[Submission]:
        """Return the newest submissions."""
        conditions = {"entrant = ?": entrant, "status = ?": status}
        given = {text: value for text, value in conditions.items() if value is not None}
        condition = " AND ".join(given) or "TRUE"
        return self._rows(Submission, f"{condition} ORDER BY id DESC LIMIT ?", (*given.values(), limit))

    def submitted_since(self, entrant: int, since: float) -> list[float]:
        """Return the times of an entrant's submissions since a time, newest first."""
        rows = self._query(
            "SELECT received FROM ladder_submissions WHERE entrant = ? AND received >= ? ORDER BY received DESC",
            (entrant, since),
        )
        return [row[0] for row in rows]

    # Versions.

    def versions(self, game: str | None = None, entrant: int | None = None) -> list[Version]:
        """Return the versions, oldest first."""
        conditions = {"game = ?": game, "entrant = ?": entrant}
        given = {text: value for text, value in conditions.items() if value is not None}
        return self._rows(Version, f"{' AND '.join(given) or 'TRUE'} ORDER BY id", tuple(given.values()))

    def version(self, number: int) -> Version:
        """Return a version; raises GameError."""
        for found in self._rows(Version, "id = ?", (number,)):
            return found
        raise GameError(f"there is no version {number}")

    def activate(self, entrant: int, game: str, digest: str, spec: str, prior: float | None) -> Version:
        """Make a version with these files the active one of its entrant: an earlier one, or a new one."""
        with self._transaction():
            earlier = self._rows(Version, "entrant = ? AND game = ? ORDER BY number", (entrant, game))
            same = next((version for version in earlier if (version.digest, version.spec) == (digest, spec)), None)
            for version in earlier:
                if version.status == ACTIVE and version != same:
                    self._update(Version, version.id, status=RETIRED)
            if same is None:
                number = self._insert(
                    "ladder_versions", entrant=entrant, game=game, number=len(earlier) + 1, digest=digest, spec=spec,
                    created=time.time(), status=ACTIVE, prior=prior,
                )  # fmt: skip
            else:
                number = same.id
                self._update(Version, number, status=ACTIVE)
        return self.version(number)

    def set_version(self, number: int, status: str) -> None:
        """Change the state of a version."""
        with self._transaction():
            self._update(Version, number, status=status)

    # Pairs.

    def sums(self, game: str) -> list[Sums]:
        """Return the sums of all encounters of a game."""
        found: list[Sums] = []
        for row in self._select("ladder_encounters", "game = ?", (game,)):
            match, _, first, second, text = self._verified("ladder_encounters", row)
            with self._decoded(f"encounter {match}"):
                even, odd = (Fold(**fold) for fold in json.loads(text))
            found.append(Sums(match, first, second, (even, odd)))
        return found

    def open_matches(self, plans: Sequence[MatchPlan]) -> list[int]:
        """Return the numbers of the matches of these plans, created if new, in one transaction."""
        with self._transaction():
            return [self._add_match(plan, UNBOUNDED) for plan in plans]

    def stored_pairs(self, match: int) -> list[int]:
        """Return the numbers of the stored pairs of a match."""
        return [row[0] for row in self._query("SELECT pair FROM pairs WHERE match = ? ORDER BY pair", (match,))]

    def pair(self, match: int, number: int) -> PairRecord:
        """Return a stored pair; raises GameError."""
        for row in self._select("pairs", "match = ? AND pair = ?", (match, number)):
            return self._pair_record(row)
        raise GameError(f"there is no pair {number} in match {match}")

    def add_pairs(self, game: str, finished: Sequence[FinishedPair]) -> None:
        """Store a group of pairs with the sums of their encounters, all or none."""
        now = time.time()
        latest = {item.sums.match: item for item in finished}
        with self._transaction():
            for match, item in latest.items():
                records = [other.record for other in finished if other.sums.match == match]
                seconds = sum(record.seconds for record in records)
                if len(self._add_pairs(match, records, seconds)) < len(records):
                    raise self._damaged(f"match {match} has one of the pairs {[r.pair for r in records]} already")
                text = json.dumps([vars(fold) for fold in item.sums.folds])
                row = match, game, item.sums.first, item.sums.second, text
                self._database.execute(
                    "INSERT OR REPLACE INTO ladder_encounters VALUES (?, ?, ?, ?, ?, ?)", (*row, row_checksum(*row))
                )
            for item in finished:
                self._log(game, item, now)

    def _log(self, game: str, item: FinishedPair, now: float) -> None:
        record, (first, second) = item.record, item.entrants
        losers = [name for half in range(len(record.scores)) for name in record.forfeiters(half)]
        forfeits = losers.count("A"), losers.count("B")
        row = item.sums.match, record.pair, game, first, second, now, record.score
        number = self._database.execute(
            "INSERT INTO ladder_log (match, pair, game, first, second, ended, score, forfeits) VALUES "
            "(?, ?, ?, ?, ?, ?, ?, ?)",
            (*row, bool(forfeits[0]) + 2 * bool(forfeits[1])),
        ).lastrowid
        scores = record.score, 1.0 - record.score
        for entrant, score, lost, used in zip((first, second), scores, forfeits, record.used, strict=True):
            self._database.execute("INSERT INTO ladder_sides VALUES (?, ?, ?, ?)", (entrant, number, score, lost))
            self._database.execute(
                "INSERT INTO ladder_usage VALUES (?, ?, ?) "
                "ON CONFLICT DO UPDATE SET seconds = seconds + excluded.seconds",
                (entrant, int(now // HOUR), used.seconds),
            )

    def logged(self, *, game: str | None = None, before: int | None = None, limit: int = 50) -> list[LoggedPair]:
        """Return the newest pairs whose number in the log is smaller than a given one."""
        return self._logged("ladder_log", "TRUE", (), game, before, limit)

    def logged_of(
        self, entrant: int, *, opponent: int | None = None, game: str | None = None, kind: str = "",
        before: int | None = None, limit: int = 50,
    ) -> list[LoggedPair]:  # fmt: skip
        """Return the newest pairs of an entrant: all, or of a kind: `losses` or `forfeits`."""
        more = {"losses": " AND sides.score < 0.5", "forfeits": " AND sides.forfeits > 0"}.get(kind, "")
        condition, values = f"sides.entrant = ?{more}", [entrant]
        if opponent is not None:
            condition += " AND ? IN (first, second)"
            values.append(opponent)
        source = "ladder_sides AS sides CROSS JOIN ladder_log ON ladder_log.id = sides.log"
        return self._logged(source, condition, tuple(values), game, before, limit)

    def forfeits(self, *, before: int | None = None, limit: int = 50) -> list[LoggedPair]:
        """Return the newest pairs with a forfeit."""
        return self._logged("ladder_log", "ladder_log.forfeits > 0", (), None, before, limit)

    def _logged(
        self, source: str, condition: str, values: tuple[Any, ...], game: str | None, before: int | None, limit: int
    ) -> list[LoggedPair]:
        place = "sides.log" if source != "ladder_log" else "ladder_log.id"
        if before is not None:
            condition, values = f"{condition} AND {place} < ?", (*values, before)
        if game is not None:
            condition, values = f"{condition} AND game = ?", (*values, game)
        rows = self._query(
            "SELECT ladder_log.id, match, pair, game, first, second, ended, ladder_log.score, ladder_log.forfeits "
            f"FROM {source} WHERE {condition} ORDER BY {place} DESC LIMIT ?",
            (*values, limit),
        )
        return [LoggedPair(*row) for row in rows]

    def logged_pair(self, number: int) -> LoggedPair:
        """Return a pair of the log; raises GameError."""
        for found in self._logged("ladder_log", "ladder_log.id = ?", (number,), None, None, 1):
            return found
        raise GameError(f"there is no pair {number}")

    def pair_count(self) -> int:
        """Return the number of stored pairs."""
        return int(self._query("SELECT IFNULL(MAX(id), 0) FROM ladder_log")[0][0])

    def pairs_of(self, entrant: int) -> int:
        """Return the number of stored pairs of an entrant."""
        return int(self._query("SELECT COUNT(*) FROM ladder_sides WHERE entrant = ?", (entrant,))[0][0])

    def usage(self, since: float) -> dict[int, float]:
        """Return entrant → seconds of thinking time from the hour of `since` on."""
        rows = self._query(
            "SELECT entrant, SUM(seconds) FROM ladder_usage WHERE hour >= ? GROUP BY entrant", (int(since // HOUR),)
        )
        return dict(rows)

    # Ratings, answers, events and single values.

    def add_ratings(self, game: str, rows: Iterable[tuple[int, float, float, int, int]]) -> None:
        """Store the current ratings: version, Elo, error, rank and number of pairs."""
        now = time.time()
        with self._transaction():
            self._database.executemany(
                "INSERT OR REPLACE INTO ladder_ratings VALUES (?, ?, ?, ?, ?, ?, ?)",
                [(game, version, now, elo, error, rank, pairs) for version, elo, error, rank, pairs in rows],
            )

    def ratings_of(self, version: int) -> list[tuple[float, float, float, int, int]]:
        """Return time, Elo, error, rank and number of pairs of a version, oldest first."""
        rows = self._query(
            "SELECT time, elo, error, rank, pairs FROM ladder_ratings WHERE version = ? ORDER BY time", (version,)
        )
        return [(row[0], row[1], row[2], row[3], row[4]) for row in rows]

    def ratings_before(self, game: str, then: float) -> dict[int, tuple[float, int]]:
        """Return version → the latest Elo and rank that were stored by the time `then`."""
        rows = self._query(
            "SELECT version, elo, rank, MAX(time) FROM ladder_ratings WHERE game = ? AND time <= ? GROUP BY version",
            (game, then),
        )
        return {version: (elo, rank) for version, elo, rank, _ in rows}

    def add_answers(self, version: int, moves: Sequence[str]) -> None:
        """Store the moves of a version in the fixed positions."""
        with self._transaction():
            self._database.executemany(
                "INSERT OR REPLACE INTO ladder_answers VALUES (?, ?, ?)",
                [(version, question, move) for question, move in enumerate(moves)],
            )

    def answers(self, version: int) -> list[str]:
        """Return the moves of a version in the fixed positions; empty if it has not been queried."""
        rows = self._query("SELECT move FROM ladder_answers WHERE version = ? ORDER BY question", (version,))
        return [row[0] for row in rows]

    def add_event(self, kind: str, text: str) -> None:
        """Store an event."""
        with self._transaction():
            self._database.execute(
                "INSERT INTO ladder_events (time, kind, text) VALUES (?, ?, ?)", (time.time(), kind, text)
            )

    def events(self, limit: int = 100) -> list[tuple[float, str, str]]:
        """Return time, kind and text of the newest events."""
        rows = self._query("SELECT time, kind, text FROM ladder_events ORDER BY id DESC LIMIT ?", (limit,))
        return [(row[0], row[1], row[2]) for row in rows]

    def state(self, name: str) -> str:
        """Return a single value; empty if it is not set."""
        rows = self._query("SELECT value FROM ladder_state WHERE name = ?", (name,))
        return rows[0][0] if rows else ""

    def set_state(self, name: str, value: str) -> None:
        """Store a single value."""
        with self._transaction():
            self._database.execute("INSERT OR REPLACE INTO ladder_state VALUES (?, ?)", (name, value))

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read a consistent state of the file in several statements."""
        with self._translated():
            self._database.execute("BEGIN")
            try:
                yield
            finally:
                self._database.execute("COMMIT")
