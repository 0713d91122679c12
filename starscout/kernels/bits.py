"""64-bit words and bit operations.

`Word(x)` creates a word, in kernels and in Python. Numba converts `uint64 & int64` to a signed number silently: combine
words only with words. Write `WORD_ONE << Word(i)`, never `1 << i`. Every function here gives the same result compiled
and in plain Python.
"""

from typing import Any, TypeAlias

import numpy

from starscout.kernels.kernel import PLAIN, kernel

Word: TypeAlias = numpy.uint64
Lanes: TypeAlias = Any
"""Four words side by side inside a kernel: the operators `+ & | ^ << >>` work lane by lane."""

WORD_ZERO = Word(0)
WORD_ONE = Word(1)
WORD_ALL = Word(0xFFFF_FFFF_FFFF_FFFF)

if PLAIN:
    # Compiled words wrap around silently; NumPy warns about each overflow.
    numpy.seterr(over="ignore")


if PLAIN:

    def integer(number: Any) -> int:
        """`number` as a signed 64-bit integer."""
        return int(number)

    def as_word(number: Any) -> Word:
        """`number` as a word; a negative one wraps around."""
        return Word(int(number) & 0xFFFF_FFFF_FFFF_FFFF)

    def popcount(bits: Word) -> int:
        """The number of set bits."""
        return int(bits).bit_count()

    def lowest(bits: Word) -> int:
        """The index of the lowest set bit; 64 for the empty word."""
        number = int(bits)
        return (number & -number).bit_length() - 1 if number else 64

    def select(bits: Word, rank: int) -> int:
        """The index of the set bit number `rank` counted from the lowest, which is number 0."""
        number = int(bits)
        for _ in range(int(rank)):
            number &= number - 1
        return (number & -number).bit_length() - 1

    def reverse(bits: Word) -> Word:
        """The bits in reverse order: bit 0 becomes bit 63."""
        return Word(int(f"{int(bits):064b}"[::-1], 2))

    def gather(bits: Word, mask: Word) -> Word:
        """The bits of `bits` under `mask`, packed together at the low end (x86 calls it PEXT)."""
        packed, position = 0, 0
        for index in range(64):
            if int(mask) >> index & 1:
                packed |= (int(bits) >> index & 1) << position
                position += 1
        return Word(packed)

    def deposit(bits: Word, mask: Word) -> Word:
        """The inverse of `gather`: the low bits of `bits`, spread to the places of `mask` (x86 calls it PDEP)."""
        spread_bits, position = 0, 0
        for index in range(64):
            if int(mask) >> index & 1:
                spread_bits |= (int(bits) >> position & 1) << index
                position += 1
        return Word(spread_bits)

    def lanes(first: Word, second: Word, third: Word, fourth: Word) -> Lanes:
        """Four words side by side."""
        return numpy.array([first, second, third, fourth], dtype=Word)

    def union(value: Lanes) -> Word:
        """The bitwise OR of all lanes."""
        return numpy.bitwise_or.reduce(value)

    def united(value: Lanes) -> Lanes:
        """The bitwise OR of all lanes, in every lane."""
        return lanes(*(union(value),) * 4)

    def where(value: Lanes, condition: Lanes) -> Lanes:
        """The lanes of `value` where `condition` is not 0; 0 in the other lanes."""
        return numpy.where(condition != WORD_ZERO, value, WORD_ZERO)

