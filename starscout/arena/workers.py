"""Workers on this machine: one process per core, each with its own pipe, fed with batches of pairs.

A worker that dies (kill -9, a crash in a player's native code, no memory) is replaced, and its batches are played
again, pair by pair. A pair that kills MAX_DEATHS workers ends the match with an error. Workers exit as soon as the
director is gone.

A runner without workers: batches are played in this process, one at a time, in the calling thread.
"""

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Protocol

from starscout.arena.batch import Batch, BatchResult, close_players, play_batch
from starscout.game import WorkError
from starscout.kernels import notices
from starscout.protocols.process import adopt_orphans, kill_orphans


class SameProcessRunner:
    """Plays a batch as soon as it is submitted: for classes of a notebook, and for debuggers."""

    def __init__(self) -> None:
        self._finished: list[BatchResult] = []

    def capacity(self) -> int:
        return 1 - len(self._finished)

    def workers(self) -> int:
        return 1

    def submit(self, batch: Batch) -> None:
        self._finished.append(play_batch(batch))

    def collect(self, seconds: float) -> list[BatchResult]:
        results, self._finished = self._finished, []
        return results

    def close(self) -> None:
        # The class behind a description may be another one at the next call.
        close_players()


MAX_DEATHS = 10
ENDING_SECONDS = 3.0
"""How long a worker may take to end its players before it is killed."""
BEGUN = None
"""What a worker sends when it begins a batch."""
QUEUED_BATCHES = 2
"""Batches that a worker holds: one that it plays and one that waits, so that it never idles."""


class Runner(Protocol):
    """Where batches are played: processes here, or a cluster."""

    def capacity(self) -> int:
        """How many more batches can be submitted now."""
        ...

    def workers(self) -> int:
        """How many batches are played at once."""
        ...

    def submit(self, batch: Batch) -> None:
        """Hand a batch over."""
        ...

    def collect(self, seconds: float) -> list[BatchResult]:
        """The results available, waiting up to `seconds` for the first; a batch may come back twice."""
        ...

    def close(self) -> None:
        """End everything; batches under way are lost."""
        ...


class WorkerError(WorkError):
    """Batches cannot be played at all; the text says why."""


SAFE_PATH = "PYTHONSAFEPATH"


@contextlib.contextmanager
def _libraries_first() -> Iterator[str | None]:
    """Let an interpreter that is started here import no library from the working directory.

    It would look there first, before it is told the path of this one. Gives the setting of the person, which holds for
    every program that a worker starts.
    """
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield before
    finally:
        _restore_path(before)


def _restore_path(before: str | None) -> None:
    os.environ.pop(SAFE_PATH, None)
    if before is not None:
        os.environ[SAFE_PATH] = before


@contextlib.contextmanager
def without_main() -> Iterator[None]:
    """Let a process that is started here not run the script of this one: a script may start matches as it stands.

    A new process prepares itself with the file of `__main__`, and finds none. What workers need they load by name.
    """
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


class _Worker:
    """A process and the batches it holds."""

    def __init__(self, context: SpawnContext) -> None:
        self.connection, other = context.Pipe()
        with _libraries_first() as before, without_main():
            words = other, before, notices.waiting is not None
            self.process: BaseProcess = context.Process(target=_serve, args=words, daemon=True)
            self.process.start()
        other.close()
        self.batches: deque[Batch] = deque()
        self.playing = False
        """Whether it has begun the first of its batches: only then can the batch be what killed it."""
        self.served = False
        """Whether it has ever begun a batch."""


