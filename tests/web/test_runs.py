"""Matches that a page starts, in processes of their own."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from starscout.arena.store import Store
from starscout.game import GameError
from starscout.search.limits import Limit
from starscout.web.runs import Runs, limit_arguments

MATCH = ("match", "ewn-3x3-3", "random", "random", "--pairs", "2")


def with_runs(path: Path, work: Callable[[Runs], Awaitable[None]]) -> None:
    async def all_of_it() -> None:
        runs = Runs(str(path))
        try:
            await work(runs)
        finally:
            await runs.close()

    asyncio.run(all_of_it())


async def ended(runs: Runs) -> None:
    while any(run["running"] for run in runs.to_json()):
        await asyncio.sleep(0.05)


def test_run_writes_to_the_store(tmp_path: Path) -> None:
    async def work(runs: Runs) -> None:
        run = await runs.start("a match", MATCH)
        await ended(runs)
        expected = {"run": 1, "title": "a match", "running": False, "seed": run.seed, "error": "", "mine": True}
        assert runs.to_json() == [expected]
        with Store(tmp_path / "arena.sqlite") as store:
            assert store.pair_counts() == {1: 2}
            assert store.match(1).plan.seed == run.seed

    with_runs(tmp_path / "arena.sqlite", work)


def test_failed_run_reports_stderr_and_runs_are_limited(tmp_path: Path) -> None:
    async def work(runs: Runs) -> None:
        await runs.start("wrong", ("match", "nowhere", "random", "random"), "anna")
        with pytest.raises(GameError, match="your last match is still running"):
            await runs.start("second", MATCH, "anna")
        long = await runs.start("long", (*MATCH[:-1], "100000"), "bert")
        with pytest.raises(GameError, match="at most 2 matches"):
            await runs.start("third", MATCH, "carl")
        with pytest.raises(GameError, match="no run 9"):
            runs.stop(9)
        with pytest.raises(GameError, match="only the browser that started"):
            runs.stop(long.number, "anna")
        assert [run["mine"] for run in runs.to_json("bert")] == [True, False]
        await asyncio.sleep(1.0)
        runs.stop(long.number, "bert")
        await ended(runs)
        newest, oldest = runs.to_json()
        assert "there is no game 'nowhere'" in oldest["error"]
        assert newest["error"] == ""

    with_runs(tmp_path / "arena.sqlite", work)


def test_close_ends_all_runs(tmp_path: Path) -> None:
    pids: list[int] = []

    async def work(runs: Runs) -> None:
        run = await runs.start("long", (*MATCH[:-1], "100000"))
        pids.append(run.process.pid)
        await asyncio.sleep(0.5)

    with_runs(tmp_path / "arena.sqlite", work)
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        (Limit(time=0.25), ["--time", "0.25"]),
        (Limit(time=60, simulations=9), ["--simulations", "9"]),
        (Limit(time=60, depth=3), ["--depth", "3"]),
        (Limit(), []),
    ],
)
def test_limit_arguments(limit: Limit, expected: list[str]) -> None:
    assert limit_arguments(limit) == expected
