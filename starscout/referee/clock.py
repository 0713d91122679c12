"""The clock of one side: the time for a move, and the time left for the game."""

import contextlib
import os
import threading
import time
from typing import NamedTuple

from starscout.search.limits import Limit

MARGIN = 0.1
"""Seconds that a move may exceed its limit, to allow for pipes, sockets and the scheduler."""

MAX_WITHHELD = 1.0
"""Maximum seconds added to the margin of a program or class on a busy machine; it may cause the load itself."""

MAX_OWN_WITHHELD = 30.0
"""The same for a player in the referee's process."""


class Clock:
    """The clock of one side: `time` of the limit is per move, `clock` for the whole game."""

    def __init__(self, limit: Limit) -> None:
        self._limit = limit
        self.left = limit.clock
        """Seconds left for the rest of the game; None without such a limit."""

    def limit(self) -> Limit:
        """The limit of the next move."""
        limit = self._limit
        if self.left is None:
            return limit
        return Limit(limit.time, self.left, limit.increment, limit.depth, limit.nodes, limit.simulations)

    def charge(self, seconds: float, withheld: float = 0.0) -> bool:
        """Charge the time of a move; return whether it was in time.

        `withheld`: seconds for which the mover was ready to run but waited for a processor.
        """
        allowed = time_allowed(self.limit())
        if self.left is not None:
            self.left = max(self.left - seconds, 0.0) + self._limit.increment
        return allowed is None or seconds <= allowed + MARGIN + min(withheld, MAX_OWN_WITHHELD)


class Scheduling(NamedTuple):
    """Scheduler statistics of a process: CPU seconds of its threads, and seconds spent waiting for a CPU."""

    used: float = 0.0
    waited: float = 0.0
    """The maximum over its threads."""
    waited_by_all: float = 0.0

    def joined(self, other: "Scheduling") -> "Scheduling":
        """Both processes together."""
        return Scheduling(
            self.used + other.used, max(self.waited, other.waited), self.waited_by_all + other.waited_by_all
        )


def scheduling(process: int | str = "self") -> Scheduling:
    """The scheduling of all threads of a process since their start; zeros if unknown."""
    found = Scheduling()
    try:
        threads = os.listdir(f"/proc/{process}/task")
    except OSError:
        return found
    for thread in threads:
        try:
            file = os.open(f"/proc/{process}/task/{thread}/schedstat", os.O_RDONLY)
            try:
                used, waited, *_ = os.read(file, 100).split()
            finally:
                os.close(file)
            found = found.joined(Scheduling(int(used) / 1e9, int(waited) / 1e9, int(waited) / 1e9))
        except (OSError, ValueError):
            continue
    return found


def runnable(process: int) -> bool:
    """Whether a thread of a process runs or waits for a processor."""
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{thread}/stat", "rb") as file:
                if file.read().rpartition(b")")[2].split()[0] == b"R":
                    return True
    return False


def time_withheld() -> float:
    """Seconds for which the threads of this process have waited for a processor; 0 if unknown.

    A search and the thread that stops it wait separately: a delay of either makes a move late.
    """
    return scheduling().waited_by_all


STOP_SECONDS = 0.25
"""Minimum seconds without progress, not counting waits for a processor, that count as a suspension of this process."""

_TICK = 0.05


class StopMonitor:
    """Detects that this process was suspended: by SIGSTOP, by a debugger, or with its virtual machine."""

    def __init__(self) -> None:
        self._stops = 0
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._ticked = time.perf_counter()

    def stops(self) -> int:
        """The number of suspensions since the first call."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._ticked = time.perf_counter()
                self._thread = threading.Thread(target=self._watch, daemon=True, name="stop-monitor")
                self._thread.start()
            # The thread may not have run since a suspension.
            late = time.perf_counter() - self._ticked > STOP_SECONDS + _TICK
        if late:
            time.sleep(2 * _TICK)
        return self._stops

    def _watch(self) -> None:
        waited = scheduling().waited_by_all
        while True:
            began = time.perf_counter()
            time.sleep(_TICK)
            self._ticked, now = time.perf_counter(), scheduling().waited_by_all
            # A busy machine also delays this thread, but then some thread waits for a processor.
            if self._ticked - began - _TICK - (now - waited) > STOP_SECONDS:
                self._stops += 1
            waited = now


stop_monitor = StopMonitor()
"""The monitor of this process."""


def time_allowed(limit: Limit) -> float | None:
    """Seconds for the next move without the margin; None if unlimited."""
    if limit.time is None or limit.clock is None:
        return limit.time if limit.clock is None else limit.clock
    return min(limit.time, limit.clock)
