"""Local workers: one process per core, each connected by a pipe, playing batches of pairs.

A worker that dies (SIGKILL, a crash in native code, out of memory) is replaced, and its batches are replayed pair by
pair. If a program or class was to move, it has lost the game by a crash; otherwise a pair that kills MAX_DEATHS workers
ends the match with an error. Workers exit when the director exits.
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
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnContext
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any, Protocol

from starscout.arena import batch as batches
from starscout.arena.batch import MAX_DEATHS_ON_TURN, Batch, BatchResult, Crash, close_players, crash_of, play_batch
from starscout.game import WorkError
from starscout.kernels import notices
from starscout.protocols.process import adopt_orphans, kill_orphans


class SameProcessRunner:
    """Plays batches in the calling thread: for classes defined in a notebook, and for debuggers."""

    def __init__(self) -> None:
        self._finished: list[BatchResult] = []

    def capacity(self) -> int:
        return 1 - len(self._finished)

    def workers(self) -> int:
        return 1

    def submit(self, batch: Batch) -> None:
        self._finished.append(play_batch(batch, hosted=False))

    def collect(self, seconds: float) -> list[BatchResult]:
        results, self._finished = self._finished, []
        return results

    def close(self) -> None:
        # A notebook class may be redefined before the next call.
        close_players()


MAX_DEATHS = 10
TERMINATION_SECONDS = 3.0
"""Seconds a worker has to close its players before it is killed."""
STARTED = None
"""Message from a worker that starts a batch."""
QUEUED_BATCHES = 2
"""Batches per worker: one in progress and one queued, so that it never idles."""


class Runner(Protocol):
    """Executes batches: in local processes, on a cluster, or in this process."""

    def capacity(self) -> int:
        """Return how many more batches can be submitted now."""
        ...

    def workers(self) -> int:
        """Return how many batches run concurrently."""
        ...

    def submit(self, batch: Batch) -> None:
        """Submit a batch."""
        ...

    def collect(self, seconds: float) -> list[BatchResult]:
        """Return available results, waiting up to `seconds`; a batch may be returned twice."""
        ...

    def close(self) -> None:
        """Stop all workers; batches in progress are lost."""
        ...


class WorkerError(WorkError):
    """Workers cannot play the batches."""


SAFE_PATH = "PYTHONSAFEPATH"


@contextlib.contextmanager
def _safe_path() -> Iterator[str | None]:
    """Set PYTHONSAFEPATH, so that children import no library from the working directory.

    Yields the user's previous value, which applies to programs that a worker starts.
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
    """Prevent spawned children from re-importing `__main__`, which may lack a main guard."""
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


