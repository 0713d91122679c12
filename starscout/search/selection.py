"""Selection: how attractive a child is to its parent. Each rule is a formula and nothing else.

Means and variances are those of the parent's win probability in [0, 1]; `log_parent` is ln of the parent's visits.
The rules are numbers, so that one compiled search has them all.
"""

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

from starscout.kernel import kernel

UCB, UCB_VARIANCE, UCB_VARIANCE_SCALED, RAVE, GREEDY = range(5)

RULES = {
    "ucb": UCB,
    "ucb-variance": UCB_VARIANCE,
    "ucb-variance-scaled": UCB_VARIANCE_SCALED,
    "rave": RAVE,
    "greedy": GREEDY,
}

LINEAR, HAND, ERROR = range(3)

SCHEDULES = {"linear": LINEAR, "hand": HAND, "error": ERROR}
"""How fast RAVE forgets the all-moves-as-first mean; see `rave_share`."""


class Formulas(NamedTuple):
    """The kernels of the rules."""

    ucb: Callable[..., float]
    ucb_variance: Callable[..., float]
    ucb_variance_scaled: Callable[..., float]
    rave_share: Callable[..., float]
    rave_mean: Callable[..., float]


@functools.cache
def build_formulas(fastmath: bool = False) -> Formulas:
    """The formulas, compiled with or without the right to reorder floating-point operations."""
    compiled = kernel(fastmath=fastmath, inline=True)

    @compiled
    def ucb(mean: float, visits: float, log_parent: float, c: float) -> float:
        """Auer's UCB1 with a free constant: µ + c·√(ln N / n)."""
        return mean + c * math.sqrt(log_parent / visits)

    @compiled
    def ucb_variance(
        mean: float, variance: float, visits: float, log_parent: float, c: float, c1: float, c2: float
    ) -> float:
        """UCB1-tuned: µ + c·√((ln N / n)·min{σ² + c₁·√(ln N / n), c₂})."""
        ratio = log_parent / visits
        return mean + c * math.sqrt(ratio * min(variance + c1 * math.sqrt(ratio), c2))

    @compiled
    def ucb_variance_scaled(
        mean: float, variance: float, visits: float, log_parent: float, c: float, c1: float, c2: float
    ) -> float:
        """UCB1-tuned whose inner term is scaled by c as well: b = c·√(ln N / n), µ + b·√min{σ² + c₁·b, c₂}."""
        bound = c * math.sqrt(log_parent / visits)
        return mean + bound * math.sqrt(min(variance + c1 * bound, c2))

    @compiled
    def rave_share(schedule: int, visits: float, amaf_visits: float, k: float) -> float:
        """The share of the all-moves-as-first mean, from 1 (no visits) to 0.

        linear: 1 − min(1, n/k)        hand: √(k / (3n + k))        error: m / (n + m + 4·n·m·b²) with b² = 1/k
        """
        if schedule == LINEAR:
            return 1.0 - min(1.0, visits / k)
        if schedule == HAND:
            return math.sqrt(k / (3.0 * visits + k))
        return amaf_visits / max(visits + amaf_visits + 4.0 * visits * amaf_visits / k, 1.0)

    @compiled
    def rave_mean(mean: float, visits: float, amaf_mean: float, amaf_visits: float, schedule: int, k: float) -> float:
        """The mean mixed with the all-moves-as-first mean: (1 − β)·µ + β·µ_AMAF."""
        if amaf_visits == 0.0:
            return mean
        share = rave_share(schedule, visits, amaf_visits, k)
        return (1.0 - share) * mean + share * amaf_mean

    return Formulas(ucb, ucb_variance, ucb_variance_scaled, rave_share, rave_mean)
