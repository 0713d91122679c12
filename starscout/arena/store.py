"""Result store: one SQLite file in WAL mode with one writer, the director (tables: store_schema.py).

`add` is durable when it returns. Every row has a checksum, and each match and tournament stores the number of its rows,
so a damaged file raises an error and never changes a result.
"""

import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from starscout.arena.pair import PairRecord, usage_from_json
from starscout.arena.plan import MatchPlan, check_storable, code_digest, json_from_text, plan_from_json
from starscout.arena.store_schema import (
    COLUMNS,
    IN_USE,
    VERSION,
    CheckedRows,
    StoreError,
    add_functions,
    check_date,
    check_types,
    row_checksum,
    upgrade,
)
from starscout.game import GameError

MEMORY = ":memory:"

LOCK_SECONDS = 60.0
"""Seconds to wait for another process that opens, writes or closes the store."""


def live_folder(store: str) -> str:
    """The folder of a store's games in progress (`broadcast.py`); empty for a store in memory."""
    return "" if store == MEMORY else os.fspath(Path(store).absolute().with_suffix(".live"))


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
    stored: int = 0
    """Number of stored pairs."""
    games: int = 0
    """Number of games in them."""
    points: float = 0.0
    """Points of A in these games."""

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


class Store(CheckedRows):
    """An open store, not thread-safe; `Store(":memory:")` is not saved."""

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)
        self.read_only = False
        """Whether the file can only be read."""
        try:
            self._database = self._open_file()
        except StoreError:
            raise
        except (sqlite3.Error, OSError, MemoryError, ValueError) as error:
            raise GameError(f"{self.path}: not a result store: {error}") from error

    def _open_file(self) -> sqlite3.Connection:
        if self.path != MEMORY:
            Path(self.path).parent.mkdir(parents=True, exist_ok=True)
        until = time.monotonic() + LOCK_SECONDS
        while True:
            self._database = sqlite3.connect(self.path, timeout=LOCK_SECONDS, isolation_level=None)
            try:
                self._database.execute("PRAGMA journal_mode=WAL")
                # FULL: a commit survives a power failure.
                self._database.execute("PRAGMA synchronous=FULL")
                self._upgrade()
            except sqlite3.Error as error:
                self._database.close()
                if not (isinstance(error, sqlite3.OperationalError) and Path(self.path).is_file()):
                    raise
                if error.sqlite_errorcode & 0xFF not in IN_USE:
                    return self._open_read_only(error)
                # The file is writable but locked; SQLite does not wait in every case.
                if time.monotonic() > until:
                    raise StoreError(f"{self.path}: another process uses the store: {error}") from error
                time.sleep(0.05)
                continue
            return self._database

    def _open_read_only(self, reason: sqlite3.Error) -> sqlite3.Connection:
        """Open the file read-only; pairs still in the write-ahead log are not visible."""
        uri = f"{Path(self.path).resolve().as_uri()}?mode=ro&immutable=1"
        file = sqlite3.connect(uri, uri=True, isolation_level=None)
        version = file.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            file.close()
            raise reason
        self._database = file
        if version != VERSION:
            # The file belongs to an earlier version: upgrade a copy.
            self._database = sqlite3.connect(MEMORY, isolation_level=None)
            file.backup(self._database)
            file.close()
            self._upgrade()
        self.read_only = True
        return self._database

    def _upgrade(self) -> None:
        add_functions(self._database)
        with self._atomic():
            upgrade(self._database)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Matches and pairs.

    def open_match(self, plan: MatchPlan, stopping_rule: dict[str, Any]) -> StoredMatch:
        """Return the match of this plan, created if new, with this stopping rule."""
        if self.read_only:
            return self._existing_match(plan)
        with self._transaction():
            number = self._add_match(plan, stopping_rule)
        return self.match(number)

    def _add_match(self, plan: MatchPlan, stopping_rule: dict[str, Any]) -> int:
        """Create the match of this plan if it is new, within a transaction; returns its number."""
        check_storable(plan)
        self._database.execute(
            "INSERT OR IGNORE INTO matches (identity, plan, code, created, goal) VALUES (?, ?, ?, ?, ?)",
            (plan.identity, plan.to_json(), code_digest(), time.time(), json.dumps(stopping_rule)),
        )
        new = self._database.execute("SELECT changes()").fetchone()[0]
        if new:
            self._count_new("matches")
        # Verify the row first: updating a row with a wrong checksum must not make it valid.
        found = self._match_row("identity = ?", (plan.identity,), new=bool(new))
        self._database.execute(
            "UPDATE matches SET goal = ?, counted = NULL WHERE id = ?", (json.dumps(stopping_rule), found[0])
        )
        self._seal("matches", "id = ?", (found[0],))
        return found[0]

    def _match_row(self, condition: str, values: tuple[Any, ...], *, new: bool = False) -> list[Any]:
        """Return the verified row of a match; raises GameError. A new row has no checksum yet."""
        row = next(self._select("matches", condition, values), None)
        if row is None:
            raise self._damaged("a match is missing")
        return row[:-1] if new else self._verified("matches", row)

    def _existing_match(self, plan: MatchPlan) -> StoredMatch:
        """Return the match of this plan from a read-only store."""
        row = next(self._select("matches", "identity = ?", (plan.identity,)), None)
        if row is None:
            raise StoreError(f"{self.path}: cannot write, and the store does not contain this match")
        return self._stored_match(row)

    def match(self, number: int) -> StoredMatch:
        """Return match `number`; raises GameError."""
        row = next(self._select("matches", "id = ?", (number,)), None) if abs(number) < 1 << 63 else None
        if row is None:
            raise GameError(f"{self.path}: no match {number} (`starscout results` lists them)")
        return self._stored_match(row)

    def matches(self) -> list[StoredMatch]:
        """Return all readable matches, oldest first."""
        return [found for found in self._read_matches() if isinstance(found, StoredMatch)]

    def unreadable(self) -> list[str]:
        """Return a message for each match, tournament, tuning and experiment that cannot be read."""
        found = [found for found in self._read_matches() if isinstance(found, str)]
        for table in ("tournaments", "tunings", "experiments"):
            found += [found for found in self._descriptions(table) if isinstance(found, str)]
        return found

    def _read_matches(self) -> Iterator[StoredMatch | str]:
        for row in self._listed("matches"):
            try:
                yield row if isinstance(row, str) else self._stored_match(row)
            except GameError as error:
                yield f"match {row[0]}: cannot read: {_without(self.path, error)}"

    def _stored_match(self, row: list[Any]) -> StoredMatch:
        number, _, plan, code, created, goal, counted, seconds, stored, played, points = self._verified("matches", row)
        with self._decoded(f"match {number}"):
            check_types(int, number, stored, played, *(() if counted is None else (counted,)))
            check_types(float, seconds, points)
            check_date(created)
            plan, rule = plan_from_json(plan), json_from_text(goal)
        return StoredMatch(number, plan, code, created, rule, counted, seconds, stored, played, points)

    def add(self, match: int, records: Iterable[PairRecord], seconds: float = 0.0) -> None:
        """Store finished pairs durably and add `seconds` to the match; existing pairs are kept."""
        with self._transaction():
            self._add_pairs(match, records, seconds)

    def _add_pairs(self, match: int, records: Iterable[PairRecord], seconds: float) -> list[PairRecord]:
        """Store pairs within a transaction; returns those that are new."""
        rows = [(record, pair_row(match, record)) for record in records]
        marks = ", ".join("?" * (len(COLUMNS["pairs"].split(", ")) + 1))
        # Verify the row before it is changed and gets a new checksum.
        self._match_row("id = ?", (match,))
        added = [
            record
            for record, row in rows
            if self._database.execute(
                f"INSERT OR IGNORE INTO pairs ({COLUMNS['pairs']}, checksum) VALUES ({marks})",
                (*row, row_checksum(*row)),
            ).rowcount
            > 0
        ]
        self._database.execute(
            "UPDATE matches SET seconds = seconds + ?, stored = stored + ?, games = games + ?, points = points + ? "
            "WHERE id = ?",
            (seconds, len(added), sum(len(r.scores) for r in added), sum(sum(r.scores) for r in added), match),
        )
        self._seal("matches", "id = ?", (match,))
        return added

    def finish(self, match: int, counted: int) -> None:
        """Mark a match as decided by its first `counted` pairs."""
        if self.read_only:
            return
        with self._transaction():
            self._match_row("id = ?", (match,))
            self._database.execute("UPDATE matches SET counted = ? WHERE id = ?", (counted, match))
            self._seal("matches", "id = ?", (match,))

    def pairs(self, match: int, start: int = 0) -> Iterator[PairRecord]:
        """Yield the stored pairs of a match from number `start` on, in order; raises GameError for a damaged pair."""
        found = stored = 0
        number = ", (SELECT stored FROM matches WHERE id = match)"
        for *row, total in self._select("pairs", "match = ? AND pair >= ? ORDER BY pair", (match, start), number):
            found, stored = found + 1, total
            yield self._pair_record(row)
        if start == 0 and found == 0:
            self._check_count("pairs", "match", match, "matches", "stored")
        elif start == 0 and found != stored:
            raise self._damaged(f"match {match} has {found} of {stored} pairs")

    def _pair_record(self, row: list[Any]) -> PairRecord:
        match, pair, s0, s1, p0, p1, r0, r1, l0, l1, seconds, content, times, text = self._verified("pairs", row)
        scores, plies, reasons, luck = (s0, s1), (p0, p1), (r0, r1), None if l0 is None else (l0, l1)
        if s1 is None:
            scores, plies, reasons, luck = (s0,), (p0,), (r0,), None if l0 is None else (l0,)
        with self._decoded(f"match {match}, pair {pair}"):
            check_types(float, *scores, *(luck or ()), seconds)
            check_types(int, *plies)
            check_types(str, *reasons)
            check_types(bytes, content, times)
            first, second, *scored = json.loads(text) if text else ((), ())
            used = usage_from_json(first), usage_from_json(second)
            points, scale = (tuple(scored[0]), scored[1]) if scored else ((), 1)
            check_types(int, *points, scale)
        return PairRecord(pair, scores, plies, reasons, luck, seconds, content, times, used, points, scale)

    def counted_pairs(self, match: StoredMatch, start: int = 0) -> Iterator[PairRecord]:
        """Yield the pairs of the result: from `start` to the first missing pair or to the decision."""
        number = start
        for record in self.pairs(match.id, start):
            if record.pair != number or number == match.counted:
                break
            yield record
            number += 1
        if match.counted is not None and number < match.counted:
            raise self._damaged(f"match {match.id} has {number} of {match.counted} counted pairs")

    def pair_counts(self) -> dict[int, int]:
        """Return match → number of stored pairs."""
        return {match.id: match.stored for match in self.matches() if match.stored}

    def scores(self) -> dict[int, float]:
        """Return match → mean score of A over the stored games."""
        return {match.id: match.points / match.games for match in self.matches() if match.games}

    # Tournaments.

    def open_tournament(self, identity: str, description: dict[str, Any]) -> int:
        """Return the number of the tournament with this identity, created if new."""
        return self._open("tournaments", identity, description)

    def update_tournament(self, tournament: int, description: dict[str, Any], cancelled: Iterable[int] = ()) -> None:
        """Replace the description of a tournament and remove the meetings of these matches; the identity is kept."""
        with self._transaction(), self._changed_tournament(tournament):
            self._database.executemany(
                "DELETE FROM meetings WHERE tournament = ? AND match = ?", [(tournament, match) for match in cancelled]
            )
            self._database.execute(
                "UPDATE tournaments SET description = ? WHERE id = ?", (json.dumps(description), tournament)
            )

    def add_meeting(self, tournament: int, round_: int, board: int, first: int, second: int, match: int) -> None:
        """Store a meeting of players number `first` and `second`; `match` contains their games."""
        self.add_meetings(tournament, [(round_, board, first, second, match)])

    def add_meetings(self, tournament: int, rows: Iterable[tuple[int, int, int, int, int]]) -> None:
        """Store meetings, all or none: round, board, numbers of the players, and the match with their games."""
        if self.read_only:
            return
        meetings = [(tournament, *row) for row in rows]
        with self._transaction(), self._changed_tournament(tournament):
            self._database.executemany(
                "INSERT OR IGNORE INTO meetings VALUES (?, ?, ?, ?, ?, ?, ?)",
                [(*row, row_checksum(*row)) for row in meetings],
            )

    @contextlib.contextmanager
    def _changed_tournament(self, tournament: int) -> Iterator[None]:
        """Verify a tournament, change it, then store the number of its meetings and its checksum."""
        self.meetings(tournament)
        for row in self._select("tournaments", "id = ?", (tournament,)):
            self._verified("tournaments", row)
        yield
        count = "SELECT COUNT(*) FROM meetings WHERE tournament = tournaments.id"
        self._database.execute(f"UPDATE tournaments SET meetings = ({count}) WHERE id = ?", (tournament,))
        self._seal("tournaments", "id = ?", (tournament,))

    def tournaments(self) -> list[tuple[int, dict[str, Any], float]]:
        """Return number, description and date of every readable tournament."""
        return [found for found in self._descriptions("tournaments") if not isinstance(found, str)]

    def meetings(self, tournament: int) -> list[tuple[int, int, int, int]]:
        """Return round, first player, second player and match of every meeting, in order; raises GameError."""
        stored, found = 0, list[tuple[int, int, int, int]]()
        number = ", (SELECT meetings FROM tournaments WHERE id = tournament)"
        for *row, total in self._select("meetings", "tournament = ? ORDER BY round, board", (tournament,), number):
            stored = total
            _, round_, _, first, second, match = self._verified("meetings", row)
            with self._decoded(f"tournament {tournament}"):
                check_types(int, round_, first, second, match)
            found.append((round_, first, second, match))
        if not found:
            self._check_count("meetings", "tournament", tournament, "tournaments", "meetings")
        elif len(found) != stored:
            raise self._damaged(f"tournament {tournament} has {len(found)} of {stored} meetings")
        return found

    # Tunings.

    def open_tuning(self, identity: str, description: dict[str, Any]) -> int:
        """Return the number of the tuning with this identity, created if new."""
        return self._open("tunings", identity, description)

    def add_tuning_step(self, tuning: int, step: int, content: dict[str, Any]) -> None:
        """Store one step of a tuning durably."""
        row = tuning, step, json.dumps(content)
        with self._transaction():
            self.tuning_steps(tuning)
            for owner in self._select("tunings", "id = ?", (tuning,)):
                self._verified("tunings", owner)
            added = self._database.execute(
                "INSERT OR IGNORE INTO tuning_steps VALUES (?, ?, ?, ?)", (*row, row_checksum(*row))
            )
            self._database.execute("UPDATE tunings SET steps = steps + ? WHERE id = ?", (added.rowcount, tuning))
            self._seal("tunings", "id = ?", (tuning,))

    def tunings(self) -> list[tuple[int, dict[str, Any], float]]:
        """Return number, description and date of every readable tuning."""
        return [found for found in self._descriptions("tunings") if not isinstance(found, str)]

    def tuning_steps(self, tuning: int) -> list[dict[str, Any]]:
        """Return the steps so far, in order; raises GameError."""
        rows = [
            self._verified("tuning_steps", row)
            for row in self._select("tuning_steps", "tuning = ? ORDER BY step", (tuning,))
        ]
        for number, (_, step, _) in enumerate(rows, 1):
            if step != number:
                raise self._damaged(f"tuning {tuning} has no step {number}")
        self._check_count("tuning_steps", "tuning", tuning, "tunings", "steps")
        return [json_from_text(text) for _, _, text in rows]

    # Experiments.

    def open_experiment(self, identity: str, description: dict[str, Any]) -> None:
        """Store an experiment if its identity is new and the store is writable."""
        if not self.read_only:
            self._open("experiments", identity, description)

    def experiments(self) -> list[tuple[int, dict[str, Any]]]:
        """Return number and description of every readable experiment."""
        return [(found[0], found[1]) for found in self._descriptions("experiments") if not isinstance(found, str)]

    def _open(self, table: str, identity: str, description: dict[str, Any]) -> int:
        with self._transaction():
            added = self._database.execute(
                f"INSERT OR IGNORE INTO {table} (identity, description, created) VALUES (?, ?, ?)",
                (identity, json.dumps(description), time.time()),
            )
            if added.rowcount > 0:
                self._count_new(table)
                self._seal(table, "identity = ?", (identity,))
            for row in self._select(table, "identity = ?", (identity,)):
                return self._verified(table, row)[0]
        raise self._damaged(f"a row of table {table} is missing")

    def _descriptions(self, table: str) -> Iterator[tuple[int, dict[str, Any], float] | str]:
        """Yield number, description and date of every row, or a message if it cannot be read."""
        for row in self._listed(table):
            if isinstance(row, str):
                yield row
                continue
            try:
                number, _, text, created, *_ = self._verified(table, row)
                with self._decoded(f"{table}, id {number}"):
                    description = json_from_text(text)
                    check_types(dict, description)
                    check_types(int, number)
                    check_date(created)
                yield number, description, created
            except GameError as error:
                yield f"{table[:-1]} {row[0]}: cannot read: {_without(self.path, error)}"


def pair_row(match: int, record: PairRecord) -> tuple[Any, ...]:
    """Return the columns of a pair as SQLite returns them: without -0.0."""
    scores, luck = ([float(number) + 0.0 for number in numbers] for numbers in (record.scores, record.luck or ()))
    by_game = scores, record.plies, record.reasons, luck
    columns = [column for values in by_game for column in (*values, None, None)[:2]]
    # The column of a game with points also holds the points of A and the largest number of points.
    used = (*record.used, record.points, record.scale) if record.points else record.used
    return match, record.pair, *columns, float(record.seconds), record.content, record.times, json.dumps(used)


def _without(path: str, error: GameError) -> str:
    """Return the message of an error without the file, which the caller names."""
    return str(error).removeprefix(f"{path}: ")
