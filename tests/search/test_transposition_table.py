"""The transposition table returns only what was stored for a key and depth."""

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starscout.game.values import ONE
from starscout.kernels.bits import Word
from starscout.search import transposition_table as transposition

pytestmark = pytest.mark.plain

words = st.integers(0, 2**64 - 1).map(Word)
values = st.integers(-ONE, ONE)


def put(table: numpy.ndarray, key: tuple[Word, Word], depth: int, lower: int, upper: int, best: int, age: int) -> None:
    slot = transposition.slot_of(table, *key)
    transposition.store(table, slot, *key, depth, lower, upper, best, age)


def get(table: numpy.ndarray, key: tuple[Word, Word], depth: int) -> transposition.Entry:
    return transposition.probe(table, transposition.slot_of(table, *key), *key, depth)


@settings(deadline=None)
@given(words, words, st.integers(0, 126), values, values, st.integers(0, 2**18 - 1), st.integers(0, 2046))
def test_stored_entries_are_found(first, second, depth, lower, upper, best, age):
    table = transposition.new_table(2)
    assert get(table, (first, second), depth).depth != depth
    put(table, (first, second), depth, lower, upper, best, age)
    assert get(table, (first, second), depth) == (depth, lower, upper, best)


@settings(deadline=None)
@given(st.lists(st.tuples(words, words, st.integers(0, 20)), min_size=1, max_size=40))
def test_every_answer_was_stored_for_that_key_and_depth(entries):
    table = transposition.new_table(1)
    stored = {}
    for number, (first, second, depth) in enumerate(entries):
        put(table, (first, second), depth, number - 50, number, number, 3)
        stored.setdefault((first, second, depth), []).append(number)
    for first, second, depth in entries:
        found, lower, upper, best = get(table, (first, second), depth)
        if found == depth:
            numbers = stored[first, second, depth]
            assert lower == max(numbers) - 50 or lower + 50 in numbers
            assert upper in numbers
            assert best in numbers


def test_equal_depth_narrows_and_deeper_stays():
    table = transposition.new_table(0)
    key = Word(7), Word(9)
    put(table, key, 4, -10, ONE, 1, 0)
    put(table, key, 4, -ONE, 20, 2, 0)
    assert get(table, key, 4) == (4, -10, 20, 2)
    put(table, key, 2, 5, 5, 3, 0)
    assert get(table, key, 4).depth == 4
    assert get(table, key, 2) == (2, 5, 5, 3)


def test_deep_entries_survive_shallow_ones_until_the_next_age():
    table = transposition.new_table(0)
    deep = Word(1), Word(1)
    put(table, deep, 9, 0, 0, 0, 0)
    for number in range(2, 30):
        put(table, (Word(number), Word(0)), 3, 0, 0, 0, 0)
    assert get(table, deep, 9).depth == 9
    for number in range(2, 30):
        put(table, (Word(number), Word(0)), 3, 0, 0, 0, 1)
    assert get(table, deep, 9).depth == transposition.NOT_FOUND


def test_a_torn_entry_matches_no_key():
    table = transposition.new_table(0)
    key = Word(123), Word(456)
    put(table, key, 5, 1, 2, 3, 0)
    first = table.copy()
    put(table, key, 5, 2, 2, 4, 0)
    second = table.copy()
    for torn in range(4):
        table[:] = first
        table[torn] = second[torn]
        if table[torn] != first[torn]:
            assert get(table, key, 5).depth == transposition.NOT_FOUND


def test_a_slot_is_a_cache_line():
    assert transposition.new_table(3).ctypes.data % transposition.SLOT_BYTES == 0
