"""Discs of two sides on a square board: where a disc may be placed, and which discs it turns.

Bit row·size + column of a word is a square. A step in a direction is a shift by 1, size − 1, size or size + 1. The
first and the last column are masked out of what must be turned, so no line wraps around the edge.
"""

from collections.abc import Callable
from typing import NamedTuple

from starscout.kernels.bits import Lanes, Word, lanes, spread, union, where
from starscout.kernels.kernel import kernel


class Discs(NamedTuple):
    """The kernels and constants of one board; see the functions inside `build_discs`."""

    size: int
    squares: int
    everything: Word
    directions: Callable[[], Lanes]
    mobility: Callable[[Word, Word], Word]
    turned: Callable[[Word, Word, Word], Word]


def build_discs(size: int) -> Discs:
    """The representation of a board of size×size."""
    squares = size * size
    column = sum(1 << size * row for row in range(size))
    inner = Word(((1 << squares) - 1) & ~column & ~(column << (size - 1)))
    everything = Word((1 << squares) - 1)
    along_row, along_column, upward, downward = (Word(step) for step in (1, size, size - 1, size + 1))

    @kernel(inline=True)
    def directions() -> Lanes:
        """How far a bit moves by one step along a row, a column and the two diagonals."""
        return lanes(along_row, along_column, upward, downward)

    @kernel(inline=True)
    def lines(from_discs: Word, enemy: Word) -> tuple[Lanes, Lanes]:
        """The unbroken lines of `enemy` that start beside `from_discs`: in each direction, up the bits and down."""
        step = directions()
        double = step + step
        turnable = spread(enemy) & lanes(inner, everything, inner, inner)
        origin = spread(from_discs)
        up = turnable & (origin << step)
        down = turnable & (origin >> step)
        up |= turnable & (up << step)
        down |= turnable & (down >> step)
        pairs_up = turnable & (turnable << step)
        pairs_down = turnable & (turnable >> step)
        up |= pairs_up & (up << double)
        down |= pairs_down & (down >> double)
        up |= pairs_up & (up << double)
        down |= pairs_down & (down >> double)
        return up, down

    @kernel(inline=True)
    def mobility(own: Word, enemy: Word) -> Word:
        """The squares where `own` may place a disc: those right behind a line that starts beside its discs."""
        step = directions()
        up, down = lines(own, enemy)
        return union((up << step) | (down >> step)) & ~(own | enemy) & everything

    @kernel(inline=True)
    def turned(disc: Word, own: Word, enemy: Word) -> Word:
        """The discs turned by placing `disc`: the lines beside it that end at an own disc."""
        step = directions()
        up, down = lines(disc, enemy)
        discs = spread(own)
        return union(where(up, discs & (up << step)) | where(down, discs & (down >> step)))

    return Discs(size, squares, everything, directions, mobility, turned)