@contextlib.contextmanager
def quiet_start() -> Iterator[None]:
    """Start child processes that Ctrl-C cannot interrupt while they import; it takes effect here after the start.

    Children inherit the blocked SIGINT. A start that is interrupted halfway leaves a child that prints a traceback.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
    # The first start of a process starts the tracker, which would unblock SIGINT before the process inherits it.
    with _safe_path():
        resource_tracker.ensure_running()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        for number in handlers:
            signal.signal(number, lambda number, frame: received.append(number))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number in dict.fromkeys(received):
            signal.raise_signal(number)


def exit_on_interrupt() -> None:
    """Let Ctrl-C end a child process that was started by `quiet_start`, without a traceback."""
    _on_interrupt(signal.SIG_DFL)


def _on_interrupt(action: signal.Handlers) -> None:
    signal.signal(signal.SIGINT, action)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


class _Worker:
    """A worker process and its batches."""

    def __init__(self, context: SpawnContext) -> None:
        self.connection, other = context.Pipe()
        with quiet_start(), _safe_path() as before, without_main():
            self.turns = context.RawArray("q", 3)
            """The turn that the worker reports: see `Turns` in batch.py."""
            arguments = other, before, notices.waiting is not None, self.turns
            self.process: BaseProcess = context.Process(target=_serve, args=arguments, daemon=True)
            self.process.start()
        other.close()
        self.batches: deque[Batch] = deque()
        self.playing = False
        """Whether it has begun the first batch in its queue: only then can the batch have killed it."""
        self.served = False
        """Whether it has ever started a batch."""


class LocalRunner:
    """Worker processes on this machine."""

    def __init__(self, workers: int) -> None:
        adopt_orphans()
        self._context = multiprocessing.get_context("spawn")
        self._workers = [_Worker(self._context) for _ in range(workers)]
        self._deaths: dict[tuple[int, int], int] = {}
        self._suspects: dict[tuple[int, int, int, int], int] = {}
        """Match, pair, half and player → deaths of workers on the turn of this player."""
        self._failed_starts = 0
        self._requeued: deque[Batch] = deque()

    def workers(self) -> int:
        return len(self._workers)

    def process_ids(self) -> list[int]:
        """Return the process ids of the workers."""
        return [worker.process.pid for worker in self._workers if worker.process.pid is not None]

    def capacity(self) -> int:
        held = sum(len(worker.batches) for worker in self._workers) + len(self._requeued)
        return max(0, QUEUED_BATCHES * len(self._workers) - held)

    def submit(self, batch: Batch) -> None:
        worker = min(self._workers, key=lambda worker: len(worker.batches))
        worker.batches.append(batch)
        # `collect` detects dead workers and requeues their batches.
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
        while self._requeued and any(len(worker.batches) < QUEUED_BATCHES for worker in self._workers):
            self.submit(self._requeued.popleft())
        return results

    def _receive(self, worker: _Worker) -> list[BatchResult]:
        results = []
        # A closed pipe means a dead worker, which its sentinel reports.
        with contextlib.suppress(EOFError, OSError):
            while worker.connection.poll():
                answer = worker.connection.recv()
                worker.playing = answer is STARTED
                if worker.playing:
                    worker.served, self._failed_starts = True, 0
                    continue
                worker.batches.popleft()
                if isinstance(answer, BaseException):
                    raise answer
                results.append(answer)
        return results

    def _replace(self, index: int) -> None:
        """Replace a dead worker and requeue its batches, the first one pair by pair."""
        dead = self._workers[index]
        dead.process.join()
        dead.connection.close()
        self._failed_starts += not dead.served
        if self._failed_starts == MAX_DEATHS * len(self._workers):
            raise WorkerError(
                f"{self._failed_starts} workers in a row exited before their first batch (last exit code "
                f"{dead.process.exitcode}); run with --workers 0 to see the error"
            )
        for position, batch in enumerate(dead.batches):
            if position > 0:
                self._requeued.append(batch)
                continue
            crash = self._crash(dead, batch)
            crashes = batch.crashes if crash is None else (*batch.crashes, crash)
            for pair in batch.pairs:
                self._requeued.append(replace(batch, pairs=(pair,), crashes=crashes))
            if len(batch.pairs) == 1 and dead.playing and crash is None:
                key = (batch.match, batch.pairs[0])
                self._deaths[key] = self._deaths.get(key, 0) + 1
                if self._deaths[key] == MAX_DEATHS:
                    raise WorkerError(
                        f"pair {batch.pairs[0]} of {batch.plan.first} against {batch.plan.second} killed its worker "
                        f"{MAX_DEATHS} times (last exit code {dead.process.exitcode})"
                    )
        self._workers[index] = _Worker(self._context)

    def _crash(self, dead: _Worker, batch: Batch) -> Crash | None:
        """The game that a player has lost by killing its worker; None if no player is to blame.

        SIGKILL and SIGTERM may come from outside, so a player is blamed for them only if they recur on its turn.
        """
        pair, half, turn = dead.turns
        if not dead.playing or turn not in (1, 2) or pair not in batch.pairs:
            return None
        code = dead.process.exitcode or 0
        key = (batch.match, pair, half, turn)
        self._suspects[key] = self._suspects.get(key, 0) + 1
        if code in (-signal.SIGKILL, -signal.SIGTERM) and self._suspects[key] < MAX_DEATHS_ON_TURN:
            return None
        return crash_of(batch.plan, pair, half, turn, f"exit code {code}")

    def close(self) -> None:
        for worker in self._workers:
            worker.connection.close()
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join(TERMINATION_SECONDS)
            worker.process.kill()
            worker.process.join()
        # Engines orphaned by a killed worker are now children of this process.
        kill_orphans()


def default_workers(threads: int = 1) -> int:
    """Return the number of available cores divided by the threads per player."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores // threads)


def _serve(connection: Connection, safe_path: str | None, notify: bool, turns: Any) -> None:
    """Run a worker until the director closes the pipe, sends SIGTERM or dies.

    `notify`: print notices about slow operations to standard error. `turns`: shared memory for the turn.
    """
    batches.process_turns, batches.closes_idle_players = turns, False
    _restore_path(safe_path)
    print_on_standard_error()
    notices.waiting = notices.print_notice if notify else None
    # SIGINT reaches the whole process group; only the director handles it.
    _on_interrupt(signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _terminate)
    adopt_orphans()
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_exit_with_parent, args=(parent,), daemon=True).start()
    try:
        with contextlib.suppress(EOFError, OSError):
            while True:
                batch = connection.recv()
                connection.send(STARTED)
                try:
                    answer = play_batch(batch)
                except Exception as error:
                    answer = error
                connection.send(answer)
    finally:
        # Engines must not outlive their worker.
        close_players()
        kill_orphans(everything=True)


def print_on_standard_error() -> None:
    """Redirect standard output to standard error: standard output belongs to the director."""
    sys.stdout = sys.stderr
    with contextlib.suppress(OSError):
        os.dup2(2, 1)


def _terminate(*_: object) -> None:
    """Exit without raising: compiled code cannot handle an exception from a signal handler."""
    try:
        close_players()
        kill_orphans(everything=True)
    finally:
        os._exit(1)


def _exit_with_parent(parent: BaseProcess) -> None:
    """Exit when the director exits; skip closing the players after TERMINATION_SECONDS."""
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(TERMINATION_SECONDS)
    os._exit(1)
