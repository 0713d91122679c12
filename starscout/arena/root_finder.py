"""Brent's method for the root of a function of one variable (R. P. Brent, 1973, chapter 4)."""

import math
from collections.abc import Callable

ABSOLUTE_TOLERANCE = 2e-12
RELATIVE_TOLERANCE = 4 * 2.0**-52
MOST_STEPS = 200


def find_root(function: Callable[[float], float], low: float, high: float) -> float:
    """A point between `low` and `high` where `function` changes sign; its signs at the two must differ."""
    earlier, current = low, high
    earlier_value, current_value = function(earlier), function(current)
    if earlier_value == 0:
        return earlier
    if current_value == 0:
        return current
    if (earlier_value > 0) == (current_value > 0):
        raise ValueError(f"the function has the same sign at {low} and {high}")
    other, other_value = earlier, earlier_value
    last_step = step = current - earlier
    for _ in range(MOST_STEPS):
        # The root lies between `current`, the best guess, and `other`.
        if earlier_value != 0 and (earlier_value > 0) != (current_value > 0):
            other, other_value = earlier, earlier_value
            last_step = step = current - earlier
        if abs(other_value) < abs(current_value):
            earlier, current, other = current, other, current
            earlier_value, current_value, other_value = current_value, other_value, current_value
        tolerance = (ABSOLUTE_TOLERANCE + RELATIVE_TOLERANCE * abs(current)) / 2
        halving = (other - current) / 2
        if current_value == 0 or abs(halving) < tolerance:
            return current
        trial = math.inf
        if abs(last_step) > tolerance and abs(current_value) < abs(earlier_value):
            trial = _interpolated(earlier, earlier_value, current, current_value, other, other_value)
        if 2 * abs(trial) < min(abs(last_step), 3 * abs(halving) - tolerance):
            last_step, step = step, trial
        else:
            last_step = step = halving
        earlier, earlier_value = current, current_value
        current += step if abs(step) > tolerance else math.copysign(tolerance, halving)
        current_value = function(current)
    return current


def _interpolated(
    earlier: float, earlier_value: float, current: float, current_value: float, other: float, other_value: float
) -> float:
    """The step from `current` to where the secant, or the inverse parabola through three points, meets zero."""
    if earlier == other:
        return -current_value * (current - earlier) / (current_value - earlier_value)
    earlier_slope = (earlier_value - current_value) / (earlier - current)
    other_slope = (other_value - current_value) / (other - current)
    numerator = -current_value * (other_value * other_slope - earlier_value * earlier_slope)
    return numerator / (other_slope * earlier_slope * (other_value - earlier_value))
