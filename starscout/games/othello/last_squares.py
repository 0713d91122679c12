"""Specialised routines of the Othello solver for the last one to four empty squares.

Values are disc differences for the mover with the empty squares given to the winner; windows are (alpha, beta), and a
value outside the window is a bound.

The last move is evaluated without playing it. All other squares are full, so the own discs on a line determine it: they
are gathered into a byte, and a table gives the number of discs turned.
"""

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy

from starscout.games.othello.rules import build_discs
from starscout.kernels.bits import WORD_ONE, WORD_ZERO, Word, gather, integer, lowest, popcount
from starscout.kernels.kernel import kernel

NO_MOVE = -128
"""Less than any difference: no move."""


class LastSquares(NamedTuple):
    """The kernels of one board; see the functions inside `build_last_squares`."""

    final: Callable[[Word, Word], int]
    odd_regions: Callable[[Word], Word]
    one: Callable[..., int]
    two: Callable[..., int]
    three: Callable[..., int]
    four: Callable[..., int]


@functools.cache
def build_last_squares(size: int) -> LastSquares:
    """The routines for a board of size×size."""
    board = build_discs(size)
    squares, everything, turned = board.squares, board.everything, board.turned
    masks, places = _lines(size)
    between = _turned_in_line()
    near = _neighbours(size)
    quarters = _quarters(size)

    @kernel(inline=True)
    def final(own: Word, enemy: Word) -> int:
        """The difference when the game is over."""
        mine, theirs = popcount(own), popcount(enemy)
        if mine > theirs:
            return squares - 2 * theirs
        return 2 * mine - squares if mine < theirs else 0

    @kernel(inline=True)
    def odd_regions(empty: Word) -> Word:
        """The quadrants with an odd number of empty squares (parity)."""
        odd = WORD_ZERO
        for quarter in quarters:
            if popcount(empty & quarter) & 1:
                odd |= quarter
        return odd

    @kernel(inline=True)
    def turned_by_last(own: Word, square: int) -> int:
        """Number of discs turned by the last move."""
        at = Word(square)
        return (
            integer(between[places[at, 0], gather(own, masks[at, 0])])
            + integer(between[places[at, 1], gather(own, masks[at, 1])])
            + integer(between[places[at, 2], gather(own, masks[at, 2])])
            + integer(between[places[at, 3], gather(own, masks[at, 3])])
        )

    @kernel(inline=True)
    def one(own: Word, square: int) -> int:
        """The mover's difference with one empty square left."""
        mine = popcount(own)
        discs = turned_by_last(own, square)
        if discs > 0:
            return 2 * (mine + discs + 1) - squares
        other = everything & ~own & ~(WORD_ONE << Word(square))
        discs = turned_by_last(other, square)
        if discs > 0:
            return 2 * (mine - discs) - squares
        return 2 * mine - squares + 2 if 2 * mine >= squares else 2 * mine - squares

    @kernel
    def moves_with_two(own: Word, enemy: Word, beta: int, first: int, second: int) -> int:
        best = NO_MOVE
        if near[Word(first)] & enemy != WORD_ZERO:
            discs = turned(WORD_ONE << Word(first), own, enemy)
            if discs != WORD_ZERO:
                best = -one(enemy ^ discs, second)
                if best >= beta:
                    return best
        if near[Word(second)] & enemy != WORD_ZERO:
            discs = turned(WORD_ONE << Word(second), own, enemy)
            if discs != WORD_ZERO:
                best = max(best, -one(enemy ^ discs, first))
        return best

    @kernel(inline=True)
    def two(own: Word, enemy: Word, alpha: int, beta: int, first: int, second: int) -> int:
        """The mover's difference with two empty squares left."""
        best = moves_with_two(own, enemy, beta, first, second)
        if best != NO_MOVE:
            return best
        best = moves_with_two(enemy, own, -alpha, first, second)
        return -best if best != NO_MOVE else final(own, enemy)

    @kernel
    def moves_with_three(own: Word, enemy: Word, alpha: int, beta: int, first: int, second: int, third: int) -> int:
        best = NO_MOVE
        if near[Word(first)] & enemy != WORD_ZERO:
            disc = WORD_ONE << Word(first)
            discs = turned(disc, own, enemy)
            if discs != WORD_ZERO:
                best = -two(enemy ^ discs, own | disc | discs, -beta, -alpha, second, third)
                if best >= beta:
                    return best
                alpha = max(alpha, best)
        if near[Word(second)] & enemy != WORD_ZERO:
            disc = WORD_ONE << Word(second)
            discs = turned(disc, own, enemy)
            if discs != WORD_ZERO:
                best = max(best, -two(enemy ^ discs, own | disc | discs, -beta, -alpha, first, third))
                if best >= beta:
                    return best
                alpha = max(alpha, best)
        if near[Word(third)] & enemy != WORD_ZERO:
            disc = WORD_ONE << Word(third)
            discs = turned(disc, own, enemy)
            if discs != WORD_ZERO:
                best = max(best, -two(enemy ^ discs, own | disc | discs, -beta, -alpha, first, second))
        return best

    @kernel(inline=True)
    def three(own: Word, enemy: Word, alpha: int, beta: int, empty: Word) -> int:
        """The mover's difference with three empty squares left; a single one in its quadrant is tried first."""
        alone = empty & odd_regions(empty)
        if alone == WORD_ZERO:
            alone = empty
        first = lowest(alone)
        rest = empty & ~(WORD_ONE << Word(first))
        second = lowest(rest)
        third = lowest(rest & (rest - WORD_ONE))
        best = moves_with_three(own, enemy, alpha, beta, first, second, third)
        if best != NO_MOVE:
            return best
        best = moves_with_three(enemy, own, -beta, -alpha, first, second, third)
        return -best if best != NO_MOVE else final(own, enemy)

    @kernel
    def moves_with_four(own: Word, enemy: Word, alpha: int, beta: int, empty: Word) -> int:
        best = NO_MOVE
        odd = odd_regions(empty)
        left, later = empty & odd, empty & ~odd
        for _ in range(4):
            if left == WORD_ZERO:
                left, later = later, WORD_ZERO
            square = lowest(left)
            disc = WORD_ONE << Word(square)
            left &= left - WORD_ONE
            if near[Word(square)] & enemy != WORD_ZERO:
                discs = turned(disc, own, enemy)
                if discs != WORD_ZERO:
                    value = -three(enemy ^ discs, own | disc | discs, -beta, -alpha, empty ^ disc)
                    if value >= beta:
                        return value
                    best = max(best, value)
                    alpha = max(alpha, value)
        return best

    @kernel(inline=True)
    def four(own: Word, enemy: Word, alpha: int, beta: int, empty: Word) -> int:
        """The mover's difference with four empty squares left; odd quadrants first."""
        best = moves_with_four(own, enemy, alpha, beta, empty)
        if best != NO_MOVE:
            return best
        best = moves_with_four(enemy, own, -beta, -alpha, empty)
        return -best if best != NO_MOVE else final(own, enemy)

    return LastSquares(final, odd_regions, one, two, three, four)


