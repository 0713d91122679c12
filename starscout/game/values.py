"""Values inside kernels: integers in units of 2⁻⁴⁴, so that sums and comparisons are exact.

A value is the mover's expected result: ONE is a win, −ONE a loss, 0 a draw; outside kernels it is a float in [−1, 1].
Means over rolls are rounded down. Rounding is monotone, and sums do not depend on their order: a bound computed from
bounds is a bound of the rounded value, and searches that cut by it need no tolerance.
"""

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy

ONE = 1 << 44
"""A certain win."""

VALUE_BITS = 46
"""Number of bits of value + ONE, 0 … 2·ONE."""


def as_float(value: int) -> float:
    """The expected result in [−1, 1]."""
    return int(value) / ONE


Values = TypeVar("Values", float, "numpy.ndarray")


def win_probability(expected: Values) -> Values:
    """Convert expected results in [−1, 1] to win probabilities, with a draw as half a win."""
    return (expected + 1.0) / 2.0


def result_text(expected: float, points: int, digits: int = 1) -> str:
    """An expected result as the win probability, or as points in a game whose wins count up to `points`.

    >>> result_text(0.25, points=1), result_text(0.25, points=3)
    ('62.5%', '+0.750')
    """
    if points == 1:
        return f"{win_probability(expected):.{digits}%}"
    return f"{round(expected * points, digits + 2) + 0.0:+.{digits + 2}f}"


def outcome_text(expected: float, points: int, digits: int = 1) -> str:
    """The expected result of the side to move as a verb and a number, to follow the name of the side.

    >>> outcome_text(0.25, points=1), outcome_text(0.25, points=3)
    ('wins 62.5%', 'expects +0.750 points')
    """
    text = result_text(expected, points, digits)
    return f"wins {text}" if points == 1 else f"expects {text} points"
