"""How long the Othello solver will need: seconds by empty squares, from what it needed before on this machine."""

import math

FIRST_SECONDS = 2e-6
FIRST_GROWTH = 2.0
"""Seconds for a position with no empty square, and the factor for each further one, until something is measured."""

LEAST_SECONDS = 1e-4
"""Shorter solutions are too quick to tell anything."""


class SolveForecast:
    """Predicts the seconds of a solution from the growth between solutions, averaged in logarithms."""

    def __init__(self, smoothing: float = 0.3) -> None:
        self._smoothing = smoothing
        self._growth = math.log(FIRST_GROWTH)
        self._scale = math.log(FIRST_SECONDS)
        self._last: tuple[int, float] | None = None

    @property
    def growth(self) -> float:
        """The factor for each further empty square."""
        return math.exp(self._growth)

    def observe(self, empties: int, seconds: float) -> None:
        """Record the seconds that a position with this many empty squares took."""
        if seconds < LEAST_SECONDS:
            return
        taken = math.log(seconds)
        if self._last is not None and abs(self._last[0] - empties) > 1:
            growth = (self._last[1] - taken) / (self._last[0] - empties)
            self._growth += self._smoothing * (min(max(growth, math.log(1.4)), math.log(4.0)) - self._growth)
        self._last = empties, taken
        self._scale += self._smoothing * (taken - empties * self._growth - self._scale)

    def seconds(self, empties: int) -> float:
        """The expected seconds for a position with this many empty squares."""
        return math.exp(self._scale + empties * self._growth)
