"""The queue of background work: the order of jobs in the engine process, their owners, and how they are stopped.

Work is queued per lane (see worker.py). A lane runs a bounded number of jobs, and few for each client; the next job is
that of the client with the fewest running jobs, then of the address with the fewest, then of the client that was
served least recently. One client can therefore neither block the others nor fill the memory.

If the engine process dies, its jobs fail with `EngineError` and a new process is started for the next ones.
"""

import asyncio
import contextlib
import functools
import os
import pickle
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import starscout
from starscout.game import GameError
from starscout.protocols.process import compiled_environment
from starscout.web.worker import HEADER, LANES, StoppedError, Worker

MAX_QUEUED = 32
"""Maximum number of waiting jobs of one client and lane."""
CLOSE_SECONDS = 1.5
MAX_SERVED = 10_000
"""Maximum number of clients to remember."""

_BOOTSTRAP = """
import os, sys
sys.path += [path for path in sys.argv.pop(1).split(os.pathsep) if path not in sys.path]
from starscout.web.tasks import main
main(*sys.argv[1:])
"""


class EngineError(Exception):
    """The engine process has ended before it answered."""


class Client(NamedTuple):
    """A browser that requests work: the value of its cookie, and its network address."""

    id: str
    address: str = ""


SERVER = Client("")
"""Work that no client has requested."""


class Job:
    """A task in the queue or in the engine process."""

    def __init__(
        self, pool: "SearchPool", lane: str, client: Client, task: str, arguments: tuple[Any, ...],
        progress: Callable[[Any], None] | None,
    ) -> None:  # fmt: skip
        self._pool = pool
        self.lane, self.client, self.task, self.arguments, self.progress = lane, client, task, arguments, progress
        self.number = 0
        """The number in the engine process; 0 while the job is queued."""
        self.stopped = False
        self.hurried = False
        self.future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        # Ignore errors of jobs whose result is no longer awaited.
        self.future.add_done_callback(lambda future: future.cancelled() or future.exception())

    @property
    def done(self) -> bool:
        """Whether the job has ended."""
        return self.future.done()

    async def result(self) -> Any:
        """Wait for the result; raises what the task raises."""
        return await asyncio.shield(self.future)

    async def stop(self) -> None:
        """Stop the job and wait until it has ended. A queued job never starts."""
        self.stopped = True
        self._pool.interrupt(self, "stop")
        await self._ended()

    def abandon(self) -> None:
        """Stop waiting for the end of a stopped job, which continues in the background."""
        if not self.future.done():
            self.future.set_exception(StoppedError())

    async def hurry(self) -> None:
        """Make the search return its best result so far, even if it has not started yet, and wait for it."""
        self.hurried = True
        self._pool.interrupt(self, "hurry")
        await self._ended()

    async def _ended(self) -> None:
        with contextlib.suppress(Exception):
            await asyncio.shield(self.future)


class _Process:
    """The engine process."""

    def __init__(self, receive: Callable[[tuple[Any, ...]], None], ended: Callable[[], None]) -> None:
        self._receive, self._ended = receive, ended
        self._process: asyncio.subprocess.Process | None = None
        self._unsent: list[bytes] = []
        self._reading: asyncio.Task[None] | None = None

    def start(self, store: str, files: Sequence[str]) -> None:
        """Start the process; messages are sent when it runs."""
        self._reading = asyncio.ensure_future(self._run(store, files))

    async def _run(self, store: str, files: Sequence[str]) -> None:
        package = str(Path(starscout.__file__).parents[1])
        paths = os.pathsep.join(path for path in (*sys.path, package) if path not in {"", os.getcwd()} - {package})
        self._process = process = await asyncio.create_subprocess_exec(
            sys.executable, "-I", "-c", _BOOTSTRAP, paths, store, *files,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env=compiled_environment(),
        )  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        for data in self._unsent:
            process.stdin.write(data)
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                (length,) = HEADER.unpack(await process.stdout.readexactly(HEADER.size))
                self._receive(pickle.loads(await process.stdout.readexactly(length)))
        await process.wait()
        self._ended()

    def send(self, message: tuple[Any, ...]) -> None:
        """Send a message."""
        data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        data = HEADER.pack(len(data)) + data
        if self._process is None or self._process.stdin is None:
            self._unsent.append(data)
        else:
            self._process.stdin.write(data)

    async def close(self) -> None:
        """End the process."""
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
        if self._reading is not None:
            self._reading.cancel()


class _Threads:
    """The same worker in threads of this process, where kernels are compiled already: for tests."""

    def __init__(self, receive: Callable[[tuple[Any, ...]], None]) -> None:
        self._receive = receive

    def start(self, store: str, files: Sequence[str]) -> None:
        from starscout.web.tasks import make_tasks

        loop = asyncio.get_running_loop()

        def send(message: tuple[Any, ...]) -> None:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._receive, message)

        self._worker = Worker(make_tasks(store), send)

    def send(self, message: tuple[Any, ...]) -> None:
        self._worker.receive(message)

    async def close(self) -> None:
        self._worker.close()


