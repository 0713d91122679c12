"""Discs: moves and turned discs against a walk along every line."""

import itertools
import random

import pytest

from starscout.games.othello.rules import build_discs
from starscout.kernels.bits import Word

DIRECTIONS = [step for step in itertools.product((-1, 0, 1), repeat=2) if step != (0, 0)]


def walked(size: int, square: int, own: int, enemy: int) -> int:
    """The discs that a disc on an empty square turns."""
    total = 0
    for down, right in DIRECTIONS:
        row, column = divmod(square, size)
        line = 0
        while True:
            row, column = row + down, column + right
            if not (0 <= row < size and 0 <= column < size):
                break
            bit = 1 << row * size + column
            if own & bit:
                total |= line
                break
            if not enemy & bit:
                break
            line |= bit
    return total


@pytest.mark.plain
@pytest.mark.parametrize("size", [8, 6, 4])
def test_mobility_and_turned_discs(size: int):
    board = build_discs(size)
    generator = random.Random(size)
    for _ in range(30):
        own = enemy = 0
        for square in range(size * size):
            side = generator.choice("oxx-")
            own |= (side == "o") << square
            enemy |= (side == "x") << square
        legal = 0
        for square in range(size * size):
            if not (own | enemy) >> square & 1:
                expected = walked(size, square, own, enemy)
                assert int(board.turned(Word(1 << square), Word(own), Word(enemy))) == expected
                legal |= (expected != 0) << square
        assert int(board.mobility(Word(own), Word(enemy))) == legal
