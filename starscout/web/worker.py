"""The engine process: searches, reviews and views of the store, away from the process that serves pages.

The server runs the rules in plain Python and compiles nothing; this process compiles. They exchange pickled tuples:

    ("start", job, lane, task, arguments)      →   ("progress", job, value) …, then ("done", job, value),
    ("stop", job), ("hurry", job)                  ("stopped", job) or ("failed", job, exception)

`stop` ends a job without a result; `hurry` makes its search return the best result so far. Each lane has its own
threads, so that moves never wait for reviews. The priority of a lane is below that of the thread that sends results.
"""

import contextlib
import os
import struct
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

from starscout.errors import exception_text
from starscout.game import GameError, WorkError
from starscout.kernels.stop_flags import raise_flags_of
from starscout.players.player import Limits, PlayerError


class Lane(NamedTuple):
    """Limits of one kind of work: concurrent jobs in total and per client, and the niceness of its threads."""

    total: int
    each: int
    niceness: int


LANES = {
    "move": Lane(64, 4, 3),
    "long": Lane(16, 2, 9),
    "analysis": Lane(8, 3, 6),
    "tree": Lane(4, 1, 6),
    "list": Lane(2, 1, 6),
    "review": Lane(2, 1, 8),
    "judge": Lane(2, 1, 10),
    "store": Lane(2, 2, 4),
    "load": Lane(1, 1, 10),
}
"""`move`: moves of opponents and hints; `long`: moves of opponents with long time limits, whose users expect to wait;
`tree`: search trees; `list`: the archive; `load`: loading the kernels of the players."""

STOP_INTERVAL = 0.02
"""Seconds between raising the flags of a stopped search, which may not be reading them yet."""

HEADER = struct.Struct("!I")


@dataclass(frozen=True)
class Seat:
    """Everything that determines an opponent and its game."""

    table: str
    game: str
    spec: str
    side: int
    """The side of the user."""
    start: str
    seed: int
    limits: Limits
    seconds: float
    """Maximum seconds per move."""


class StoppedError(Exception):
    """The job was stopped before it had a result."""


class Context:
    """A running job, from the point of view of its task."""

    def __init__(self, job: int, send: Callable[[tuple[Any, ...]], None]) -> None:
        self.job, self._send = job, send
        self.thread: int | None = None
        self.stopped = False
        """Whether the job was stopped; a task of several steps checks this between them."""
        self.hurried = False

    def progress(self, value: Any) -> None:
        """Send an intermediate result."""
        self._send(("progress", self.job, value))


Task = Callable[..., Any]
"""(context, *arguments) → result. Runs in a thread."""


class Worker:
    """Runs tasks in threads, one pool per lane."""

    def __init__(self, tasks: dict[str, Task], send: Callable[[tuple[Any, ...]], None]) -> None:
        self._tasks, self._send = tasks, send
        self._pools = {
            name: ThreadPoolExecutor(lane.total, f"{name}", _lower_priority, (lane.niceness,))
            for name, lane in LANES.items()
        }
        self._jobs: dict[int, Context] = {}
        self._interrupted: set[int] = set()
        self._wake = threading.Event()
        self._interrupting = threading.Lock()
        """Held while jobs are interrupted or end, because the thread of an ended job may already run another one."""
        self._closed = False
        threading.Thread(target=self._interrupt, daemon=True).start()

    def receive(self, message: tuple[Any, ...]) -> None:
        """Handle a message of the server."""
        match message:
            case ("start", int(job), str(lane), str(task), tuple(arguments)):
                context = self._jobs[job] = Context(job, self._send)
                self._pools[lane].submit(self._run, context, self._tasks[task], arguments)
            case ("stop" | "hurry" as how, int(job)):
                with self._interrupting:
                    context = self._jobs.get(job)
                    # It may have ended meanwhile.
                    if context is not None:
                        context.stopped |= how == "stop"
                        context.hurried = True
                        self._interrupted.add(job)
                        self._wake.set()

    def _run(self, context: Context, task: Task, arguments: tuple[Any, ...]) -> None:
        answer: tuple[Any, ...]
        try:
            if context.stopped:
                raise StoppedError
            context.thread = threading.get_ident()
            answer = "done", context.job, task(context, *arguments)
        except (KeyboardInterrupt, StoppedError):
            # Kernels raise KeyboardInterrupt when their stop flag is raised.
            answer = "stopped", context.job
        except BaseException as error:
            answer = "failed", context.job, portable(error)
        finally:
            with self._interrupting:
                context.thread = None
                self._jobs.pop(context.job, None)
                self._interrupted.discard(context.job)
        self._send(answer)

    def _interrupt(self) -> None:
        """Raise the stop flags of interrupted jobs until they have ended."""
        while not self._closed:
            self._wake.wait()
            while self._interrupted:
                for job in list(self._interrupted):
                    with self._interrupting:
                        context = self._jobs.get(job)
                        if context is not None and context.thread is not None:
                            raise_flags_of(context.thread)
                time.sleep(STOP_INTERVAL)
            self._wake.clear()

    def close(self) -> None:
        """Stop all jobs without waiting for them."""
        for job in list(self._jobs):
            self.receive(("stop", job))
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
        self._closed = True
        self._wake.set()


def portable(error: BaseException) -> Exception:
    """The error itself if the server handles its type, else a `WorkError` with its message."""
    if isinstance(error, PlayerError):
        return PlayerError(error.reason, error.detail)
    if isinstance(error, GameError):
        return GameError(str(error), code=error.code, **error.arguments)
    if isinstance(error, WorkError):
        return WorkError(str(error))
    return InternalError(exception_text(error))


class InternalError(Exception):
    """An unexpected error of a task."""


def _lower_priority(niceness: int) -> None:
    """Give the thread that sends results precedence. On Linux every thread has its own priority."""
    with contextlib.suppress(AttributeError, OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), os.getpriority(os.PRIO_PROCESS, 0) + niceness)