class SearchPool:
    """Fair queues in front of the engine process, which is started with the first job."""

    def __init__(self, store: str, files: Sequence[str] = (), *, threads: bool = False) -> None:
        self._store, self._files, self._threads = store, files, threads
        self._engine: _Process | _Threads | None = None
        self._queued: dict[str, list[Job]] = {lane: [] for lane in LANES}
        self._running: dict[int, Job] = {}
        self._number = 0
        self._served: dict[str, int] = {}
        """Client → the number of its latest job."""
        self._closed = False

    @property
    def busy(self) -> int:
        """The number of unfinished jobs."""
        return len(self._running) + sum(map(len, self._queued.values()))

    def start(
        self, task: str, *arguments: Any, lane: str, client: Client = SERVER,
        progress: Callable[[Any], None] | None = None,
    ) -> Job:  # fmt: skip
        """Queue a task; raises GameError if the client has too many."""
        queue = self._queued[lane]
        if client is not SERVER and sum(job.client.id == client.id for job in queue) >= MAX_QUEUED:
            raise GameError(
                f"at most {MAX_QUEUED} searches of one browser can wait at a time: stop one",
                code="too_many_searches", count=MAX_QUEUED,
            )  # fmt: skip
        job = Job(self, lane, client, task, arguments, progress)
        queue.append(job)
        self._schedule(lane)
        return job

    async def run(self, task: str, *arguments: Any, lane: str, client: Client = SERVER) -> Any:
        """Run a task and return its result."""
        return await self.start(task, *arguments, lane=lane, client=client).result()

    def _schedule(self, lane: str) -> None:
        """Start the next jobs of a lane."""
        limits, queue = LANES[lane], self._queued[lane]
        while queue and not self._closed:
            running = [job.client for job in self._running.values() if job.lane == lane]
            by_client = Counter(client.id for client in running)
            by_address = Counter(client.address for client in running)
            allowed = [job for job in queue if job.client is SERVER or by_client[job.client.id] < limits.each]
            if len(running) >= limits.total or not allowed:
                return
            job = min(allowed, key=lambda job: self._turn(job, by_client, by_address))
            queue.remove(job)
            self._number += 1
            job.number = self._served[job.client.id] = self._number
            self._running[job.number] = job
            engine = self._started_engine()
            engine.send(("start", job.number, lane, job.task, job.arguments))
            if job.hurried:
                engine.send(("hurry", job.number))

    def _turn(self, job: Job, by_client: Counter[str], by_address: Counter[str]) -> tuple[int, int, int]:
        """The sort key of a job: the smallest is next; jobs of a client with equal keys run in the order of arrival."""
        client = job.client
        return by_client[client.id], by_address[client.address], self._served.get(client.id, 0)

    def _started_engine(self) -> "_Process | _Threads":
        if self._engine is None:
            engine = (
                _Threads(self._receive) if self._threads else _Process(self._receive, functools.partial(self._restart))
            )
            engine.start(self._store, self._files)
            self._engine = engine
        return self._engine

    def interrupt(self, job: Job, how: str) -> None:
        """Stop or hurry a job."""
        if job.done:
            return
        if job.number:
            self._started_engine().send((how, job.number))
        elif how == "stop":
            self._queued[job.lane].remove(job)
            job.future.set_exception(StoppedError())

    def _receive(self, message: tuple[Any, ...]) -> None:
        kind, number, *rest = message
        job = self._running.get(number)
        if job is None:
            return
        if kind == "progress":
            if job.progress is not None and not job.stopped:
                job.progress(rest[0])
            return
        del self._running[number]
        if len(self._served) > MAX_SERVED:
            self._served.clear()
        if not job.future.done():
            if kind == "done":
                job.future.set_result(rest[0])
            else:
                job.future.set_exception(StoppedError() if kind == "stopped" else rest[0])
        self._schedule(job.lane)

    def _restart(self) -> None:
        """Fail the jobs of a process that has died; the next job starts another one."""
        self._engine = None
        lost, self._running = list(self._running.values()), {}
        for job in lost:
            if not job.future.done():
                job.future.set_exception(EngineError("the engine process has ended"))
        for lane in LANES:
            self._schedule(lane)

    async def close(self) -> None:
        """Stop all jobs and end the process."""
        self._closed = True
        for queue in self._queued.values():
            for job in queue:
                job.future.set_exception(StoppedError())
            queue.clear()
        if self._engine is not None:
            if self._threads:
                stopping = [asyncio.ensure_future(job.stop()) for job in self._running.values()]
                if stopping:
                    await asyncio.wait(stopping, timeout=CLOSE_SECONDS)
            await self._engine.close()
