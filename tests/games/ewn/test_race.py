"""The race by hand, against brute force, and its factors against the whole table."""

import itertools
import math

import numpy
import pytest

from starscout.games.ewn.board import movable
from starscout.games.ewn.race import arrival, factors


def test_race_by_hand():
    within = arrival(4, 6)
    # One cube alone moves with every roll: it needs as many turns as steps.
    assert within[3][:5] == pytest.approx([0, 0, 0, 1, 1])
    # Two cubes one step away, 1 and 6: every roll moves one of them home.
    assert within[1 + 5**5][1] == pytest.approx(1.0)
    # Cubes 1 and 2, one and four steps away: cube 1 moves on a 1 alone, but cube 2 may be walked home as well.
    assert within[1 + 4 * 5][1] == pytest.approx(1 / 6)


def test_race_equals_a_direct_computation():
    within = arrival(2, 3)

    def chance(steps: tuple[int, ...], turns: int) -> tuple[float, float]:
        """(expected turns, chance to arrive within `turns`) with the choice of the fewest expected turns."""
        left = sum(1 << cube for cube in range(3) if steps[cube])
        expected, arrived = 1.0, 0.0
        for roll in (1, 2, 3):
            options = []
            for cube in movable(left, roll, 3):
                after = tuple(s - (c == cube) for c, s in enumerate(steps))
                options.append((0.0, 1.0) if after[cube] == 0 else chance(after, turns - 1))
            best = min(options)
            expected += best[0] / 3
            arrived += best[1] / 3 if turns > 0 else 0.0
        return expected, arrived

    for steps in itertools.product(range(3), repeat=3):
        if any(steps):
            number = sum(step * 3**cube for cube, step in enumerate(steps))
            for turns in range(within.shape[1]):
                assert within[number, turns] == pytest.approx(chance(steps, turns)[1])


def test_factors_approximate_the_race():
    within = arrival(4, 6)
    mover, waiter = factors(4, 6)
    generator = numpy.random.default_rng(0)
    own, enemy = generator.integers(1, len(within), (2, 5000))
    chance = (numpy.diff(within, axis=1)[own] * (1 - within[:, :-1])[enemy]).sum(axis=1)
    error = (mover[own] * waiter[enemy]).sum(axis=1) - chance
    assert math.sqrt((error**2).mean()) < 0.003
    assert abs(error).max() < 0.1
