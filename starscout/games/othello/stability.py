"""Stable discs: discs that can never be turned again; a fast lower bound.

A disc cannot be turned in a direction if the whole line is full, if the line ends at the disc, or if the next disc on
the line is an own stable disc. A disc that cannot be turned in any of the four directions is stable. Not all stable
discs are found.
"""

import functools
from collections.abc import Callable

from starscout.games.othello.rules import build_discs
from starscout.kernels.bits import WORD_ALL, WORD_ZERO, Lanes, Word, lanes, spread, union
from starscout.kernels.kernel import kernel


@functools.cache
def build_stable(size: int) -> Callable[[Word, Word], Word]:
    """The kernel (discs of a side, discs of the other) → the discs of the side that are provably stable."""
    board = build_discs(size)
    directions, everything = board.directions, board.everything
    first_column = sum(1 << size * row for row in range(size))
    last_column = first_column << (size - 1)
    first_row, whole = (1 << size) - 1, int(board.everything)
    last_row = first_row << size * (size - 1)
    not_first, not_last = Word(whole & ~first_column), Word(whole & ~last_column)
    rows_end, columns_end = Word(first_column | last_column), Word(first_row | last_row)
    border = rows_end | columns_end
    doublings = (size - 1).bit_length()

    @kernel(inline=True)
    def above() -> Lanes:
        """The squares that a step to higher bits may reach within its line, by direction."""
        return lanes(not_first, everything, not_last, not_first)

    @kernel(inline=True)
    def below() -> Lanes:
        """The squares that a step to lower bits may reach within its line, by direction."""
        return lanes(not_last, everything, not_first, not_last)

    @kernel(inline=True)
    def open_lines(empty: Word) -> Lanes:
        """The squares whose line has an empty square, by direction."""
        step = directions()
        up, down = spread(empty), spread(empty)
        free_up, free_down = above(), below()
        for _ in range(doublings):
            up |= free_up & (up << step)
            down |= free_down & (down >> step)
            free_up &= free_up << step
            free_down &= free_down >> step
            step = step + step
        return up | down

    @kernel
    def stable(side: Word, other: Word) -> Word:
        step, ones = directions(), spread(WORD_ALL)
        line_ends = lanes(rows_end, columns_end, border, border)
        exposed = open_lines(everything & ~(side | other)) & (line_ends ^ ones)
        found, before = side & ~union(exposed), WORD_ZERO
        while found != before:
            before = found
            discs = spread(found)
            beside = ((discs << step) & above()) | ((discs >> step) & below())
            found = side & ~union(exposed & (beside ^ ones))
        return found

    return stable