class LocalRunner:
    """Worker processes on this machine."""

    def __init__(self, workers: int) -> None:
        adopt_orphans()
        self._context = multiprocessing.get_context("spawn")
        self._workers = [_Worker(self._context) for _ in range(workers)]
        self._deaths: dict[tuple[int, int], int] = {}
        self._stillborn = 0
        self._again: deque[Batch] = deque()

    def workers(self) -> int:
        return len(self._workers)

    def process_ids(self) -> list[int]:
        """The process ids of the workers."""
        return [worker.process.pid for worker in self._workers if worker.process.pid is not None]

    def capacity(self) -> int:
        held = sum(len(worker.batches) for worker in self._workers) + len(self._again)
        return max(0, QUEUED_BATCHES * len(self._workers) - held)

    def submit(self, batch: Batch) -> None:
        worker = min(self._workers, key=lambda worker: len(worker.batches))
        worker.batches.append(batch)
        # `collect` finds dead workers and has their batches played again.
        with contextlib.suppress(OSError):
            worker.connection.send(batch)

    def collect(self, seconds: float) -> list[BatchResult]:
        ready = wait([w.connection for w in self._workers] + [w.process.sentinel for w in self._workers], seconds)
        results = []
        for index, worker in enumerate(self._workers):
            if worker.connection in ready:
                results += self._receive(worker)
            if worker.process.sentinel in ready:
                self._replace(index)
        while self._again and any(len(worker.batches) < QUEUED_BATCHES for worker in self._workers):
            self.submit(self._again.popleft())
        return results

    def _receive(self, worker: _Worker) -> list[BatchResult]:
        results = []
        # A closed pipe means a dead worker; its sentinel reports that.
        with contextlib.suppress(EOFError, OSError):
            while worker.connection.poll():
                answer = worker.connection.recv()
                worker.playing = answer is BEGUN
                if worker.playing:
                    worker.served, self._stillborn = True, 0
                    continue
                worker.batches.popleft()
                if isinstance(answer, BaseException):
                    raise answer
                results.append(answer)
        return results

    def _replace(self, index: int) -> None:
        """Replace a dead worker; what it was playing is played again, one pair at a time."""
        dead = self._workers[index]
        dead.process.join()
        dead.connection.close()
        self._stillborn += not dead.served
        if self._stillborn == MAX_DEATHS * len(self._workers):
            raise WorkerError(
                f"{self._stillborn} workers in a row ended before they could play (last exit code "
                f"{dead.process.exitcode}); --workers 0 plays in this process, and may tell why"
            )
        for position, batch in enumerate(dead.batches):
            if position > 0:
                self._again.append(batch)
                continue
            for pair in batch.pairs:
                self._again.append(replace(batch, pairs=(pair,)))
            if len(batch.pairs) == 1 and dead.playing:
                key = (batch.match, batch.pairs[0])
                self._deaths[key] = self._deaths.get(key, 0) + 1
                if self._deaths[key] == MAX_DEATHS:
                    raise WorkerError(
                        f"pair {batch.pairs[0]} of {batch.plan.first} against {batch.plan.second} killed its worker "
                        f"{MAX_DEATHS} times (last exit code {dead.process.exitcode})"
                    )
        self._workers[index] = _Worker(self._context)

    def close(self) -> None:
        for worker in self._workers:
            worker.connection.close()
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join(ENDING_SECONDS)
            worker.process.kill()
            worker.process.join()
        # What an ended worker could not end itself has become ours.
        kill_orphans()


def default_workers(threads: int = 1) -> int:
    """One worker for each core that this process may use; fewer when the players think with several threads."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores // threads)


def _serve(connection: Connection, safe_path: str | None, telling: bool) -> None:
    """Run a worker: batches in, results out, until the director closes the pipe, sends SIGTERM or dies.

    `telling`: a person reads its standard error.
    """
    _restore_path(safe_path)
    print_on_standard_error()
    notices.waiting = notices.print_sentence if telling else None
    # Ctrl-C reaches the whole process group, but only the director acts on it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    adopt_orphans()
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent,), daemon=True).start()
    try:
        with contextlib.suppress(EOFError, OSError):
            while True:
                batch = connection.recv()
                connection.send(BEGUN)
                try:
                    answer = play_batch(batch)
                except Exception as error:
                    answer = error
                connection.send(answer)
    finally:
        # No engine that a player started outlives its worker.
        close_players()
        kill_orphans()


def print_on_standard_error() -> None:
    """Let whatever this process prints go to standard error: standard output belongs to the director."""
    sys.stdout = sys.stderr
    with contextlib.suppress(OSError):
        os.dup2(2, 1)


def _end(*_: object) -> None:
    """Exit at once, without an exception: compiled code that calls Python does not survive one from a signal."""
    try:
        close_players()
        kill_orphans()
    finally:
        os._exit(1)


def _follow(parent: BaseProcess) -> None:
    """Exit when the director exits: by SIGTERM, or after ENDING_SECONDS without ending the players."""
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(ENDING_SECONDS)
    os._exit(1)
