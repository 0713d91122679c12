"""Compiled, plain Python and bounds-checked modes give the same numbers.

`make test` runs this file once in each mode.
"""

import os

import numpy
import pytest

from starscout import games
from starscout.kernels.kernel import PLAIN, kernel
from starscout.search.perft import perft
from starscout.search.playouts import play_random

pytestmark = pytest.mark.plain

BOUNDS_CHECKED = os.environ.get("NUMBA_BOUNDSCHECK", "0") not in ("", "0")

NUMBERS = {
    # game: depth, leaves from two starts, plies and wins of five random games
    "ewn": (2, [324, 324], 102, 4),
    "ewn-3x3-3": (3, [727, 678], 32, 4),
    "ewn-cyclic": (3, [39, 36], 205, 5),
    "kari": (2, [324, 324], 205, 2),
    "othello": (4, [244, 244], 300, 1),
    "othello-4x4": (5, [424, 424], 63, 2),
}


# Other sizes compile the same code again: with bounds checks one size of each game is enough.
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.bounds] if name in games.NAMES else []) for name in NUMBERS]
)
def test_all_modes_give_the_same_numbers(name: str) -> None:
    depth, leaves, plies, wins = NUMBERS[name]
    game = games.load(name)
    assert [perft(game, game.start_position(seed), depth) for seed in (0, 1)] == leaves
    totals = play_random(game, 3, 0, 5)
    assert (totals.plies, totals.wins) == (plies, wins)


@pytest.mark.bounds
def test_bounds_checking_is_active() -> None:
    @kernel
    def read(table: numpy.ndarray, index: int) -> int:
        return table[index]

    assert read(numpy.arange(4), 3) == 3
    if PLAIN or BOUNDS_CHECKED:
        with pytest.raises(IndexError):
            read(numpy.arange(4), 4)
