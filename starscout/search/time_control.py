"""Time control: the time budget of a move, lag compensation, iteration forecasts and the hard stop.

A move's time limit is used in full. A game clock is divided by the expected number of moves that still need a search
(`moves_left`). The deeper a search is, the sooner a later one reaches the end of the game, so the share of a move grows
from iteration to iteration. A selective search that reaches the end proves nothing: its share does not grow, which
leaves time for a solver. Iterations are completed rather than cut: the next one is started only if it is expected to
end before a target that makes moves use their share on average (`Forecast.target`). A forecast can be wrong, so a
search is stopped after a multiple of its share.

The hard stop is a thread that raises a flag when the time is up. Kernels release the GIL and never read the clock; they
poll `flag[0]` at every node or simulation and return as soon as it is not 0:

    flag = new_flag()
    with stop_after(seconds, flag):
        kernel(…, flag)

In a loop that does not write to memory, the compiler may read the flag only once. Searches write their counters and
rows between two reads; a loop that only computes must use `stop_flags.raised`. One thread serves all flags of the
process, so arming and disarming need no thread switch, which can take longer than a short search on a busy machine.
"""

import contextlib
import math
import os
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy

from starscout.kernels.stop_flags import RAISED, RUNNING, Flags, new_flag, raise_flags
from starscout.search.limits import Limit

__all__ = [
    "RAISED",
    "Budget",
    "Forecast",
    "Lag",
    "budget",
    "moves_left",
    "new_flag",
    "stop_after",
    "stop_searches",
    "within",
]

RESERVE = 0.004
"""Seconds of a move's limit reserved for work outside the search."""

CLOCK_RESERVE = 0.03
"""Seconds of a game clock that are never planned for use."""

CLOCK_SHARE = 0.75
"""Largest part of the remaining clock that one move may use."""

INCREMENT_SHARE = 0.75
"""Part of the increment that a move may use in addition to its share of the clock."""

MOST_SHARES = 4.0
"""A search is stopped after this multiple of its share of the clock, as computed before the first iteration."""

LEAST_MOVES = 1.75
"""Minimum expected number of moves that need a search, as long as no search has reached the end of the game."""

SOLVED_PLIES = 10
"""Plies before the end of the game from which a solver needs no measurable time."""

LEAST = 0.0005
"""Seconds that a search gets even when no time is left, so that it finds a move."""

LAG_SHARE = 0.2
"""Largest part of a limit that lag compensation may take."""

LAG_WINDOW = 8
"""Number of recent moves that lag compensation considers."""


MEASURABLE = 0.0005
"""Seconds of the shortest iteration whose growth is meaningful."""

MOST_GROWTH = 30.0
"""Largest growth between two iterations that is recorded."""

LONGEST_WAIT = 3600.0
"""Longest single wait in seconds; the operating system rejects larger values."""


def moves_left(plies_left: float, depth: int = 0, deepening: float = 0.0) -> float:
    """The expected number of the mover's own moves that need a search, this one included.

    `plies_left` is the expected number of plies to the end of the game, `depth` the depth of a search, which grows by
    `deepening` per ply of the game. When a search reaches the end of the game, its move and all later ones are solved.
    """
    searched = (plies_left - depth) / (1.0 + deepening)
    return max((searched + 1.0) / 2.0, LEAST_MOVES)


@dataclass(frozen=True)
class Budget:
    """Seconds for one move."""

    hard: float | None = None
    """The search is stopped after this time; None: never."""
    clock: float | None = None
    """The seconds of a game clock to divide among the moves; None: there is no clock."""
    increment: float = 0.0
    """The part of the increment that this move may use."""
    plies_left: float = 1.0
    deepening: float = 0.0
    sees_end: bool = True
    """Whether a search that reaches the end of the game solves it; if not, a solver follows, which takes time."""

    def share(self, depth: int = 0) -> float | None:
        """The seconds of a game clock that this move should use on average, once `depth` plies have been searched.

        None: all that it has, up to the hard stop.
        """
        if self.clock is None or self.hard is None:
            return None
        seen = depth if self.sees_end else SOLVED_PLIES
        share = self.clock / moves_left(self.plies_left, seen, self.deepening) + self.increment
        return share if share < self.hard else None


def budget(
    limit: Limit, plies_left: float, deepening: float = 0.0, lag: float = 0.0, *, sees_end: bool = True
) -> Budget:
    """The time for the next move if the game is expected to last `plies_left` more plies.

    `deepening` is the game's, `lag` the typical delay between the hard stop and the answer on this machine.
    """
    hard, clock = None, None
    if limit.clock is not None:
        clock = max(limit.clock - CLOCK_RESERVE, LEAST)
        clock = max(clock - min(lag * (moves_left(plies_left, 0, deepening) + 1.0), LAG_SHARE * clock), LEAST)
        hard = max(CLOCK_SHARE * clock, LEAST)
    planned = Budget(hard, clock, INCREMENT_SHARE * limit.increment, plies_left, deepening, sees_end)
    share = planned.share()
    if hard is not None and share is not None:
        hard = min(hard, MOST_SHARES * share)
    if limit.time is not None:
        most = max(limit.time - RESERVE - min(lag, LAG_SHARE * limit.time), LEAST)
        hard = most if hard is None else min(hard, most)
    return replace(planned, hard=hard)


