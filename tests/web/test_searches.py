"""Jobs in threads: results, errors, stopping."""

import asyncio
import os
import sys
import threading
import time
from typing import Any

import pytest

from starscout import games
from starscout.game.state import start
from starscout.players.spec import make_player
from starscout.search.limits import Limit
from starscout.web.searches import NICENESS, SearchPool, StoppedError
from tests.web.client import PATIENCE


def search(seconds: float) -> Any:
    game = games.load("ewn")
    player = make_player("negascout", game)
    player.new_game(game, 0)
    return player.choose(start(game).rolled(1), Limit(time=seconds))


def run(work: Any) -> Any:
    async def all_of_it() -> Any:
        pool = SearchPool(2)
        try:
            return await work(pool)
        finally:
            await pool.close()

    return asyncio.run(all_of_it())


def test_results_and_errors_are_returned() -> None:
    assert run(lambda pool: pool.run(max, 3, 5)) == 5
    with pytest.raises(ZeroDivisionError):
        run(lambda pool: pool.run(lambda: 1 // 0))


def test_a_stopped_search_ends_and_another_continues() -> None:
    search(0.01)
    begun = [threading.Event(), threading.Event()]

    def announced_search(number: int) -> Any:
        begun[number].set()
        # Much longer than the test may take: only a stopped search ends.
        return search(3600.0)

    async def work(pool: SearchPool) -> Any:
        stopped, other = pool.start(announced_search, 0), pool.start(announced_search, 1)
        for event in begun:
            await asyncio.to_thread(event.wait, PATIENCE)
        await asyncio.wait_for(stopped.stop(), PATIENCE)
        assert stopped.done
        assert not other.done
        assert pool.busy == 1
        await asyncio.wait_for(other.hurry(), PATIENCE)
        return await other.result()

    assert run(work).depth is not None


def test_stopped_job_never_starts() -> None:
    async def work(pool: SearchPool) -> None:
        begun: list[int] = []
        slow = [pool.start(time.sleep, 0.2) for _ in range(2)]
        waiting = pool.start(begun.append, 1)
        await waiting.stop()
        with pytest.raises(StoppedError):
            await waiting.result()
        assert begun == []
        for job in slow:
            await job.result()

    run(work)


def test_hurried_job_has_a_result() -> None:
    async def work(pool: SearchPool) -> Any:
        slow = [pool.start(time.sleep, 0.2) for _ in range(2)]
        waiting = pool.start(search, 60.0)
        await waiting.hurry()
        assert all(job.done for job in slow)
        return await waiting.result()

    assert run(work).move is not None


def test_interrupted_kernel_is_a_stopped_job() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(StoppedError):
        run(lambda pool: pool.run(interrupted))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads have priorities of their own on Linux")
def test_search_threads_have_lower_priority() -> None:
    async def work(pool: SearchPool) -> None:
        thinking = await pool.run(lambda: os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        assert thinking == min(19, os.getpriority(os.PRIO_PROCESS, 0) + NICENESS)

    run(work)
