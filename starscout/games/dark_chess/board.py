"""The board of dark chess: 4 ranks of 8 files as bit masks, and the kernels that generate moves on it.

    rank 4   24 25 26 27 28 29 30 31        square = 8 · (rank − 1) + file
    rank 3   16 17 18 19 20 21 22 23
    rank 2    8  9 10 11 12 13 14 15        a mask has one bit per square
    rank 1    0  1  2  3  4  5  6  7
              A  B  C  D  E  F  G  H

The kind of a revealed piece is a number from 0 to 6, in the order of rank: K A E R N C P. It is stored in three masks,
one for each bit of the number. The pool of unrevealed pieces is a count of three bits for each colour and kind.
"""

from typing import NamedTuple

import numpy

from starscout.kernels.bits import WORD_ONE, WORD_ZERO, Word, integer, lowest
from starscout.kernels.kernel import kernel

FILES, RANKS = 8, 4
SQUARES = FILES * RANKS
RED, BLACK = 0, 1
KINDS = 7
GENERAL, ADVISOR, ELEPHANT, CHARIOT, HORSE, CANNON, SOLDIER = range(KINDS)
LETTERS = "KAERNCP"
NUMBERS = (1, 2, 2, 2, 2, 2, 5)
"""Pieces of each kind per side."""
POOL_BITS = 3
FULL_POOL = sum(
    number << POOL_BITS * (KINDS * colour + kind) for colour in (RED, BLACK) for kind, number in enumerate(NUMBERS)
)
NOT_PENDING = -1

HALF = Word(32)
LOW = Word(0xFFFF_FFFF)
NOT_FILE_A, NOT_FILE_H = Word(0xFEFE_FEFE), Word(0x7F7F_7F7F)
DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1))
"""Steps in files and ranks."""


class Position(NamedTuple):
    """Sides are seats: 0 is the player who moves first. Colours are assigned by the first flip."""

    revealed: Word
    """Red pieces in the lower half, black pieces in the upper half."""
    kinds: Word
    """The lowest bit of each kind in the lower half, the middle bit in the upper half."""
    rest: Word
    """The highest bit of each kind in the lower half, hidden pieces in the upper half."""
    pool: Word
    """Unrevealed pieces, POOL_BITS each: red K … P, black K … P. A pending piece is among them."""
    quiet: int
    """Plies since the last capture; flips are not counted."""
    pending: int
    """The square of a piece that is being revealed, or NOT_PENDING."""
    colours: int
    """0: not assigned; 1: side 0 is red; 2: side 0 is black."""
    mover: int


def _rays() -> tuple[numpy.ndarray, numpy.ndarray]:
    """[square] → mask of neighbours, and [square, direction] → the next square or −1."""
    neighbours = numpy.zeros(SQUARES, dtype=Word)
    following = numpy.full((SQUARES, len(DIRECTIONS)), -1, dtype=numpy.int64)
    for square in range(SQUARES):
        rank, file = divmod(square, FILES)
        for direction, (right, up) in enumerate(DIRECTIONS):
            if 0 <= file + right < FILES and 0 <= rank + up < RANKS:
                target = square + right + FILES * up
                following[square, direction] = target
                neighbours[square] |= WORD_ONE << Word(target)
    return neighbours, following


NEIGHBOURS, NEXT_SQUARE = _rays()


@kernel(inline=True)
def mover_colour(position: Position) -> int:
    """The colour of the side to move; red before colours are assigned."""
    return 1 - position.mover if position.colours == 2 else position.mover


@kernel(inline=True)
def kind_at(position: Position, square: int) -> int:
    """The kind of the revealed piece on a square."""
    low = position.kinds >> Word(square)
    high = position.rest >> Word(square)
    return integer((low & WORD_ONE) | ((low >> Word(31)) & Word(2)) | ((high & WORD_ONE) << Word(2)))


@kernel(inline=True)
def hidden_pieces(position: Position) -> Word:
    """The mask of hidden pieces."""
    return position.rest >> HALF


@kernel(inline=True)
def pieces_of(position: Position, colour: int) -> Word:
    """The mask of the revealed pieces of a colour."""
    return position.revealed & LOW if colour == RED else position.revealed >> HALF


@kernel(inline=True)
def victims(position: Position, kind: int, enemy: Word) -> Word:
    """The mask of the enemy pieces that a piece of this kind captures by a step."""
    bit0, bit1, bit2 = position.kinds & LOW, position.kinds >> HALF, position.rest & LOW
    if kind == GENERAL:
        return enemy & ~(bit1 & bit2)  # all but soldiers
    if kind == ADVISOR:
        return enemy & (bit0 | bit1 | bit2)
    if kind == ELEPHANT:
        return enemy & (bit1 | bit2)
    if kind == CHARIOT:
        return enemy & (bit2 | (bit0 & bit1))
    if kind == HORSE:
        return enemy & bit2
    if kind == SOLDIER:
        return enemy & ((bit1 & bit2) | ~(bit0 | bit1 | bit2))
    return WORD_ZERO


