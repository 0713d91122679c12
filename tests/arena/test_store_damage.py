"""Damaged stores: every error is documented, and no damage changes a result without an error.

`store-version-2.sqlite` was made by the version before checksums: two matches, a Swiss tournament, a tuning and an
experiment.
"""

import contextlib
import shutil
import sqlite3
from pathlib import Path
from random import Random
from typing import Any

import pytest

import starscout
from starscout.arena.director import MatchRun, StoppingRule
from starscout.arena.store import Store, StoreError
from starscout.arena.store_schema import COLUMNS, LISTED, VERSION
from starscout.arena.tournament import stored_standings
from starscout.arena.tuning import stored_tuning
from starscout.game import GameError
from tests.arena.test_store_faults import as_an_ordinary_user, run

VERSION_2 = Path(__file__).parent / "data" / "store-version-2.sqlite"
SCORES = {1: 0.0, 2: 0.875, 3: 0.0, 4: 1.0}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store of the current version."""
    copy = Path(shutil.copy(VERSION_2, tmp_path / "store.sqlite"))
    Store(copy).close()
    return copy


def change(path: Path, statement: str) -> None:
    database = sqlite3.connect(path)
    with database:
        assert database.execute(statement).rowcount != 0
    database.close()


def content(path: Path) -> dict[str, Any]:
    """Return every result in a store; raises GameError or StoreError."""
    with Store(path) as store:
        found: dict[str, Any] = {"unreadable": store.unreadable(), "scores": store.scores()}
        for match in store.matches():
            played = list(store.counted_pairs(match))
            assert list(store.pairs(match.id))[: len(played)] == played
            games = [pair.games(match.plan.game, ("a", "b"), match.plan.seed) for pair in played]
            found[f"match {match.id}"] = match, played, games
        for number, description, created in store.tournaments():
            found[f"tournament {number}"] = description, created, store.meetings(number)
            plan, standings = stored_standings(store, number)
            found[f"table {number}"] = plan, standings.table()
        for number, description, created in store.tunings():
            found[f"tuning {number}"] = description, created, stored_tuning(store, number).history
        found["experiments"] = store.experiments()
        return found


def test_store_of_version_2_is_upgraded(path: Path) -> None:
    with Store(path) as store:
        assert store._database.execute("PRAGMA user_version").fetchone()[0] == VERSION
        assert store.scores() == SCORES
        assert store.pair_counts() == {1: 4, 2: 2, 3: 1, 4: 1}
        assert store.unreadable() == []
        assert [row["score"] for row in stored_standings(store, 1)[1].table()] == [4.0, 2.0, 2.0]
        assert [step["step"] for step in stored_tuning(store, 1).history] == [1, 2]
        assert store.experiments() == [(1, {"name": "mine", "question": "?"})]


def test_store_of_version_2_without_experiments_is_upgraded(tmp_path: Path) -> None:
    copy = Path(shutil.copy(VERSION_2, tmp_path / "store.sqlite"))
    change(copy, "DROP TABLE experiments")
    with Store(copy) as store:
        assert store.experiments() == []


def test_read_only_store_of_version_2_is_read(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    copy = Path(shutil.copy(VERSION_2, tmp_path / "folder" / "store.sqlite"))
    before = copy.read_bytes()
    copy.chmod(0o444)
    copy.parent.chmod(0o555)
    try:
        listed = run("results", "--store", str(copy), "--json", preexec_fn=as_an_ordinary_user)
        assert '"match": 4' in listed.stdout, listed.stderr
    finally:
        copy.parent.chmod(0o755)
    assert copy.read_bytes() == before


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE pairs SET score0 = 1.0 WHERE match = 1 AND pair = 2", "checksum of table pairs, match 1, pair 2"),
        ("UPDATE pairs SET luck0 = luck0 + 0.1 WHERE match = 1 AND pair = 0", "checksum of table pairs"),
        ("UPDATE pairs SET content = x'00' WHERE match = 1", "checksum of table pairs"),
        ("UPDATE pairs SET checksum = NULL WHERE match = 1", "checksum of table pairs"),
        ("UPDATE pairs SET match = 1, pair = 4 WHERE match = 2 AND pair = 1", "checksum of table pairs"),
        ("DELETE FROM pairs WHERE match = 1 AND pair = 3", "match 1 has 3 of 4"),
        ("DELETE FROM pairs WHERE match = 1", "match 1 has 0 of 4"),
        ("UPDATE matches SET counted = 3 WHERE id = 1", "checksum of table matches, id 1"),
        ("UPDATE matches SET points = 4 WHERE id = 1", "checksum of table matches, id 1"),
        ("UPDATE matches SET plan = replace(plan, 'random', 'uct') WHERE id = 1", "checksum of table matches, id 1"),
    ],
)
def test_changed_match_is_reported(path: Path, statement: str, said: str) -> None:
    change(path, statement)
    with pytest.raises(GameError, match=f"store.sqlite: the store is damaged: {said}"), Store(path) as store:
        list(store.counted_pairs(store.match(1)))
    listed = starscout.results(store=path)
    assert 1 not in [match.match for match in listed.matches]
    assert {3, 4} <= {match.match for match in listed.matches}
    assert any(said in message for message in listed.unreadable)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE meetings SET first = second, second = first", "checksum of table meetings, tournament 1, round 1"),
        ("DELETE FROM meetings WHERE round = 2", "tournament 1 has 1 of 2 meetings"),
        ("DELETE FROM meetings", "tournament 1 has 0 of 2 meetings"),
        ("UPDATE tournaments SET description = replace(description, 'random', 'uct')", "no tournament 1"),
    ],
)
def test_changed_tournament_is_reported(path: Path, statement: str, said: str) -> None:
    change(path, statement)
    with Store(path) as store, pytest.raises(GameError, match=said):
        stored_standings(store, 1)


@pytest.mark.parametrize("table", LISTED)
def test_lost_row_is_reported(path: Path, table: str) -> None:
    change(path, f"DELETE FROM {table} WHERE id = (SELECT max(id) FROM {table})")
    left = 3 if table == "matches" else 0
    message = f"the store is damaged: table {table} has {left} of {left + 1} rows"
    with Store(path) as store:
        assert message in store.unreadable()
    assert message in starscout.results(store=path).unreadable


@pytest.mark.parametrize(("step", "said"), [(1, "tuning 1 has no step 1"), (2, "tuning 1 has 1 of 2 tuning_steps")])
def test_changed_tuning_is_reported(path: Path, step: int, said: str) -> None:
    change(path, f"DELETE FROM tuning_steps WHERE step = {step}")
    with Store(path) as store, pytest.raises(GameError, match=said):
        stored_tuning(store, 1)


def test_damaged_match_is_not_continued(path: Path) -> None:
    """Continuing must not give a damaged row a valid checksum."""
    with Store(path) as store:
        first = store.match(1)
        again = MatchRun(store, first.plan, StoppingRule(4)).id
    change(path, f"UPDATE matches SET points = 4 WHERE id = {again}")
    with Store(path) as store:
        with pytest.raises(GameError, match="checksum of table matches"):
            store.open_match(first.plan, {"pairs": 9})
        with pytest.raises(GameError, match="checksum of table matches"):
            store.add(again, [], 1.0)
        with pytest.raises(GameError, match="checksum of table matches"):
            store.finish(again, 4)


def test_database_of_another_program_is_not_changed(tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    change(other, "CREATE TABLE notes (text TEXT)")
    with pytest.raises(GameError, match="not a result store: it contains tables of another program"):
        Store(other)


def test_missing_table_is_reported(path: Path) -> None:
    change(path, "DROP TABLE pairs")
    with Store(path) as store, pytest.raises(GameError, match="the store is damaged: no such table: pairs"):
        list(store.pairs(1))


def test_locked_store_is_not_called_damaged(path: Path) -> None:
    with Store(path) as store:
        store._database.execute("PRAGMA busy_timeout = 1")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="cannot write: database is locked; stored results are intact"):
            store.finish(1, 4)
        other.close()


def test_a_store_that_another_process_locks_is_not_opened_read_only(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression: a director played a whole batch that it could not store."""
    monkeypatch.setattr("starscout.arena.store.LOCK_SECONDS", 0.05)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="another process uses the store: database is locked"):
            Store(path)
        other.execute("COMMIT")
    with Store(path) as store:
        assert not store.read_only


