"""Bit operations against Python integers, and random words against the published SplitMix64."""

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starscout.kernels.bits import (
    WORD_ALL,
    Word,
    below,
    deposit,
    gather,
    lanes,
    lowest,
    mix,
    popcount,
    random_word,
    reverse,
    select,
    spread,
    union,
    united,
    where,
)
from starscout.kernels.kernel import kernel

pytestmark = pytest.mark.plain

words = st.integers(0, 2**64 - 1)
MASK = 2**64 - 1


@given(words)
def test_popcount(bits: int):
    assert popcount(Word(bits)) == bin(bits).count("1")


@given(words)
def test_lowest(bits: int):
    assert lowest(Word(bits)) == next((index for index in range(64) if bits >> index & 1), 64)


@given(words.filter(bool), st.data())
def test_select(bits: int, data: st.DataObject):
    set_bits = [index for index in range(64) if bits >> index & 1]
    rank = data.draw(st.integers(0, len(set_bits) - 1))
    assert select(Word(bits), rank) == set_bits[rank]


@given(words, words)
def test_gather(bits: int, mask: int):
    chosen = [bits >> index & 1 for index in range(64) if mask >> index & 1]
    assert int(gather(Word(bits), Word(mask))) == sum(bit << place for place, bit in enumerate(chosen))


def split_mix_64(state: int) -> int:
    """Steele, Lea and Flood's generator as it is published: the output after one step from `state`."""
    state = (state + 0x9E3779B97F4A7C15) & MASK
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & MASK
    return state ^ (state >> 31)


@given(words, st.integers(0, 2**32))
def test_random_words_are_split_mix_64(seed: int, counter: int):
    state = (seed + counter * 0x9E3779B97F4A7C15) & MASK
    assert int(random_word(Word(seed), Word(counter))) == split_mix_64(state)


def test_the_first_random_words_of_seed_0():
    """The values that other implementations of SplitMix64 print."""
    first = [int(random_word(Word(0), Word(counter))) for counter in range(3)]
    assert first == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def test_mix_of_zero_and_all_ones():
    assert int(mix(Word(0))) == 0
    assert int(mix(WORD_ALL)) == 0xB4D055FCF2CBBD7B


@given(words, st.integers(1, 2**31))
def test_below_is_in_range(random: int, limit: int):
    assert below(Word(random), limit) == (random >> 32) * limit >> 32
    assert 0 <= below(Word(random), limit) < limit


def test_below_is_uniform():
    counts = numpy.bincount([below(Word(random_word(Word(1), Word(n))), 6) for n in range(6000)], minlength=6)
    assert len(counts) == 6
    assert abs(counts - 1000).max() < 5 * numpy.sqrt(1000)


@kernel
def shifted_union(first: Word, second: Word, third: Word, fourth: Word, steps: Word, mask: Word) -> Word:
    value = lanes(first, second, third, fourth)
    step = spread(steps)
    return union(((value << step) | (value >> step)) & spread(mask))


@kernel
def sum_where(first: Word, second: Word, third: Word, fourth: Word) -> Word:
    """Lanes whose condition is not 0."""
    condition = lanes(second, first, fourth, third)
    return union(where(lanes(first, second, third, fourth), condition + condition))


@given(st.tuples(words, words, words, words), st.integers(0, 63), words)
def test_lanes_work_lane_by_lane(four: tuple[int, int, int, int], steps: int, mask: int):
    expected = 0
    for word in four:
        expected |= ((word << steps & MASK) | word >> steps) & mask
    first, second, third, fourth = map(Word, four)
    assert int(shifted_union(first, second, third, fourth, Word(steps), Word(mask))) == expected


@kernel
def united_under(first: Word, second: Word, third: Word, fourth: Word, masks: tuple[Word, Word, Word, Word]) -> Word:
    """The bits of every lane of the union under the lane's mask."""
    return union(united(lanes(first, second, third, fourth)) & lanes(masks[0], masks[1], masks[2], masks[3]))


@given(st.tuples(words, words, words, words))
def test_united_lanes_are_equal(four: tuple[int, int, int, int]):
    first, second, third, fourth = map(Word, four)
    for lane in range(4):
        a, b, c, d = (Word(MASK if place == lane else 0) for place in range(4))
        assert united_under(first, second, third, fourth, (a, b, c, d)) == four[0] | four[1] | four[2] | four[3]


word_or_nothing = st.one_of(st.just(0), words)


@given(st.tuples(word_or_nothing, word_or_nothing, word_or_nothing, word_or_nothing))
def test_where_and_sums(four: tuple[int, int, int, int]):
    beside = (four[1], four[0], four[3], four[2])
    expected = 0
    for word, neighbour in zip(four, beside, strict=True):
        expected |= word if 2 * neighbour & MASK else 0
    assert int(sum_where(*map(Word, four))) == expected


@given(words, words)
def test_deposit_is_the_inverse_of_gather(bits: int, mask: int):
    deposited = int(deposit(Word(bits), Word(mask)))
    assert deposited & ~mask == 0
    assert int(gather(Word(deposited), Word(mask))) == bits & ((1 << mask.bit_count()) - 1)


@given(words)
def test_reverse(bits: int):
    assert int(reverse(Word(bits))) == int(f"{bits:064b}"[::-1], 2)
