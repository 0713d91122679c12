"""The queue of background work: results, errors, stopping, fairness, the engine process."""

import asyncio
import os
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from starscout import games
from starscout.game import GameError
from starscout.game.state import start
from starscout.players.spec import make_player
from starscout.search.limits import Limit
from starscout.web import searches, tasks
from starscout.web.searches import MAX_QUEUED, Client, EngineError, SearchPool
from starscout.web.worker import LANES, Context, InternalError, Lane, StoppedError, Worker
from tests.web.client import PATIENCE

ANNA, BERT = Client("anna", "10.0.0.1"), Client("bert", "10.0.0.2")


def search(context: Context, seconds: float) -> Any:
    game = games.load("ewn")
    player = make_player("negascout", game)
    player.new_game(game, 0)
    return player.choose(start(game).rolled(1), Limit(time=seconds))


Task = Callable[..., Any]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Runs a coroutine with a pool of these tasks, in threads of this process."""

    def run(work: Callable[[SearchPool], Awaitable[Any]], lane: Lane | None = None, **own: Task) -> Any:
        monkeypatch.setattr(tasks, "make_tasks", lambda store: own)
        if lane is not None:
            monkeypatch.setitem(LANES, "move", lane)

        async def all_of_it() -> Any:
            pool = SearchPool(":memory:", threads=True)
            try:
                return await work(pool)
            finally:
                await pool.close()

        return asyncio.run(all_of_it())

    return run


def test_results_and_errors_are_returned(run: Any) -> None:
    assert run(lambda pool: pool.run("max", 3, 5, lane="move"), max=lambda context, *numbers: max(numbers)) == 5
    with pytest.raises(InternalError, match="ZeroDivisionError"):
        run(lambda pool: pool.run("wrong", lane="move"), wrong=lambda context: 1 // 0)

    def invalid(context: Context) -> None:
        raise GameError("no such thing", code="unknown_game", name="thing")

    with pytest.raises(GameError, match="no such thing") as raised:
        run(lambda pool: pool.run("invalid", lane="move"), invalid=invalid)
    assert (raised.value.code, raised.value.arguments) == ("unknown_game", {"name": "thing"})


def test_a_stopped_search_ends_and_another_continues(run: Any) -> None:
    search(Context(0, print), 0.01)
    begun = [threading.Event(), threading.Event()]

    def announced_search(context: Context, number: int) -> Any:
        begun[number].set()
        # Much longer than the test may take: only a stopped search ends.
        return search(context, 3600.0)

    async def work(pool: SearchPool) -> Any:
        stopped, other = (pool.start("search", number, lane="move") for number in (0, 1))
        for event in begun:
            await asyncio.to_thread(event.wait, PATIENCE)
        await asyncio.wait_for(stopped.stop(), PATIENCE)
        assert stopped.done
        assert not other.done
        assert pool.busy == 1
        await asyncio.wait_for(other.hurry(), PATIENCE)
        return await other.result()

    assert run(work, search=announced_search).depth is not None


def test_stopped_job_never_starts(run: Any) -> None:
    free = threading.Event()
    begun: list[str] = []

    def wait(context: Context, name: str) -> None:
        begun.append(name)
        free.wait(PATIENCE)

    async def work(pool: SearchPool) -> None:
        first, waiting = pool.start("wait", "a", lane="move"), pool.start("wait", "b", lane="move")
        await waiting.stop()
        with pytest.raises(StoppedError):
            await waiting.result()
        free.set()
        await first.result()

    run(work, Lane(1, 1, 0), wait=wait)
    assert begun == ["a"]


class Ending(dict[int, Context]):
    """Jobs that end as soon as it is known that they are running."""

    def __contains__(self, job: object) -> bool:
        found = super().__contains__(job)
        self.clear()
        return found


def test_job_may_end_while_it_is_stopped() -> None:
    begun, free, ended = threading.Event(), threading.Event(), threading.Event()

    def wait(context: Context) -> None:
        begun.set()
        free.wait(PATIENCE)

    worker = Worker({"wait": wait}, lambda message: ended.set())
    worker._jobs = Ending()
    worker.receive(("start", 1, "move", "wait", ()))
    assert begun.wait(PATIENCE)
    # An error here would end the engine process.
    worker.receive(("stop", 1))
    free.set()
    assert ended.wait(PATIENCE)
    assert worker._interrupted == set()
    worker.close()


def test_interrupted_kernel_is_a_stopped_job(run: Any) -> None:
    def interrupted(context: Context) -> None:
        raise KeyboardInterrupt

    with pytest.raises(StoppedError):
        run(lambda pool: pool.run("interrupted", lane="move"), interrupted=interrupted)


def test_one_client_does_not_block_the_others(run: Any) -> None:
    """Only a few jobs of a client run at a time; another client's job starts at once, and gets the next free place."""
    order: list[str] = []
    free = threading.Semaphore(0)

    def wait(context: Context, name: str) -> None:
        order.append(name)
        free.acquire(timeout=PATIENCE)

    async def until(count: int) -> None:
        end = time.monotonic() + PATIENCE
        while len(order) < count:
            assert time.monotonic() < end
            await asyncio.sleep(0.005)

    async def work(pool: SearchPool) -> None:
        flood = [pool.start("wait", f"anna {number}", lane="move", client=ANNA) for number in range(10)]
        await until(2)
        assert order == ["anna 0", "anna 1"]
        others = [pool.start("wait", f"bert {number}", lane="move", client=BERT) for number in range(2)]
        await until(3)
        assert order[2] == "bert 0"
        # All places are taken. The next one goes to the client with fewer running jobs.
        free.release()
        await until(4)
        for _ in range(20):
            free.release()
        await asyncio.gather(*(job.result() for job in (*flood, *others)))

    run(work, Lane(3, 2, 0), wait=wait)
    assert "bert 1" in order[3:6]


