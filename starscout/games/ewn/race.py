"""The race: the number of turns until a side's first cube reaches the corner, without interaction.

A side is a number with one digit per cube: its distance to the far corner, 0 if captured. Each turn the side moves the
cube, among those the die allows, that minimises the expected number of turns. Dynamic programming over the total
distance gives the distribution of the arrival turn of every side, and for two sides the probability that the mover
arrives first:

    P(mover first) = Σ over t of P(own = t) · P(enemy ≥ t)
"""

import functools

import numpy

from starscout.games.ewn.die import movable


@functools.cache
def arrival(far: int, cubes: int) -> numpy.ndarray:
    """[side, t] → probability of arrival within t turns; sides are numbers to base far + 1, cube 1 lowest."""
    base = far + 1
    sides, turns = base**cubes, cubes * (far - 1) + 1
    numbers = numpy.arange(sides)
    digits = numbers[:, None] // base ** numpy.arange(cubes) % base
    left = ((digits > 0) << numpy.arange(cubes)).sum(axis=1)
    movers = numpy.full((1 << cubes, cubes, 2), -1)
    for cubes_left in range(1, 1 << cubes):
        for roll in range(cubes):
            for place, cube in enumerate(movable(cubes_left, roll + 1, cubes)):
                movers[cubes_left, roll, place] = cube
    expected = numpy.full(sides, numpy.inf)
    within = numpy.zeros((sides, turns + 1))
    total = digits.sum(axis=1)
    for level in range(1, cubes * far + 1):
        level_sides = numbers[total == level]
        expected[level_sides] = 1.0
        for roll in range(cubes):
            least = numpy.full(len(level_sides), numpy.inf)
            following = numpy.zeros((len(level_sides), turns))
            for place in range(2):
                cube = movers[left[level_sides], roll, place]
                step = digits[level_sides, cube]
                target = numpy.where(cube >= 0, level_sides - base ** numpy.maximum(cube, 0), 0)
                turns_left = numpy.where(cube < 0, numpy.inf, numpy.where(step == 1, 0.0, expected[target]))
                better = turns_left < least
                least = numpy.where(better, turns_left, least)
                arrived = (step == 1)[:, None] | numpy.zeros(turns, dtype=bool)
                curve = numpy.where(arrived, 1.0, within[target, :turns])
                following = numpy.where(better[:, None], curve, following)
            expected[level_sides] += least / cubes
            within[level_sides, 1:] += following / cubes
    return within


@functools.cache
def factors(far: int, cubes: int, rank: int = 4) -> tuple[numpy.ndarray, numpy.ndarray]:
    """Low-rank factors of the race: P(own before enemy) ≈ mover[own] · waiter[enemy].

    The singular values of the matrix of all pairs of sides decrease fast: with rank 4 the root mean square error of the
    probability is 0.0014 on the 5×5 board.
    """
    within = arrival(far, cubes)
    arrives = numpy.diff(within, axis=1)
    not_yet = 1.0 - within[:, :-1]
    own_basis, own_rest = numpy.linalg.qr(arrives)
    enemy_basis, enemy_rest = numpy.linalg.qr(not_yet)
    left, scale, right = numpy.linalg.svd(own_rest @ enemy_rest.T)
    root = numpy.sqrt(scale[:rank])
    mover = own_basis @ left[:, :rank] * root
    waiter = enemy_basis @ right.T[:, :rank] * root
    return numpy.ascontiguousarray(mover, dtype=numpy.float32), numpy.ascontiguousarray(waiter, dtype=numpy.float32)