@kernel(inline=True)
def jump_target(occupied: Word, square: int, direction: int) -> int:
    """The second occupied square from here in a direction, or −1."""
    met = 0
    target = NEXT_SQUARE[square, direction]
    while target >= 0:
        met += integer((occupied >> Word(target)) & WORD_ONE)
        if met == 2:
            return target
        target = NEXT_SQUARE[target, direction]
    return -1


@kernel(inline=True)
def spread_out(squares: Word) -> Word:
    """The neighbours of some squares."""
    right, left = (squares << WORD_ONE) & NOT_FILE_A, (squares >> WORD_ONE) & NOT_FILE_H
    return (right | left | (squares << Word(FILES)) | (squares >> Word(FILES))) & LOW


@kernel
def can_move(position: Position, colour: int) -> bool:
    """Whether a colour has a move or a capture; flips are not considered."""
    own, enemy = pieces_of(position, colour), pieces_of(position, 1 - colour)
    occupied = own | enemy | hidden_pieces(position)
    if spread_out(own) & ~occupied != WORD_ZERO:
        return True
    left = own
    while left != WORD_ZERO:
        square = lowest(left)
        left &= left - WORD_ONE
        kind = kind_at(position, square)
        if NEIGHBOURS[square] & victims(position, kind, enemy) != WORD_ZERO:
            return True
        if kind == CANNON:
            for direction in range(4):
                target = jump_target(occupied, square, direction)
                if target >= 0 and (enemy >> Word(target)) & WORD_ONE != WORD_ZERO:
                    return True
    return False


@kernel(inline=True)
def list_moves(position: Position, out: numpy.ndarray) -> int:
    """Write the moves of the side to move: from · SQUARES + to; a flip has from = to."""
    colour, hidden = mover_colour(position), hidden_pieces(position)
    own, enemy = pieces_of(position, colour), pieces_of(position, 1 - colour)
    if position.colours == 0:
        own = WORD_ZERO
    occupied = own | enemy | hidden
    empty = ~occupied & LOW
    count = 0
    left = own
    while left != WORD_ZERO:
        square = lowest(left)
        left &= left - WORD_ONE
        kind = kind_at(position, square)
        targets = NEIGHBOURS[square] & (empty | victims(position, kind, enemy))
        while targets != WORD_ZERO:
            out[count] = square * SQUARES + lowest(targets)
            targets &= targets - WORD_ONE
            count += 1
        if kind == CANNON:
            for direction in range(4):
                target = jump_target(occupied, square, direction)
                if target >= 0 and (enemy >> Word(target)) & WORD_ONE != WORD_ZERO:
                    out[count] = square * SQUARES + target
                    count += 1
    while hidden != WORD_ZERO:
        out[count] = lowest(hidden) * (SQUARES + 1)
        hidden &= hidden - WORD_ONE
        count += 1
    return count


@kernel(inline=True)
def put_piece(position: Position, square: int, colour: int, kind: int) -> Position:
    """The position with a revealed piece on a square that has none."""
    bit = WORD_ONE << Word(square)
    code = Word(kind)
    kinds = (
        position.kinds | ((code & WORD_ONE) << Word(square)) | (((code >> WORD_ONE) & WORD_ONE) << Word(square + 32))
    )
    rest = position.rest | ((code >> Word(2)) << Word(square))
    revealed = position.revealed | (bit if colour == RED else bit << HALF)
    return Position(
        revealed, kinds, rest, position.pool, position.quiet, position.pending, position.colours, position.mover
    )


@kernel(inline=True)
def move_piece(position: Position, start: int, target: int) -> Position:
    """The position after a step or a capture, with the other side to move."""
    kind = kind_at(position, start)
    is_red = (position.revealed >> Word(start)) & WORD_ONE != WORD_ZERO
    from_bit, to_bit = WORD_ONE << Word(start), WORD_ONE << Word(target)
    captures = (position.revealed | (position.revealed >> HALF)) & to_bit != WORD_ZERO
    both = from_bit | to_bit
    clear = ~(both | (both << HALF))
    cleared = Position(
        position.revealed & clear, position.kinds & clear, position.rest & ~both, position.pool,
        0 if captures else position.quiet + 1, NOT_PENDING, position.colours, 1 - position.mover,
    )  # fmt: skip
    return put_piece(cleared, target, RED if is_red else BLACK, kind)
