"""The clock of one side: the time for a move, and the time left for the game."""

import os

from starscout.search.limits import Limit

MARGIN = 0.1
"""Seconds that a move may exceed its limit, to allow for pipes, sockets and the scheduler."""

MAX_WITHHELD = 1.0
"""Maximum seconds added to the margin on a busy machine."""


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
        return allowed is None or seconds <= allowed + MARGIN + min(withheld, MAX_WITHHELD)


def time_withheld() -> float:
    """Seconds for which this thread has waited for a processor since its start; 0 if unknown."""
    try:
        file = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
        try:
            return int(os.read(file, 100).split()[1]) / 1e9
        finally:
            os.close(file)
    except (OSError, IndexError, ValueError):
        return 0.0


def time_allowed(limit: Limit) -> float | None:
    """Seconds for the next move without the margin; None if unlimited."""
    if limit.time is None or limit.clock is None:
        return limit.time if limit.clock is None else limit.clock
    return min(limit.time, limit.clock)