class Lag:
    """The recent delay between the hard stop of a search and its answer.

    The largest delay of the last LAG_WINDOW moves is discarded as an outlier, so a single stall has no effect.
    """

    def __init__(self) -> None:
        self._recent: deque[float] = deque(maxlen=LAG_WINDOW)

    @property
    def seconds(self) -> float:
        """The second largest recent delay; 0 before there are two."""
        return sorted(self._recent)[-2] if len(self._recent) > 1 else 0.0

    def observe(self, late: float) -> None:
        """Record a move that ended `late` seconds after its hard stop; negative if it ended earlier."""
        self._recent.append(max(late, 0.0))


class Forecast:
    """Predicts the time of the next iteration from a geometric moving average of the growth between iterations."""

    def __init__(self, growth: float = 5.0, smoothing: float = 0.3) -> None:
        self.growth = growth
        self._smoothing = smoothing
        self._last: float | None = None

    def begin(self) -> None:
        """Start a new move: drop the last iteration, keep the growth."""
        self._last = None

    def observe(self, seconds: float) -> None:
        """Record the seconds of the iteration that has just ended."""
        if self._last is not None and self._last >= MEASURABLE:
            ratio = min(max(seconds / self._last, 1.0), MOST_GROWTH)
            self.growth *= (ratio / self.growth) ** self._smoothing
        self._last = seconds

    @property
    def expected(self) -> float:
        """The expected seconds of the next iteration."""
        return 0.0 if self._last is None else self._last * self.growth

    def target(self, share: float) -> float:
        """The time by which an iteration should end so that moves take `share` seconds on average.

        Iterations end at times T, gT, g²T, … The last end before a target a is log-uniformly distributed over (a/g, a],
        with the mean a (1 − 1/g) / ln g.
        """
        growth = max(self.growth, 1.2)
        return share * math.log(growth) / (1.0 - 1.0 / growth)


class _Iteration(Protocol):
    """An iteration of iterative deepening."""

    @property
    def depth(self) -> int: ...


Deepened = TypeVar("Deepened", bound=_Iteration)


def within(iterations: Iterator[Deepened], budget: Budget, forecast: Forecast) -> Iterator[Deepened]:
    """Yield iterations until the next one is not expected to end before the target of a clock budget."""
    started = before = time.monotonic()
    forecast.begin()
    for iteration in iterations:
        now = time.monotonic()
        forecast.observe(now - before)
        before = now
        yield iteration
        share = budget.share(iteration.depth)
        if share is not None and now - started + forecast.expected > forecast.target(share):
            return


@contextlib.contextmanager
def stop_after(seconds: float | None, *flags: numpy.ndarray) -> Iterator[None]:
    """Raise the flags `seconds` after the block is entered, unless the block has ended by then; None: never.

    It does not lower the flags: do that before the block. With zero or negative `seconds` they are raised immediately.
    """
    ticket = None
    if seconds is not None and seconds <= 0:
        raise_flags(flags)
    elif seconds is not None:
        ticket = _TIMER.arm(time.monotonic() + seconds, flags)
    registration = object()
    RUNNING[registration] = threading.get_ident(), flags
    try:
        yield
    finally:
        del RUNNING[registration]
        if ticket is not None:
            _TIMER.disarm(ticket)


def stop_searches() -> None:
    """Raise the flags of every running search, in all threads, to get the answers immediately."""
    raise_flags()


class _StopTimer:
    """Armed deadlines and the thread that waits for the next one."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._armed: dict[int, tuple[float, Flags]] = {}
        self._tickets = 0
        self._thread: threading.Thread | None = None

    def arm(self, deadline: float, flags: Flags) -> int:
        """Raise the flags at the deadline (monotonic clock) unless the returned ticket is disarmed first."""
        with self._changed:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="starscout stop timer", daemon=True)
                self._thread.start()
            self._tickets += 1
            self._armed[self._tickets] = (deadline, flags)
            self._changed.notify()
            return self._tickets

    def disarm(self, ticket: int) -> None:
        """Cancel a deadline."""
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


_TIMER = _StopTimer()


def _after_fork() -> None:
    """Give a forked child its own timer: threads do not survive a fork."""
    global _TIMER
    _TIMER = _StopTimer()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
