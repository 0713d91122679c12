"""The clock of one side: what it may use for a move, and what is left for the game."""

import os

from starscout.search.limits import Limit

MARGIN = 0.1
"""Seconds that a move may take beyond its limit before it is late, for pipes, sockets and the scheduler."""

MOST_WITHHELD = 1.0
"""Seconds by which the margin grows at most when the machine is busy."""


class Clock:
    """Counts down the time of one side. The limit's `time` is for each move, its `clock` for the whole game."""

    def __init__(self, limit: Limit) -> None:
        self._limit = limit
        self.left = limit.clock
        """Seconds left for the rest of the game, None when the game has no such limit."""

    def limit(self) -> Limit:
        """What the side may use for its next move."""
        limit = self._limit
        if self.left is None:
            return limit
        return Limit(limit.time, self.left, limit.increment, limit.depth, limit.nodes, limit.simulations)

    def charge(self, seconds: float, withheld: float = 0.0) -> bool:
        """Count the time of a move; False when it came too late.

        `withheld` is for how long the mover was ready to run while the processor was given to others.
        """
        allowed = time_allowed(self.limit())
        if self.left is not None:
            self.left = max(self.left - seconds, 0.0) + self._limit.increment
        return allowed is None or seconds <= allowed + MARGIN + min(withheld, MOST_WITHHELD)


def time_withheld() -> float:
    """For how long this thread has waited for a processor since it was started; 0 where the system does not tell."""
    try:
        file = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
        try:
            return int(os.read(file, 100).split()[1]) / 1e9
        finally:
            os.close(file)
    except (OSError, IndexError, ValueError):
        return 0.0


def time_allowed(limit: Limit) -> float | None:
    """Seconds for the next move without the margin; None when time does not matter."""
    if limit.time is None or limit.clock is None:
        return limit.time if limit.clock is None else limit.clock
    return min(limit.time, limit.clock)