else:
    from starscout.kernels.compiler import instruction, processor_has
    from starscout.kernels.vectors import lanes_instructions

    _count_ones = instruction("llvm.ctpop.i64", 1)
    _count_trailing_zeros = instruction("llvm.cttz.i64", 1, False)
    _reverse_bits = instruction("llvm.bitreverse.i64", 1)
    lanes, union, united, where = lanes_instructions()

    @kernel(inline=True)
    def integer(number: Any) -> int:
        """`number` as a signed 64-bit integer."""
        return numpy.int64(number)  # pyright: ignore[reportReturnType]

    @kernel(inline=True)
    def as_word(number: Any) -> Word:
        """`number` as a word; a negative one wraps around."""
        return Word(number)

    @kernel(inline=True)
    def popcount(bits: Word) -> int:
        """The number of set bits."""
        return integer(_count_ones(Word(bits)))

    @kernel(inline=True)
    def lowest(bits: Word) -> int:
        """The index of the lowest set bit; 64 for the empty word."""
        return integer(_count_trailing_zeros(Word(bits)))

    @kernel(inline=True)
    def reverse(bits: Word) -> Word:
        """The bits in reverse order: bit 0 becomes bit 63."""
        return _reverse_bits(Word(bits))

    if processor_has("bmi2"):
        _deposit_bits = instruction("llvm.x86.bmi.pdep.64", 2)
        _extract_bits = instruction("llvm.x86.bmi.pext.64", 2)

        @kernel(inline=True)
        def select(bits: Word, rank: int) -> int:
            """The index of the set bit number `rank` counted from the lowest, which is number 0."""
            deposited = _deposit_bits(WORD_ONE << Word(rank), Word(bits))
            return integer(_count_trailing_zeros(deposited))

        @kernel(inline=True)
        def gather(bits: Word, mask: Word) -> Word:
            """The bits of `bits` under `mask`, packed together at the low end (x86 calls it PEXT)."""
            return _extract_bits(Word(bits), Word(mask))

        @kernel(inline=True)
        def deposit(bits: Word, mask: Word) -> Word:
            """The inverse of `gather`: the low bits of `bits`, spread to the places of `mask` (x86 calls it PDEP)."""
            return _deposit_bits(Word(bits), Word(mask))

    else:

        @kernel(inline=True)
        def select(bits: Word, rank: int) -> int:
            """The index of the set bit number `rank` counted from the lowest, which is number 0."""
            for _ in range(rank):
                bits &= bits - WORD_ONE
            return integer(_count_trailing_zeros(Word(bits)))

        @kernel(inline=True)
        def gather(bits: Word, mask: Word) -> Word:
            """The bits of `bits` under `mask`, packed together at the low end (x86 calls it PEXT)."""
            packed, place = WORD_ZERO, WORD_ONE
            while mask != WORD_ZERO:
                if bits & mask & (~mask + WORD_ONE) != WORD_ZERO:
                    packed |= place
                place <<= WORD_ONE
                mask &= mask - WORD_ONE
            return packed

        @kernel(inline=True)
        def deposit(bits: Word, mask: Word) -> Word:
            """The inverse of `gather`: the low bits of `bits`, spread to the places of `mask` (x86 calls it PDEP)."""
            found = WORD_ZERO
            while mask != WORD_ZERO:
                if bits & WORD_ONE != WORD_ZERO:
                    found |= mask & (~mask + WORD_ONE)
                bits >>= WORD_ONE
                mask &= mask - WORD_ONE
            return found


@kernel(inline=True)
def spread(word: Word) -> Lanes:
    """The same word in every lane."""
    return lanes(word, word, word, word)


_GOLDEN, _MIX_A, _MIX_B = 0x9E37_79B9_7F4A_7C15, 0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB
_SHIFT_32 = Word(32)

if PLAIN:
    # Compute with Python integers: NumPy would warn about each overflow, in each thread.

    def mix(bits: Word) -> Word:
        """A bijective hash of words (the finaliser of SplitMix64)."""
        number = int(bits)
        number = (number ^ (number >> 30)) * _MIX_A & int(WORD_ALL)
        number = (number ^ (number >> 27)) * _MIX_B & int(WORD_ALL)
        return Word(number ^ (number >> 31))

    def random_word(seed: Word, counter: Word) -> Word:
        """Word number `counter` of the random sequence `seed`: a stateless, counter-based generator (SplitMix64)."""
        return mix(Word((int(seed) + _GOLDEN * (int(counter) + 1)) & int(WORD_ALL)))

else:
    _golden, _mix_a, _mix_b = Word(_GOLDEN), Word(_MIX_A), Word(_MIX_B)
    _shift_30, _shift_27, _shift_31 = Word(30), Word(27), Word(31)

    @kernel(inline=True)
    def mix(bits: Word) -> Word:
        """A bijective hash of words (the finaliser of SplitMix64)."""
        bits = (bits ^ (bits >> _shift_30)) * _mix_a
        bits = (bits ^ (bits >> _shift_27)) * _mix_b
        return bits ^ (bits >> _shift_31)

    @kernel(inline=True)
    def random_word(seed: Word, counter: Word) -> Word:
        """Word number `counter` of the random sequence `seed`: a stateless, counter-based generator (SplitMix64)."""
        return mix(seed + _golden * (counter + WORD_ONE))


@kernel(inline=True)
def below(random: Word, limit: int) -> int:
    """A random number 0 … limit − 1 from the upper half of a random word; its bias is below limit / 2³²."""
    return integer(((random >> _SHIFT_32) * Word(limit)) >> _SHIFT_32)