def test_waiting_jobs_of_a_client_are_bounded(run: Any) -> None:
    free = threading.Event()

    async def work(pool: SearchPool) -> None:
        for _ in range(MAX_QUEUED + 1):
            pool.start("wait", lane="move", client=ANNA)
        with pytest.raises(GameError, match="at most 32 searches"):
            pool.start("wait", lane="move", client=ANNA)
        pool.start("wait", lane="move", client=BERT)
        free.set()

    run(work, Lane(1, 1, 0), wait=lambda context: free.wait(PATIENCE))


def test_moves_do_not_wait_for_reviews(run: Any) -> None:
    free = threading.Event()

    async def work(pool: SearchPool) -> None:
        reviews = [pool.start("wait", lane="review", client=Client(str(number))) for number in range(9)]
        assert await asyncio.wait_for(pool.run("quick", lane="move"), PATIENCE) == 1
        assert not any(job.done for job in reviews)
        free.set()

    run(work, wait=lambda context: free.wait(PATIENCE), quick=lambda context: 1)


def test_trees_and_lists_do_not_wait_for_analyses(run: Any) -> None:
    free = threading.Event()

    async def work(pool: SearchPool) -> None:
        analyses = [pool.start("wait", lane="analysis", client=ANNA) for _ in range(LANES["analysis"].each)]
        for lane in ("tree", "list"):
            job = pool.start("quick", lane=lane, client=ANNA)
            assert await asyncio.wait_for(job.result(), PATIENCE) == 1
        assert not any(job.done for job in analyses)
        free.set()

    run(work, wait=lambda context: free.wait(PATIENCE), quick=lambda context: 1)


def test_death_of_the_engine_process_fails_its_jobs_only() -> None:
    async def work() -> None:
        pool = SearchPool(":memory:")
        try:
            seconds = 3600.0
            job = pool.start(
                "analyse", "ewn", "1..../...../...../...../....a r 1", "random", [seconds], lane="analysis"
            )
            while not isinstance(pool._engine, searches._Process) or pool._engine._process is None:
                await asyncio.sleep(0.01)
            os.kill(pool._engine._process.pid, 9)
            with pytest.raises(EngineError):
                await job.result()
            assert await pool.run("keys", lane="store") == {}
        finally:
            await pool.close()

    asyncio.run(work())