def test_negative_zero_is_stored(path: Path) -> None:
    """SQLite stores -0.0 as 0."""
    with Store(path) as store:
        record = next(store.pairs(1))._replace(pair=4, luck=(-0.0, -0.0))
        store.add(1, [record])
        assert list(store.pairs(1, 4)) == [record]


def test_checksums_cover_all_columns(path: Path) -> None:
    with Store(path) as store:
        for table, columns in COLUMNS.items():
            found = [row[1] for row in store._database.execute(f"PRAGMA table_info({table})")]
            assert [*columns.split(", "), "checksum"] == found


def check_damage(path: Path, good: bytes, expected: dict[str, Any], damages: int, seed: int) -> int:
    """Damage a store at random; returns how often it was noticed. Undocumented exceptions propagate."""
    generator, noticed = Random(seed), 0
    for _ in range(damages):
        bad = bytearray(good)
        for _ in range(generator.choice((1, 1, 1, 2, 20))):
            bad[generator.randrange(len(bad))] ^= 1 << generator.randrange(8)
        if generator.random() < 0.1:
            del bad[generator.randrange(len(bad)) :]
        path.write_bytes(bad)
        for more in ("-wal", "-shm"):
            path.with_name(path.name + more).unlink(missing_ok=True)
        try:
            found = content(path)
        except (GameError, StoreError):
            noticed += 1
            continue
        if found["unreadable"]:
            noticed += 1
            continue
        assert found == expected
    return noticed


def intact(path: Path) -> tuple[bytes, dict[str, Any]]:
    return path.read_bytes(), content(path)


def test_bit_flips_never_change_a_result(path: Path) -> None:
    good, expected = intact(path)
    assert check_damage(path, good, expected, 150, 1) > 10


@pytest.mark.slow
def test_many_bit_flips_never_change_a_result(path: Path) -> None:
    good, expected = intact(path)
    assert check_damage(path, good, expected, 20_000, 2) > 1_000


@pytest.mark.slow
def test_old_store_with_bit_flips_raises_documented_errors(tmp_path: Path) -> None:
    """Earlier versions have no checksums, so only the errors are checked."""
    generator, copy = Random(3), tmp_path / "store.sqlite"
    for old in (VERSION_2, VERSION_2.with_name("store-version-1.sqlite")):
        good = old.read_bytes()
        for _ in range(60):
            bad = bytearray(good)
            bad[generator.randrange(len(bad))] ^= 1 << generator.randrange(8)
            copy.write_bytes(bad)
            try:
                content(copy)
            except (GameError, StoreError):
                continue
