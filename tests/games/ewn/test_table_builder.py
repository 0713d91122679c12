"""The table builder: order of blocks, number of positions, stopping."""

import numpy
import pytest

from starscout import games
from starscout.games.ewn.table_builder import CERTAIN, VALUE, _layers, count_positions, fill, number_positions
from starscout.kernels.stop_flags import raise_flags


def test_blocks_are_in_dependency_order():
    numbers = number_positions(games.load("ewn-3x3-3"), 6)
    seen = numpy.zeros(numbers.positions, dtype=numpy.int64)
    order = []
    for blocks in _layers(numbers):
        distances = set()
        for mover, other, first, last, from_other, to_other in blocks:
            side, enemy = numbers.classes[mover], numbers.classes[other]
            for own in range(first, last):
                start = numbers.base[mover, other] + own * len(enemy.other_squares)
                seen[start + from_other : start + to_other] += 1
            far = sum(2 * 2 - s // 3 - s % 3 for s in [*side.mover_squares[first], *enemy.other_squares[from_other]])
            distances.add((len(side.cubes) + len(enemy.cubes), int(far)))
        assert len(distances) == 1
        order += distances
    assert (seen == 1).all()
    assert order == sorted(order)


def test_one_cube_each():
    """Neither side has a choice of cubes and no roll matters, so every chance is 0 or 1."""
    numbers = number_positions(games.load("ewn-4x4-1"), 2)
    values = numpy.zeros(numbers.positions, dtype=VALUE)
    list(fill(numbers, values, 1))
    assert set(values.tolist()) == {0, CERTAIN}


def test_positions_that_share_no_square():
    squares = numpy.arange(8).reshape(-1, 1)
    assert count_positions(squares, squares, 8) == 64 - 7


def test_stop_flag_stops_the_builder():
    numbers = number_positions(games.load("ewn-3x3-3"), 6)
    parts = fill(numbers, numpy.zeros(numbers.positions, dtype=VALUE), 1)
    next(parts)
    raise_flags()
    with pytest.raises(KeyboardInterrupt):
        list(parts)
