"""The board of backgammon as bit planes, and the kernels that generate and make plays on it.

    own   13 14 15 16 17 18 │ 19 20 21 22 23 24      Points count from the mover's ace point: the mover moves down,
    own   12 11 10  9  8  7 │  6  5  4  3  2  1      enters from the bar (25) and bears off below 1.

Each side is stored from its own point of view: index 0 … 23 for the points 1 … 24, index 24 for the bar. The number of
checkers on an index has four bits, which are stored in four planes of 32 bits, two planes in a word. The masks that
generate plays then take a few operations for all points at once, and passing the turn only swaps the sides. The enemy's
index of a point is 23 − index.

A play is a number with one byte per checker moved: the index it starts from, and the die in the upper three bits; 0 is
a pass. Plays are generated without duplicates, one for each resulting position.
"""

from typing import NamedTuple

import numpy

from starscout.kernels.bits import WORD_ONE, WORD_ZERO, Word, integer, lowest, popcount, reverse
from starscout.kernels.kernel import kernel

POINTS, BAR, CHECKERS = 24, 24, 15
ROLLS, OPENING_ROLLS = 21, 15
MAX_MOVES = 2048
DIE_SHIFT, SOURCE_MASK, HALF_MOVE_BITS = 5, 31, 8

HALF = Word(32)
BOARD = Word((1 << POINTS) - 1)
BAR_BIT = Word(1 << BAR)
PLACES = BOARD | BAR_BIT
HOME = Word(0x3F)
_FIRST_SHIFT, _SECOND_SHIFT = Word(40), Word(8)
_THREE, _SEVEN = Word(3), Word(7)
_HIGH_DICE = Word(
    sum(high << 3 * (high * (high - 1) // 2 + low - 1) for high in range(1, 7) for low in range(1, high + 1))
)
"""The higher die of each roll, three bits each."""


class Position(NamedTuple):
    """A position before the roll; each side is stored from its own point of view."""

    own_low: Word
    """Planes 0 (lower half) and 1 (upper half) of the mover's checkers."""
    own_high: Word
    """Planes 2 and 3."""
    enemy_low: Word
    enemy_high: Word
    opening: int
    """1 before the first play of a game, whose roll is not a double; else 0."""
    mover: int


@kernel(inline=True)
def occupied(low: Word, high: Word) -> Word:
    """The places with checkers of a side."""
    return (low | low >> HALF | high | high >> HALF) & PLACES


@kernel(inline=True)
def crowded(low: Word, high: Word) -> Word:
    """The places with two or more checkers of a side."""
    return (low >> HALF | high | high >> HALF) & PLACES


@kernel(inline=True)
def checkers(low: Word, high: Word) -> int:
    """The number of checkers that a side has not borne off."""
    low_planes = popcount(low & PLACES) + 2 * popcount(low >> HALF)
    return low_planes + 4 * popcount(high & PLACES) + 8 * popcount(high >> HALF)


@kernel(inline=True)
def count_at(low: Word, high: Word, index: int) -> int:
    """The number of checkers of a side on an index."""
    shift = Word(index)
    low, high = low >> shift, high >> shift
    return integer(
        (low & WORD_ONE) | (low >> Word(31)) & Word(2) | (high << Word(2)) & Word(4) | (high >> Word(29)) & Word(8)
    )


@kernel(inline=True)
def remove(low: Word, high: Word, bit: Word) -> tuple[Word, Word]:
    """A side with one checker less on a place: subtraction with borrow through the planes."""
    low ^= bit
    borrow = (low & bit) << HALF
    low ^= borrow
    borrow = (low & borrow) >> HALF
    high ^= borrow
    borrow = (high & borrow) << HALF
    return low, high ^ borrow


@kernel(inline=True)
def add(low: Word, high: Word, bit: Word) -> tuple[Word, Word]:
    """A side with one checker more on a place."""
    carry = (low & bit) << HALF
    low ^= bit
    second = (low & carry) >> HALF
    low ^= carry
    third = (high & second) << HALF
    return low, high ^ second ^ third


@kernel(inline=True)
def high_die(roll: int) -> int:
    """The higher die of a roll 1 … 21: 11, 21, 22, 31, 32, 33, …, 66."""
    return integer((_HIGH_DICE >> Word(3 * roll - 3)) & _SEVEN)


@kernel(inline=True)
def low_die(roll: int) -> int:
    """The lower die of a roll."""
    high = high_die(roll)
    return roll - high * (high - 1) // 2


@kernel(inline=True)
def enemy_masks(position: Position) -> tuple[Word, Word]:
    """The points, as the mover sees them, that are open to the mover, and those with a single enemy checker."""
    many = crowded(position.enemy_low, position.enemy_high)
    single = position.enemy_low & ~many & BOARD
    turned = reverse((many & BOARD) | single << HALF)
    return ~(turned >> _FIRST_SHIFT) & BOARD, (turned >> _SECOND_SHIFT) & BOARD


@kernel(inline=True)
def sources(places: Word, free: Word, die: int) -> Word:
    """The places from which a checker can move by a die."""
    shift = Word(die)
    found = places & (free << shift)
    if places & BAR_BIT != WORD_ZERO:
        return found & BAR_BIT
    if places & ~HOME == WORD_ZERO:
        if places >> (shift - WORD_ONE) != WORD_ZERO:
            found |= places & (WORD_ONE << (shift - WORD_ONE))
        else:
            # The highest checker may leave with a larger die.
            filled = places | places >> WORD_ONE
            filled |= filled >> Word(2)
            filled |= filled >> Word(4)
            found |= filled ^ filled >> WORD_ONE
    return found


@kernel(inline=True)
def after(places: Word, many: Word, source: Word, die: int) -> Word:
    """The occupied places after a checker has moved; `many` are the places with two or more checkers."""
    return (places & ~(source & ~many)) | (source >> Word(die)) & BOARD


@kernel(inline=True)
def half_move(source: int, die: int) -> int:
    return source | die << DIE_SHIFT


@kernel(inline=True)
def emit(found: Word, die: int, before: int, place: int, out: numpy.ndarray, count: int) -> int:
    """Append a play for each source of the last checker, after the half-moves `before`; returns the new length."""
    last = die << (DIE_SHIFT + place)
    while found != WORD_ZERO:
        out[count] = before | last | lowest(found) << place
        count += 1
        found &= found - WORD_ONE
    return count


@kernel(inline=True)
def list_plays(position: Position, roll: int, out: numpy.ndarray) -> int:
    """Write the distinct plays of a roll; returns their number, 1 or more."""
    high, low = high_die(roll), low_die(roll)
    free, blots = enemy_masks(position)
    places = occupied(position.own_low, position.own_high)
    if high == low:
        return _list_double(position, high, free, out)
    many = crowded(position.own_low, position.own_high)
    if places & BAR_BIT != WORD_ZERO:
        count = _list_from_bar(places, many, free, blots, high, low, out)
    else:
        outside = places & ~HOME
        if outside & (outside - WORD_ONE) | outside & many != WORD_ZERO:
            count = _list_pairs(places, many, free, blots, high, low, out)
        else:
            count = _list_bearing_off(places, many, free, blots, high, low, out)
    if count == 0:
        count = emit(sources(places, free, high), high, 0, 0, out, count)
    if count == 0:
        count = emit(sources(places, free, low), low, 0, 0, out, count)
    if count == 0:
        out[0] = 0
        count = 1
    return count


@kernel(inline=True)
def _list_pairs(
    places: Word, many: Word, free: Word, blots: Word, high: int, low: int, out: numpy.ndarray
) -> int:  # fmt: skip
    """Plays of two checkers, or of one checker twice, without the bar and without bearing off.

    Any order of the dice gives the same position, except where one checker moves twice and hits on its way.
    """
    count = 0
    first_shift, second_shift = Word(high), Word(low)
    second_free = free << second_shift
    quiet = (free << first_shift) & ~(blots << first_shift)
    left = places & (free << first_shift)
    while left != WORD_ZERO:
        source = left & (~left + WORD_ONE)
        found = after(places, many, source, high) & second_free
        # A checker that replaces the first one: the same as one checker that moves twice.
        found &= ~(source << second_shift & quiet)
        count = emit(found, low, half_move(lowest(source), high), HALF_MOVE_BITS, out, count)
        left ^= source
    # One checker, the lower die first, over a point without own checkers.
    both = places & second_free & ~(places << second_shift) & (free << (first_shift + second_shift))
    both &= ~(quiet & ~(blots << second_shift))
    while both != WORD_ZERO:
        source_index = lowest(both)
        out[count] = half_move(source_index, low) | half_move(source_index - low, high) << HALF_MOVE_BITS
        count += 1
        both &= both - WORD_ONE
    return count


@kernel(inline=True)
def _list_from_bar(
    places: Word, many: Word, free: Word, blots: Word, high: int, low: int, out: numpy.ndarray
) -> int:  # fmt: skip
    """Plays of both dice with checkers on the bar."""
    high_entry, low_entry = BAR_BIT >> Word(high), BAR_BIT >> Word(low)
    enters_high, enters_low = free & high_entry != WORD_ZERO, free & low_entry != WORD_ZERO
    if many & BAR_BIT != WORD_ZERO:
        if enters_high and enters_low:
            out[0] = half_move(BAR, high) | half_move(BAR, low) << HALF_MOVE_BITS
            return 1
        return 0
    count = 0
    rest = places ^ BAR_BIT
    if enters_high:
        found = (rest | high_entry) & (free << Word(low))
        count = emit(found, low, half_move(BAR, high), HALF_MOVE_BITS, out, count)
    if enters_low:
        found = (rest | low_entry) & (free << Word(high))
        if enters_high and blots & (high_entry | low_entry) == WORD_ZERO:
            # The same checker on with the other die: listed above.
            found &= ~low_entry
        count = emit(found, high, half_move(BAR, low), HALF_MOVE_BITS, out, count)
    return count


@kernel
def _list_bearing_off(
    places: Word, many: Word, free: Word, blots: Word, high: int, low: int, out: numpy.ndarray
) -> int:  # fmt: skip
    """Plays of both dice with at most one checker outside the home board: those that bear off depend on the order."""
    count = 0
    first_sources = sources(places, free, high)
    left = first_sources
    while left != WORD_ZERO:
        source = left & (~left + WORD_ONE)
        found = sources(after(places, many, source, high), free, low)
        # A checker that replaces the first one: the same as one checker that moves twice.
        twice = source << Word(low)
        on_the_way = twice >> Word(high)
        if found & twice & first_sources != WORD_ZERO and on_the_way != WORD_ZERO and on_the_way & blots == WORD_ZERO:
            following = sources(after(places, many, twice, high), free, low)
            if following & on_the_way != WORD_ZERO:
                found ^= twice
        count = emit(found, low, half_move(lowest(source), high), HALF_MOVE_BITS, out, count)
        left ^= source
    left = sources(places, free, low)
    while left != WORD_ZERO:
        source = left & (~left + WORD_ONE)
        left ^= source
        index = lowest(source)
        found = sources(after(places, many, source, low), free, high)
        while found != WORD_ZERO:
            other = found & (~found + WORD_ONE)
            found ^= other
            other_index = lowest(other)
            listed = False
            if first_sources & other != WORD_ZERO:
                # The same two half-moves, the higher die first.
                listed = sources(after(places, many, other, high), free, low) & source != WORD_ZERO
            if not listed and first_sources & source != WORD_ZERO:
                following = sources(after(places, many, source, high), free, low)
                if index < low and other_index < high:
                    # Both checkers leave the board, with the dice exchanged.
                    listed = index < high and other_index < low and following & other != WORD_ZERO
                elif other_index == index - low and index >= high:
                    # One checker moves twice, with the dice exchanged.
                    on_the_way = source >> Word(high) | other
                    listed = following & (source >> Word(high)) != WORD_ZERO and blots & on_the_way == WORD_ZERO
            if not listed:
                out[count] = half_move(index, low) | half_move(other_index, high) << HALF_MOVE_BITS
                count += 1
    return count


@kernel
def _list_double(position: Position, die: int, free: Word, out: numpy.ndarray) -> int:
    """Plays of a double: up to four half-moves, from high places to low ones; as many as possible must be played.

    Any play can be made in this order, and different sets of sources give different positions.
    """
    count, most = 0, 1
    one, two, three = HALF_MOVE_BITS, 2 * HALF_MOVE_BITS, 3 * HALF_MOVE_BITS
    first = sources(occupied(position.own_low, position.own_high), free, die)
    if first == WORD_ZERO:
        out[0] = 0
        return 1
    while first != WORD_ZERO:
        source = first & (~first + WORD_ONE)
        first ^= source
        play_1 = half_move(lowest(source), die)
        low_1, high_1 = step(position.own_low, position.own_high, source, die)
        second = sources(occupied(low_1, high_1), free, die) & (source | (source - WORD_ONE))
        if second == WORD_ZERO and most == 1:
            out[count] = play_1
            count += 1
        while second != WORD_ZERO:
            source = second & (~second + WORD_ONE)
            second ^= source
            play_2 = play_1 | half_move(lowest(source), die) << one
            low_2, high_2 = step(low_1, high_1, source, die)
            third = sources(occupied(low_2, high_2), free, die) & (source | (source - WORD_ONE))
            if third == WORD_ZERO and most <= 2:
                count = count if most == 2 else 0
                most = 2
                out[count] = play_2
                count += 1
            while third != WORD_ZERO:
                source = third & (~third + WORD_ONE)
                third ^= source
                play_3 = play_2 | half_move(lowest(source), die) << two
                low_3, high_3 = step(low_2, high_2, source, die)
                fourth = sources(occupied(low_3, high_3), free, die) & (source | (source - WORD_ONE))
                if fourth == WORD_ZERO and most <= 3:
                    count = count if most == 3 else 0
                    most = 3
                    out[count] = play_3
                    count += 1
                elif fourth != WORD_ZERO:
                    count = count if most == 4 else 0
                    most = 4
                    count = emit(fourth, die, play_3, three, out, count)
    return count


@kernel(inline=True)
def step(low: Word, high: Word, source: Word, die: int) -> tuple[Word, Word]:
    """A side after one of its checkers has moved or left the board."""
    low, high = remove(low, high, source)
    target = (source >> Word(die)) & BOARD
    if target != WORD_ZERO:
        low, high = add(low, high, target)
    return low, high


@kernel(inline=True)
def make_play(position: Position, move: int) -> Position:
    """The position after a play; a single enemy checker on a target is hit."""
    own_low, own_high = position.own_low, position.own_high
    enemy_low, enemy_high = position.enemy_low, position.enemy_high
    left = move
    while left != 0:
        index, die = left & SOURCE_MASK, (left >> DIE_SHIFT) & 7
        left >>= HALF_MOVE_BITS
        own_low, own_high = step(own_low, own_high, WORD_ONE << Word(index), die)
        if index >= die:
            enemy = WORD_ONE << Word(POINTS - 1 - index + die)
            if enemy_low & enemy != WORD_ZERO:
                enemy_low, enemy_high = add(enemy_low ^ enemy, enemy_high, BAR_BIT)
    return Position(enemy_low, enemy_high, own_low, own_high, 0, 1 - position.mover)
