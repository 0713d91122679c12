"""Work that takes long, in threads: searches, compiling, reading the store. Whoever asked can stop it.

Kernels release the GIL, so many people's searches run side by side and each keeps its time; with more of them than
cores each sees less. A search that is stopped has its flags raised until it has ended.
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
STEP_BACK = 3
"""How much lower the priority of a searching thread is (see nice(1))."""
CLOSE_SECONDS = 1.5
STOP_SECONDS = 0.02
"""How often the flags of a stopped search are raised: it may not have begun to look at them."""

Result = TypeVar("Result")


class StoppedError(Exception):
    """The work was stopped before it had a result."""


class Job(Generic[Result]):
    """A piece of work in a thread."""

    def __init__(self, pool: ThreadPoolExecutor, function: Callable[..., Result], *arguments: Any) -> None:
        self._function, self._arguments = function, arguments
        self._thread: int | None = None
        self.stopped = False
        """Whether somebody has stopped it; work in several steps looks at this between two of them."""
        self._future: Future[Result] = pool.submit(self._run)

    def _run(self) -> Result:
        if self.stopped:
            raise StoppedError
        self._thread = threading.get_ident()
        try:
            return self._function(*self._arguments)
        except KeyboardInterrupt as interrupt:
            # What kernels raise when their flag was raised.
            raise StoppedError from interrupt
        finally:
            self._thread = None

    @property
    def done(self) -> bool:
        """Whether it has ended."""
        return self._future.done()

    async def result(self) -> Result:
        """What the function returns; raises what it raises."""
        return await asyncio.shield(asyncio.wrap_future(self._future))

    async def stop(self) -> None:
        """End it, and wait until it has ended; its result, if any, stays available. What has not begun never begins."""
        self.stopped = True
        await self.hurry()

    async def hurry(self) -> None:
        """Let it end with what it has found, also when it has not begun yet, and wait until it has ended."""
        while not self._future.done():
            thread = self._thread
            if thread is not None:
                raise_flags_of(thread)
            await asyncio.sleep(STOP_SECONDS)


def _step_back() -> None:
    """Let the thread that talks to the pages go first: what a search has found is told at once."""
    with contextlib.suppress(AttributeError, OSError):
        # On Linux a thread has a priority of its own.
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), os.getpriority(os.PRIO_PROCESS, 0) + STEP_BACK)


class SearchPool:
    """The threads."""

    def __init__(self, threads: int = THREADS) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="thinking", initializer=_step_back)
        self._jobs: set[Job[Any]] = set()

    @property
    def busy(self) -> int:
        """How many jobs have not ended."""
        self._jobs = {job for job in self._jobs if not job.done}
        return len(self._jobs)

    def start(self, function: Callable[..., Result], *arguments: Any) -> Job[Result]:
        """Begin a piece of work."""
        job = Job(self._pool, function, *arguments)
        self._jobs = {known for known in self._jobs if not known.done} | {job}
        return job

    async def run(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """The result of a piece of work that nobody stops."""
        return await self.start(function, *arguments).result()

    async def close(self) -> None:
        """Stop everything; what does not stop soon, like a compilation, is left to end by itself."""
        stopping = [asyncio.ensure_future(job.stop()) for job in self._jobs]
        if stopping:
            _, late = await asyncio.wait(stopping, timeout=CLOSE_SECONDS)
            for task in late:
                task.cancel()
        self._pool.shutdown(wait=False, cancel_futures=True)
