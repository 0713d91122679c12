"""The hard stop: a thread that raises a flag when the time is up, which kernels poll while they search.

Kernels release the GIL and never read the clock themselves. They look at `flag[0]` every few hundred nodes and return
as soon as it is not 0:

    flag = new_flag()
    with stop_after(limit.time, flag):
        kernel(…, flag)

The compiler may read the flag once and for all in a loop that writes no memory or provably other memory: searches
write their counters and rows between two looks, a loop that only computes has to be ended otherwise.

One thread watches over all flags of the process. It is started once and waits without being waited for, so that arming
and disarming it costs no switch between threads, which on a busy machine can take longer than a short search.
"""

import contextlib
import os
import threading
import time
from collections.abc import Iterator

import numpy

RAISED = 1
"""What a flag holds once the search has to end; 0 before."""

Flags = tuple[numpy.ndarray, ...]

_running: dict[object, Flags] = {}
"""The flags of the searches that are inside of `stop_after` now."""


def new_flag() -> numpy.ndarray:
    """A flag that is not raised. Any int64 array serves as one: its first number is the flag."""
    return numpy.zeros(1, dtype=numpy.int64)


@contextlib.contextmanager
def stop_after(seconds: float | None, *flags: numpy.ndarray) -> Iterator[None]:
    """Raise the flags `seconds` after the block is entered, unless it has been left by then; None never does.

    Lower the flags before the block: they are left as they are. Time that is already over raises them at once.
    """
    search = object()
    _running[search] = flags
    ticket = None
    if seconds is not None and seconds <= 0:
        _raise(flags)
    elif seconds is not None:
        ticket = _WATCH.arm(time.monotonic() + seconds, flags)
    try:
        yield
    finally:
        del _running[search]
        if ticket is not None:
            _WATCH.disarm(ticket)


def stop_searches() -> None:
    """Raise the flags of every search that runs now, in whatever thread: somebody wants an answer at once."""
    for flags in list(_running.values()):
        _raise(flags)


def _raise(flags: Flags) -> None:
    for flag in flags:
        flag[0] = RAISED


class _Watch:
    """The deadlines that are armed and the thread that waits for the next of them."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._armed: dict[int, tuple[float, Flags]] = {}
        self._tickets = 0
        self._thread: threading.Thread | None = None

    def arm(self, deadline: float, flags: Flags) -> int:
        """Raise the flags at the deadline (of the monotonic clock) unless the ticket is disarmed before."""
        with self._changed:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="starscout clock", daemon=True)
                self._thread.start()
            self._tickets += 1
            self._armed[self._tickets] = (deadline, flags)
            self._changed.notify()
            return self._tickets

    def disarm(self, ticket: int) -> None:
        """After this the ticket's flags are not touched any more."""
        with self._changed:
            self._armed.pop(ticket, None)

    def _run(self) -> None:
        with self._changed:
            while True:
                now = time.monotonic()
                for ticket in [ticket for ticket, (deadline, _) in self._armed.items() if deadline <= now]:
                    _raise(self._armed.pop(ticket)[1])
                deadlines = [deadline for deadline, _ in self._armed.values()]
                self._changed.wait(min(deadlines) - now if deadlines else None)


_WATCH = _Watch()


def _after_fork() -> None:
    """Threads do not survive a fork: the child starts with a watch of its own."""
    global _WATCH
    _WATCH = _Watch()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
