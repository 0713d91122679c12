"""How long a search may think: the limit, a move's share of the clock, and which iteration to begin no more."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")

RESERVE = 0.004
"""Seconds of a limit that are left for everything around the search."""

CLOCK_RESERVE = 0.03
"""Seconds of a clock that are never planned with."""

LEAST = 0.0005
"""A search gets this much even when its time is over, so that it finds some move."""


@dataclass(frozen=True)
class Limit:
    """What ends a search; whichever comes first. None means no limit of that kind.

    `time` is for this move; `clock` is what the mover has left for the rest of the game, `increment` what it gets
    back after each move (seconds). `depth` counts plies: a roll and its move are one.
    """

    time: float | None = None
    clock: float | None = None
    increment: float = 0.0
    depth: int | None = None
    nodes: int | None = None
    simulations: int | None = None

    def __str__(self) -> str:
        """The limit for people, like `0.1 s per move, 8 plies`; empty when there is none."""
        words = {"time": "s per move", "clock": "s per game", "depth": "plies", "nodes": "nodes"}
        words["simulations"] = "simulations"
        said = [f"{number:g} {word}" for name, word in words.items() if (number := getattr(self, name)) is not None]
        return ", ".join(said)


@dataclass(frozen=True)
class Budget:
    """Seconds for one move: no iteration is begun that would likely end after `aim`; at `hard` the search stops."""

    aim: float | None = None
    hard: float | None = None


def budget(limit: Limit, moves_left: float, lag: float = 0.0) -> Budget:
    """The seconds for the next move when about `moves_left` own moves are still to come.

    A time for the move is used in full. A clock is shared evenly; a search that has begun an iteration may take three
    shares, but never more than a third of the clock. `lag` is how much longer than told the moves take on this machine.
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
    """How much later than at the hard stop moves were ready of late: a busy machine takes its time."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def observe(self, late: float) -> None:
        """A move was ready `late` seconds after its hard stop (before it: less than 0). The worst fades slowly."""
        self.seconds = max(late, 0.9 * self.seconds, 0.0)


class Forecast:
    """Predicts how long the next iteration takes: the growth from one to the next, exponentially averaged."""

    def __init__(self, growth: float = 5.0, smoothing: float = 0.5) -> None:
        self.growth = growth
        self._smoothing = smoothing
        self._last: float | None = None

    def begin(self) -> None:
        """A new move: its first iteration is compared with none, the growth is remembered."""
        self._last = None

    def observe(self, seconds: float) -> None:
        """Tell the time of the iteration that has just ended."""
        if self._last is not None and self._last > 0.0:
            self.growth += self._smoothing * (seconds / self._last - self.growth)
        self._last = seconds

    @property
    def expected(self) -> float:
        """The seconds that the next iteration is expected to take."""
        return 0.0 if self._last is None else self._last * self.growth


def within(iterations: Iterator[Item], budget: Budget, forecast: Forecast) -> Iterator[Item]:
    """The iterations, up to the one after which the next would likely miss the budget's aim."""
    started = before = time.monotonic()
    forecast.begin()
    for iteration in iterations:
        now = time.monotonic()
        forecast.observe(now - before)
        before = now
        yield iteration
        if budget.aim is not None and now - started + forecast.expected > budget.aim:
            return