def _lines(size: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    """[square, direction] → the squares of the line as a word, and the index of the square on it."""
    masks = numpy.zeros((size * size, 4), dtype=Word)
    places = numpy.zeros((size * size, 4), dtype=numpy.uint8)
    for square in range(size * size):
        row, column = divmod(square, size)
        for direction, (down, right) in enumerate(((0, 1), (1, 0), (1, -1), (1, 1))):
            line = [
                (row + n * down) * size + column + n * right
                for n in range(-size, size + 1)
                if 0 <= row + n * down < size and 0 <= column + n * right < size
            ]
            masks[square, direction] = sum(1 << place for place in line)
            places[square, direction] = line.index(square)
    return masks, places


def _turned_in_line() -> numpy.ndarray:
    """[index, own discs on a line that is full except for it] → number of discs turned by a disc placed there."""
    table = numpy.zeros((8, 256), dtype=numpy.int8)
    for place in range(8):
        for own in range(256):
            for way in (-1, 1):
                at = place + way
                while 0 <= at < 8 and not own >> at & 1:
                    at += way
                if 0 <= at < 8:
                    table[place, own] += abs(at - place) - 1
    return table


def _neighbours(size: int) -> numpy.ndarray:
    """[square] → its neighbours."""
    words = [0] * (size * size)
    for square in range(size * size):
        row, column = divmod(square, size)
        for other in range(size * size):
            other_row, other_column = divmod(other, size)
            if square != other and abs(row - other_row) <= 1 and abs(column - other_column) <= 1:
                words[square] |= 1 << other
    return numpy.array(words, dtype=Word)


def _quarters(size: int) -> tuple[Word, ...]:
    """The four quadrants of the board."""
    words = [0] * 4
    for square in range(size * size):
        row, column = divmod(square, size)
        words[2 * (row >= size // 2) + (column >= size // 2)] |= 1 << square
    return tuple(Word(word) for word in words)
