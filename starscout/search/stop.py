"""The hard stop: a thread raises a flag when the time is up, and kernels poll the flag while they search.

Kernels release the GIL and never read the clock. They look at `flag[0]` at every node or simulation and return as soon
as it is not 0:

    flag = new_flag()
    with stop_after(limit.time, flag):
        kernel(…, flag)

In a loop that writes no memory the compiler may read the flag only once. Searches write their counters and rows between
two reads; a loop that only computes needs another way to end.

One thread watches all flags of the process. It is started once and nobody waits for it, so arming and disarming cost
no switch between threads, which can take longer than a short search on a busy machine.
"""

import contextlib
import os
import threading
import time
from collections.abc import Iterator

import numpy

from starscout.kernels.stop_flags import RAISED, Flags, announced, new_flag, raise_flags

__all__ = ["RAISED", "new_flag", "stop_after", "stop_searches"]

LONGEST_WAIT = 3600.0
"""The longest single wait in seconds: the system refuses to wait for centuries."""


@contextlib.contextmanager
def stop_after(seconds: float | None, *flags: numpy.ndarray) -> Iterator[None]:
    """Raise the flags `seconds` after the block is entered, unless the block has ended by then; None: never.

    It does not lower the flags: do that before the block. Seconds that are not positive raise them at once.
    """
    ticket = None
    if seconds is not None and seconds <= 0:
        raise_flags(flags)
    elif seconds is not None:
        ticket = _WATCH.arm(time.monotonic() + seconds, flags)
    try:
        with announced(*flags):
            yield
    finally:
        if ticket is not None:
            _WATCH.disarm(ticket)


def stop_searches() -> None:
    """Raise the flags of every running search, in all threads, to get the answers at once."""
    raise_flags()


class _Watch:
    """The armed deadlines, and the thread that waits for the next one."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._armed: dict[int, tuple[float, Flags]] = {}
        self._tickets = 0
        self._thread: threading.Thread | None = None

    def arm(self, deadline: float, flags: Flags) -> int:
        """Raise the flags at the deadline (monotonic clock) unless the returned ticket is disarmed before."""
        with self._changed:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="starscout stop", daemon=True)
                self._thread.start()
            self._tickets += 1
            self._armed[self._tickets] = (deadline, flags)
            self._changed.notify()
            return self._tickets

    def disarm(self, ticket: int) -> None:
        """Forget the ticket: its flags are no longer touched."""
        with self._changed:
            self._armed.pop(ticket, None)

    def _run(self) -> None:
        with self._changed:
            while True:
                now = time.monotonic()
                for ticket in [ticket for ticket, (deadline, _) in self._armed.items() if deadline <= now]:
                    raise_flags(self._armed.pop(ticket)[1])
                deadlines = [deadline for deadline, _ in self._armed.values()]
                self._changed.wait(min(min(deadlines) - now, LONGEST_WAIT) if deadlines else None)


_WATCH = _Watch()


def _after_fork() -> None:
    """Give the child process its own watch: threads do not survive a fork."""
    global _WATCH
    _WATCH = _Watch()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
