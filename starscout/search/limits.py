"""How long a search may take: the limit, a move's share of the clock, and when deepening stops."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from starscout.settings.schema import Depth, GameTime, Increment, Nodes, Simulations, Time

Item = TypeVar("Item")

RESERVE = 0.004
"""Seconds of a limit that are reserved for everything around the search."""

CLOCK_RESERVE = 0.03
"""Seconds of a clock that are never planned for use."""

LEAST = 0.0005
"""Seconds that a search gets even when its time is up, so that it finds a move."""


@dataclass(frozen=True)
class Limit:
    """What ends a search, whichever comes first. None means no limit of that kind.

    >>> print(Limit(time=0.1, depth=8))
    0.1 s per move, 8 plies
    """

    time: Time | None = None
    """Seconds for this move."""
    clock: GameTime | None = None
    """Seconds that the mover has left for the rest of the game."""
    increment: Increment = 0.0
    """Seconds that the mover gets back after each move."""
    depth: Depth | None = None
    """Plies; a roll and its move are one ply, and two layers of report 002."""
    nodes: Nodes | None = None
    """Nodes of an alpha-beta search."""
    simulations: Simulations | None = None
    """Simulations of a Monte-Carlo search."""

    def __str__(self) -> str:
        """The limit for people, like `0.1 s per move, 8 plies`; empty when there is none."""
        times = (self.time, "move"), (self.clock, "game")
        said = [f"{seconds:g} s per {what}" for seconds, what in times if seconds is not None]
        counts = (
            (self.depth, "ply", "plies"),
            (self.nodes, "node", "nodes"),
            (self.simulations, "simulation", "simulations"),
        )
        said += [f"{count} {one if count == 1 else many}" for count, one, many in counts if count is not None]
        return ", ".join(said)


@dataclass(frozen=True)
class Budget:
    """Seconds for one move: no iteration starts that would likely end after `aim`; the search stops at `hard`."""

    aim: float | None = None
    hard: float | None = None


def budget(limit: Limit, moves_left: float, lag: float = 0.0) -> Budget:
    """The seconds for the next move when the mover still has about `moves_left` moves to make.

    A time for the move is used in full. A clock is shared evenly; an iteration that has started may take three shares,
    but never more than a third of the clock. `lag` is how late moves are on this machine.
    """
    aim, hard = None, None
    if limit.clock is not None:
        left = max(limit.clock - CLOCK_RESERVE - lag * (moves_left + 1.0), LEAST)
        share = left / max(moves_left, 1.0) + 0.75 * limit.increment
        aim = min(share, 0.9 * left)
        hard = min(3.0 * share, max(left / 3.0, aim))
    if limit.time is not None:
        most = max(limit.time - RESERVE - lag, LEAST)
        aim = None if aim is None else min(aim, most)
        hard = most if hard is None else min(hard, most)
    return Budget(aim, hard)


class Lag:
    """How late recent moves were: seconds after the hard stop, on a busy machine."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def observe(self, late: float) -> None:
        """Record a move that was `late` seconds after its hard stop (negative: before it). The worst fades slowly."""
        self.seconds = max(late, 0.9 * self.seconds, 0.0)


class Forecast:
    """Predicts the time of the next iteration from the growth between iterations, exponentially averaged."""

    def __init__(self, growth: float = 5.0, smoothing: float = 0.5) -> None:
        self.growth = growth
        self._smoothing = smoothing
        self._last: float | None = None

    def begin(self) -> None:
        """Start a new move: forget the last iteration, keep the growth."""
        self._last = None

    def observe(self, seconds: float) -> None:
        """Record the seconds of the iteration that has just ended."""
        if self._last is not None and self._last > 0.0:
            self.growth += self._smoothing * (seconds / self._last - self.growth)
        self._last = seconds

    @property
    def expected(self) -> float:
        """The expected seconds of the next iteration."""
        return 0.0 if self._last is None else self._last * self.growth


def within(iterations: Iterator[Item], budget: Budget, forecast: Forecast) -> Iterator[Item]:
    """The iterations, up to the last one before the next would likely miss the budget's aim."""
    started = before = time.monotonic()
    forecast.begin()
    for iteration in iterations:
        now = time.monotonic()
        forecast.observe(now - before)
        before = now
        yield iteration
        if budget.aim is not None and now - started + forecast.expected > budget.aim:
            return
