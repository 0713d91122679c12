"""Background work in threads: searches, compilation, reading the store. Any job can be stopped.

Kernels release the GIL, so searches of many pages run in parallel and each keeps its time limit; with more searches
than cores, each gets less work done. The stop flags of a stopped search are raised until it has ended.
"""

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Generic, TypeVar

from starscout.kernels.stop_flags import raise_flags_of

THREADS = 64
NICENESS = 3
"""How much the priority of search threads is lowered; see nice(1)."""
CLOSE_SECONDS = 1.5
STOP_INTERVAL = 0.02
"""Seconds between raising the flags of a stopped search, which may not be reading them yet."""

Result = TypeVar("Result")


class StoppedError(Exception):
    """The job was stopped before it had a result."""


class Job(Generic[Result]):
    """A function call in a thread of the pool."""

    def __init__(self, pool: ThreadPoolExecutor, function: Callable[..., Result], *arguments: Any) -> None:
        self._function, self._arguments = function, arguments
        self._thread: int | None = None
        self.stopped = False
        """Whether the job was stopped; a job of several steps checks this between them."""
        self._future: Future[Result] = pool.submit(self._run)

    def _run(self) -> Result:
        if self.stopped:
            raise StoppedError
        self._thread = threading.get_ident()
        try:
            return self._function(*self._arguments)
        except KeyboardInterrupt as interrupt:
            # Kernels raise this when their stop flag is raised.
            raise StoppedError from interrupt
        finally:
            self._thread = None

    @property
    def done(self) -> bool:
        """Whether the job has ended."""
        return self._future.done()

    async def result(self) -> Result:
        """Wait for the result; raises what the function raises."""
        return await asyncio.shield(asyncio.wrap_future(self._future))

    async def stop(self) -> None:
        """Stop the job and wait until it has ended. A job that has not started never starts."""
        self.stopped = True
        await self.hurry()

    async def hurry(self) -> None:
        """Make the search return its best result so far, even if it has not started yet, and wait for it."""
        while not self._future.done():
            thread = self._thread
            if thread is not None:
                raise_flags_of(thread)
            await asyncio.sleep(STOP_INTERVAL)


def _lower_priority() -> None:
    """Give the event loop's thread precedence, so that results are sent without delay."""
    with contextlib.suppress(AttributeError, OSError):
        # On Linux every thread has its own priority.
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), os.getpriority(os.PRIO_PROCESS, 0) + NICENESS)


class SearchPool:
    """The thread pool of a server."""

    def __init__(self, threads: int = THREADS) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="search", initializer=_lower_priority)
        self._jobs: set[Job[Any]] = set()

    @property
    def busy(self) -> int:
        """The number of unfinished jobs."""
        self._jobs = {job for job in self._jobs if not job.done}
        return len(self._jobs)

    def start(self, function: Callable[..., Result], *arguments: Any) -> Job[Result]:
        """Start a job."""
        job = Job(self._pool, function, *arguments)
        self._jobs = {known for known in self._jobs if not known.done} | {job}
        return job

    async def run(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Run a function in a thread and return its result."""
        return await self.start(function, *arguments).result()

    async def close(self) -> None:
        """Stop all jobs; those that do not stop soon, like a compilation, are left to end by themselves."""
        stopping = [asyncio.ensure_future(job.stop()) for job in self._jobs]
        if stopping:
            _, late = await asyncio.wait(stopping, timeout=CLOSE_SECONDS)
            for task in late:
                task.cancel()
        self._pool.shutdown(wait=False, cancel_futures=True)
