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

from starscout.kernels.bits import (
    WORD_ONE,
    WORD_ZERO,
    Word,
    below,
    deposit,
    gather,
    integer,
    lowest,
    popcount,
    select,
)
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


def _jumps(length: int) -> numpy.ndarray:
    """[place, occupied places of a line] → the mask of the second occupied place in each direction, 0 if none."""
    table = numpy.zeros((length, 1 << length), dtype=numpy.uint8)
    for place in range(length):
        for occupied in range(1 << length):
            for way in (range(place + 1, length), range(place - 1, -1, -1)):
                met = [other for other in way if occupied >> other & 1]
                if len(met) > 1:
                    table[place, occupied] |= 1 << met[1]
    return table


RANK_JUMPS, FILE_JUMPS = _jumps(FILES), _jumps(RANKS)
FILE_A = Word(0x0101_0101)

# Two directions at a time: right and up in the lower half of a word, left and down in the upper half.
RIGHT, LEFT = NOT_FILE_H, NOT_FILE_A << HALF
UP, DOWN = Word(0x00FF_FFFF), Word(0xFFFF_FF00) << HALF
PAIR = Word(0x1_0000_0001)


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
def jump_targets(occupied: Word, square: int) -> Word:
    """The squares on which a cannon can capture: the second occupied square in each direction."""
    rank, file = square >> 3, square & 7
    in_rank = integer((occupied >> Word(FILES * rank)) & Word(0xFF))
    in_file = integer(gather(occupied, FILE_A << Word(file)))
    along_file = deposit(Word(FILE_JUMPS[rank, in_file]), FILE_A << Word(file))
    return (Word(RANK_JUMPS[file, in_rank]) << Word(FILES * rank)) | along_file


@kernel(inline=True)
def twice(mask: Word) -> Word:
    """A mask in both halves of a word."""
    return mask | (mask << HALF)


@kernel(inline=True)
def beside(both: Word) -> Word:
    """The contents of the square to the right of each square, and to the left; the mask is in both halves."""
    return ((both >> WORD_ONE) & RIGHT) | ((both << WORD_ONE) & LEFT)


@kernel(inline=True)
def above_and_below(both: Word) -> Word:
    """The contents of the square above each square, and of that below."""
    return ((both >> Word(FILES)) & UP) | ((both << Word(FILES)) & DOWN)


@kernel(inline=True)
def captures(own0: Word, own1: Word, own2: Word, other0: Word, other1: Word, other2: Word) -> Word:
    """Where a piece captures its neighbour by a step, from the three bits of both kinds."""
    lower0, lower1 = own0 & ~other0, own1 & ~other1
    lower = (own2 & ~other2) | (~(own2 ^ other2) & (lower1 | (~(own1 ^ other1) & lower0)))
    general, soldier = ~(own0 | own1 | own2), own1 & own2
    other_general, other_soldier = ~(other0 | other1 | other2), other1 & other2
    cannon = own2 & own0
    return ((~lower & ~(general & other_soldier)) | (soldier & other_general)) & ~cannon


@kernel(inline=True)
def steps(position: Position, own: Word, enemy: Word, empty: Word) -> tuple[Word, Word]:
    """The pieces that can step or capture to the right and left, and up and down."""
    bit0, bit1, bit2 = twice(position.kinds & LOW), twice(position.kinds >> HALF), twice(position.rest & LOW)
    own, enemy, empty = twice(own), twice(enemy), twice(empty)
    takes = captures(bit0, bit1, bit2, beside(bit0), beside(bit1), beside(bit2))
    sideways = own & (beside(empty) | (beside(enemy) & takes))
    takes = captures(bit0, bit1, bit2, above_and_below(bit0), above_and_below(bit1), above_and_below(bit2))
    return sideways, own & (above_and_below(empty) | (above_and_below(enemy) & takes))


@kernel(inline=True)
def cannons_of(position: Position, own: Word) -> Word:
    """The mask of the cannons among the pieces of a colour."""
    return own & position.kinds & position.rest & LOW


@kernel(inline=True)
def spread_out(squares: Word) -> Word:
    """The neighbours of some squares."""
    right, left = (squares << WORD_ONE) & NOT_FILE_A, (squares >> WORD_ONE) & NOT_FILE_H
    return (right | left | (squares << Word(FILES)) | (squares >> Word(FILES))) & LOW


@kernel
def can_capture(position: Position, colour: int) -> bool:
    """Whether a colour has a move, if it has no step to an empty square."""
    own, enemy = pieces_of(position, colour), pieces_of(position, 1 - colour)
    occupied = own | enemy | hidden_pieces(position)
    sideways, upright = steps(position, own, enemy, WORD_ZERO)
    if sideways | upright != WORD_ZERO:
        return True
    cannons = cannons_of(position, own)
    while cannons != WORD_ZERO:
        if jump_targets(occupied, lowest(cannons)) & enemy != WORD_ZERO:
            return True
        cannons &= cannons - WORD_ONE
    return False


