"""Game records by key: uploaded, stored, in progress."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from starscout.arena.batch import play_pair
from starscout.arena.director import MatchRun, StoppingRule
from starscout.arena.plan import make_plan
from starscout.arena.store import Store
from starscout.game import GameError
from starscout.records.files import write_record
from starscout.records.record import GameRecord
from starscout.search.limits import Limit
from starscout.web.archive import Archive, RecordLibrary, page_database
from starscout.web.searches import SearchPool


@pytest.fixture
def stored(tmp_path: Path) -> tuple[Path, str]:
    """A store with one match of one pair, and the record of its second game."""
    path = tmp_path / "arena.sqlite"
    plan = make_plan("ewn", "random", "random", Limit(), 4)
    with Store(path) as store:
        match_run = MatchRun(store, plan, StoppingRule(1))
        pair = play_pair(plan, 0)
        store.add(match_run.id, [pair])
    return path, write_record(pair.games("ewn", ("random", "random"), 4)[1].record, "json")


class NoTables:
    """No table of this server exists."""

    async def find(self, name: str) -> Any:
        raise GameError("this game no longer exists: start a new one")


class Library:
    """A record library whose searches run in this process."""

    def __init__(self, path: Path) -> None:
        self.archive, self.records = Archive(page_database(str(path))), {}
        self._path = str(path)

    def _run(self, work: Callable[[RecordLibrary, SearchPool], Awaitable[Any]]) -> Any:
        async def all_of_it() -> Any:
            pool = SearchPool(self._path, threads=True)
            opened = RecordLibrary(self.archive, NoTables(), pool)
            opened._records.update(self.records)
            try:
                return await work(opened, pool)
            finally:
                self.records = opened._records
                await pool.close()

        return asyncio.run(all_of_it())

    def find(self, key: str) -> GameRecord:
        return self._run(lambda opened, pool: opened.find(key))

    def add_text(self, text: str) -> list[dict[str, Any]]:
        async def work(opened: RecordLibrary, pool: SearchPool) -> Any:
            return opened.add(await pool.run("read", text, lane="review"))

        return self._run(work)


def library(path: Path) -> Library:
    return Library(path)


def test_find_stored_game(stored: tuple[Path, str]) -> None:
    path, text = stored
    assert write_record(library(path).find("match/1/0/1"), "json") == text
    for key in ("match/1/0/2", "match/1/7/0", "match/9/0/0"):
        with pytest.raises(GameError, match=r"no game|no match"):
            library(path).find(key)


def test_find_uploaded_record(stored: tuple[Path, str]) -> None:
    path, text = stored
    opened = library(path)
    (listed,) = opened.add_text(text)
    assert listed["players"] == ["random", "random"]
    assert write_record(opened.find(listed["key"]), "json") == text


def test_unreadable_uploads_are_reported(stored: tuple[Path, str]) -> None:
    opened = library(stored[0])
    with pytest.raises(GameError, match="the uploaded file: unknown record format"):
        opened.add_text("hello")
    legal, illegal = opened.add_text(stored[1] + '{"format": "starscout game 1"}\n')
    assert legal["key"]
    assert "is missing" in illegal["error"]


@pytest.mark.parametrize("key", ["", "record/none", "match/1/0", "match/1/0/-1", "match/a/b/c", "table/none", "../x"])
def test_unknown_key(stored: tuple[Path, str], key: str) -> None:
    with pytest.raises(GameError, match=r"no game|no longer"):
        library(stored[0]).find(key)


def test_record_cannot_load_a_game_file(stored: tuple[Path, str], tmp_path: Path) -> None:
    (tmp_path / "evil.py").write_text("raise SystemExit('run')")
    text = stored[1].replace('"game": "ewn"', f'"game": "{tmp_path / "evil.py"}"')
    (listed,) = library(stored[0]).add_text(text)
    assert "allow it with --game" in listed["error"]
