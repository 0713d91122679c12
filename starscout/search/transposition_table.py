"""Transposition table: bounds and best moves of positions, shared by threads without locks.

A slot is a cache line with two entries of four words. The first entry keeps the deepest search of the current age, the
second the latest one. An entry holds both bounds of a value at one depth, and the full key XORed with the data: a
torn entry, written by two threads at once, matches no key.

    word 0   key word 0 ^ word 2 ^ word 3
    word 1   key word 1 ^ word 2 ^ word 3
    word 2   | age 11 | depth 7 | lower bound + ONE 46 |
    word 3   | best moves 18    | upper bound + ONE 46 |

Best moves are indices in the order of generation, `18 // max_events` bits for each group of events; all ones mean none.
Where that is not enough for an index, each event has a separate entry with one best move.
"""

from typing import NamedTuple

import numpy

from starscout.game.values import ONE, VALUE_BITS
from starscout.kernels.bits import WORD_ALL, Word, integer, mix
from starscout.kernels.kernel import kernel

MAX_DEPTH = 127
MAX_AGE = (1 << 11) - 1
MOVE_BITS = 18
NO_MOVES = (1 << MOVE_BITS) - 1
NOT_FOUND = -1
ENTRY_WORDS = 4
SLOT_WORDS = 2 * ENTRY_WORDS
SLOT_BYTES = 8 * SLOT_WORDS

_VALUE_MASK = Word((1 << VALUE_BITS) - 1)
_VALUE_BITS = Word(VALUE_BITS)
_DEPTH_MASK = Word(MAX_DEPTH)
_AGE_SHIFT = Word(VALUE_BITS + 7)
_DEPTH_SHIFT = Word(VALUE_BITS)
_SPREAD = Word(0x9E37_79B9_7F4A_7C15)
EMPTY = WORD_ALL
"""The words of an empty entry."""


def new_table(bits: int) -> numpy.ndarray:
    """An empty table of 2^bits slots (two entries each, 64 bytes), aligned to cache lines."""
    words = SLOT_WORDS << bits
    memory = numpy.empty(words + SLOT_WORDS, dtype=Word)
    skip = -memory.ctypes.data % SLOT_BYTES // 8
    table = memory[skip : skip + words]
    table[:] = EMPTY
    return table


class Entry(NamedTuple):
    """A table entry."""

    depth: int
    """The depth of the search in plies; NOT_FOUND if the position is not in the table."""
    lower: int
    upper: int
    best: int
    """Best moves, packed as described above."""


@kernel
def slot_of(table: numpy.ndarray, first: Word, second: Word) -> int:
    """The index of the first word of a key's slot."""
    number = mix(first + second * _SPREAD) & Word(len(table) // SLOT_WORDS - 1)
    return integer(number) * SLOT_WORDS


@kernel
def probe(table: numpy.ndarray, slot: int, first: Word, second: Word, depth: int) -> Entry:
    """The entry of a position: the one of this depth if there is one, else of any depth."""
    found, lower, upper, best = NOT_FOUND, -ONE, ONE, NO_MOVES
    for at in (slot, slot + ENTRY_WORDS):
        low, high = table[at + 2], table[at + 3]
        data = low ^ high
        if table[at] ^ data == first and table[at + 1] ^ data == second:
            stored = integer((low >> _DEPTH_SHIFT) & _DEPTH_MASK)
            if found != depth:
                found = stored
                lower = integer(low & _VALUE_MASK) - ONE
                upper = integer(high & _VALUE_MASK) - ONE
                best = integer(high >> _VALUE_BITS)
    return Entry(found, lower, upper, best)


@kernel
def store(
    table: numpy.ndarray,
    slot: int,
    first: Word,
    second: Word,
    depth: int,
    lower: int,
    upper: int,
    best: int,
    age: int,
) -> None:
    """Store the bounds of a position; they narrow the bounds of an existing entry of the same depth."""
    at = slot + ENTRY_WORDS
    for entry in (slot, slot + ENTRY_WORDS):
        low, high = table[entry + 2], table[entry + 3]
        data = low ^ high
        if (
            table[entry] ^ data == first
            and table[entry + 1] ^ data == second
            and integer((low >> _DEPTH_SHIFT) & _DEPTH_MASK) == depth
        ):
            lower = max(lower, integer(low & _VALUE_MASK) - ONE)
            upper = min(upper, integer(high & _VALUE_MASK) - ONE)
            at = entry
            break
        if entry == slot and (
            integer(low >> _AGE_SHIFT) != age or integer((low >> _DEPTH_SHIFT) & _DEPTH_MASK) <= depth
        ):
            at = slot
            break
    low = Word(lower + ONE) | (Word(depth) << _DEPTH_SHIFT) | (Word(age) << _AGE_SHIFT)
    high = Word(upper + ONE) | (Word(best) << _VALUE_BITS)
    data = low ^ high
    table[at] = first ^ data
    table[at + 1] = second ^ data
    table[at + 2] = low
    table[at + 3] = high