@kernel(inline=True)
def can_move(position: Position, colour: int) -> bool:
    """Whether a colour has a move or a capture; flips are not considered."""
    revealed = position.revealed | (position.revealed >> HALF)
    empty = ~(revealed | hidden_pieces(position)) & LOW
    return spread_out(pieces_of(position, colour)) & empty != WORD_ZERO or can_capture(position, colour)


@kernel(inline=True)
def add_steps(movers: Word, ahead: int, back: int, out: numpy.ndarray, count: int) -> int:
    """Write a move for each piece of a pair of directions."""
    while movers != WORD_ZERO:
        place = lowest(movers)
        movers &= movers - WORD_ONE
        out[count] = (place & 31) * (SQUARES + 1) + (ahead if place < SQUARES else back)
        count += 1
    return count


@kernel(inline=True)
def movable(position: Position) -> tuple[Word, Word, Word]:
    """The pieces of the side to move, those of the other side, and all pieces; none to move before the first flip."""
    colour = mover_colour(position)
    own, enemy = pieces_of(position, colour), pieces_of(position, 1 - colour)
    return own, enemy, own | enemy | hidden_pieces(position)


@kernel(inline=True)
def list_moves(position: Position, out: numpy.ndarray) -> int:
    """Write the moves of the side to move: from · SQUARES + to; a flip has from = to.

    Steps to the right, left, up, down, then jumps of cannons, then flips; by squares.
    """
    own, enemy, occupied = movable(position)
    sideways, upright = steps(position, own, enemy, ~occupied & LOW)
    count = add_steps(sideways, 1, -1, out, 0)
    count = add_steps(upright, FILES, -FILES, out, count)
    cannons = cannons_of(position, own)
    while cannons != WORD_ZERO:
        square = lowest(cannons)
        cannons &= cannons - WORD_ONE
        targets = jump_targets(occupied, square) & enemy
        while targets != WORD_ZERO:
            out[count] = square * SQUARES + lowest(targets)
            targets &= targets - WORD_ONE
            count += 1
    hidden = hidden_pieces(position)
    while hidden != WORD_ZERO:
        out[count] = lowest(hidden) * (SQUARES + 1)
        hidden &= hidden - WORD_ONE
        count += 1
    return count


@kernel(inline=True)
def jumps_of(position: Position, own: Word, enemy: Word, occupied: Word) -> tuple[int, Word, int, Word]:
    """The squares of up to two cannons and the masks of their targets."""
    cannons = cannons_of(position, own)
    if cannons == WORD_ZERO:
        return 0, WORD_ZERO, 0, WORD_ZERO
    first = lowest(cannons)
    cannons &= cannons - WORD_ONE
    targets = jump_targets(occupied, first) & enemy
    if cannons == WORD_ZERO:
        return first, targets, 0, WORD_ZERO
    second = lowest(cannons)
    return first, targets, second, jump_targets(occupied, second) & enemy


@kernel(inline=True)
def count_moves(position: Position) -> int:
    """The number of moves, without writing them."""
    own, enemy, occupied = movable(position)
    sideways, upright = steps(position, own, enemy, ~occupied & LOW)
    _, first, _, second = jumps_of(position, own, enemy, occupied)
    jumps = popcount(first) + popcount(second)
    return popcount(sideways) + popcount(upright) + jumps + popcount(hidden_pieces(position))


@kernel(inline=True)
def pick_move(position: Position, random: Word) -> int:
    """A random move, in the order of `list_moves`."""
    own, enemy, occupied = movable(position)
    hidden = hidden_pieces(position)
    sideways, upright = steps(position, own, enemy, ~occupied & LOW)
    first, first_targets, second, second_targets = jumps_of(position, own, enemy, occupied)
    across, along = popcount(sideways), popcount(upright)
    jumps, others = popcount(first_targets), popcount(second_targets)
    rank = below(random, across + along + jumps + others + popcount(hidden))
    if rank < across + along:
        is_across = rank < across
        place = select(sideways if is_across else upright, rank if is_across else rank - across)
        ahead = 1 if is_across else FILES
        return (place & 31) * (SQUARES + 1) + (ahead if place < SQUARES else -ahead)
    rank -= across + along
    if rank < jumps + others:
        if rank < jumps:
            return first * SQUARES + select(first_targets, rank)
        return second * SQUARES + select(second_targets, rank - jumps)
    return select(hidden, rank - jumps - others) * (SQUARES + 1)


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
    source, goal = Word(start), Word(target)
    to_bit = WORD_ONE << goal
    captured = (position.revealed | (position.revealed >> HALF)) & to_bit != WORD_ZERO
    changed = (WORD_ONE << source) | to_bit
    kept = ~twice(changed)
    return Position(
        (position.revealed & kept) | (((position.revealed >> source) & PAIR) << goal),
        (position.kinds & kept) | (((position.kinds >> source) & PAIR) << goal),
        (position.rest & ~changed) | (((position.rest >> source) & WORD_ONE) << goal),
        position.pool,
        0 if captured else position.quiet + 1,
        NOT_PENDING,
        position.colours,
        1 - position.mover,
    )
