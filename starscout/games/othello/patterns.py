"""Othello patterns: features and evaluation by 46 lines, edges and corners, with weights per game stage.

    lines of eight     rows 2, 3 and 4 from an edge                 12 slots
    diagonals          of 4, 5, 6, 7 and 8 squares                   18
    edges              with the two X squares                         4
    corners            3×3, and 2×5 along either edge            4 and 8

A slot has one of 3ⁿ patterns of its n squares (empty, own, enemy). Symmetric slots share their weights: all are read
from the same squares of the transformed board. A pattern and its mirror image also share weights. Every stage of
STAGE_DISCS discs has separate weights, for even and for odd numbers of discs: with an even number of empty squares, the
other side usually has the last move.
"""

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy

from starscout.evaluation.evaluation import Evaluation
from starscout.evaluation.features import Features
from starscout.evaluation.network import LIMIT, UNIT, score_values
from starscout.evaluation.weights import Weights, pack
from starscout.game import Position
from starscout.kernels.bits import WORD_ONE, WORD_ZERO, Word, gather, integer, lowest, popcount
from starscout.kernels.kernel import PLAIN, kernel

if PLAIN:

    def units_instructions(width: int) -> tuple[Any, Any]:
        """(rows, index) → a row of units; the second function is not used."""
        return lambda rows, index: rows[index], None

    def lookup_instruction(width: int, offsets: tuple[int, ...]) -> Any:
        """(units, array, first) → Σ over offsets of array[first + offset + unit]."""
        return lambda units, array, first: sum(
            int(array[first + offset + (int(unit) & 0xFFFF)]) for offset, unit in zip(offsets, units, strict=False)
        )

else:
    from starscout.kernels.vectors import lookup_instruction, units_instructions

SIZE = 8
STAGES, STAGE_DISCS, FIRST_DISCS = 30, 4, 4
COARSE_STAGES = 10
"""Number of stages that share initial weights, because rare patterns occur in few positions of each stage."""
MOST_SQUARES = 10
WIDTH, PARTS = 16, 3
"""Slots whose patterns are computed at once, and the number of such groups."""
DISCS_PER_UNIT = 8
"""Discs per logit: an expected difference of d discs has the value tanh(d / 16)."""
POINTS = UNIT // DISCS_PER_UNIT
"""Points of a score per disc."""

KINDS: tuple[tuple[int, ...], ...] = (
    tuple(range(8, 16)),
    tuple(range(16, 24)),
    tuple(range(24, 32)),
    (3, 10, 17, 24),
    (4, 11, 18, 25, 32),
    (5, 12, 19, 26, 33, 40),
    (6, 13, 20, 27, 34, 41, 48),
    (7, 14, 21, 28, 35, 42, 49, 56),
    (0, 1, 2, 3, 4, 5, 6, 7, 9, 14),
    (0, 1, 2, 8, 9, 10, 16, 17, 18),
    (0, 1, 2, 3, 4, 8, 9, 10, 11, 12),
)
"""The squares of one slot of each type, on the untransformed board."""


class Slots(NamedTuple):
    """[slot]: the squares as a word, the transformation of the board, and the index of the first weight."""

    masks: numpy.ndarray
    boards: numpy.ndarray
    firsts: numpy.ndarray
    patterns: int
    """Number of patterns of all types."""


def turned_square(board: int, square: int) -> int:
    """The original square of a square on a transformed board.

    Bit 0 of the transformation reverses the rows, bit 1 the columns, bit 2 transposes.
    """
    row, column = divmod(square, SIZE)
    if board & 4:
        row, column = column, row
    if board & 2:
        column = SIZE - 1 - column
    if board & 1:
        row = SIZE - 1 - row
    return row * SIZE + column


@functools.cache
def slots() -> Slots:
    """All slots, without transformations that give the same squares again."""
    masks, boards, firsts, first = [], [], [], 0
    for kind in KINDS:
        shown: set[frozenset[int]] = set()
        for board in range(8):
            squares = frozenset(turned_square(board, square) for square in kind)
            if squares not in shown:
                shown.add(squares)
                masks.append(sum(1 << square for square in kind))
                boards.append(board)
                firsts.append(first)
        first += 3 ** len(kind)
    return Slots(numpy.array(masks, dtype=Word), numpy.array(boards), numpy.array(firsts), first)


@functools.cache
def mirrored_patterns() -> numpy.ndarray:
    """[pattern] → the representative of its images under the symmetries of its squares."""
    result = numpy.arange(slots().patterns)
    first = 0
    for kind in KINDS:
        squares = sorted(kind)
        own_images = [
            [squares.index(turned_square(board, square)) for square in squares]
            for board in range(1, 8)
            if {turned_square(board, square) for square in squares} == set(squares)
        ]
        patterns = numpy.arange(3 ** len(squares))
        digits = patterns[:, None] // 3 ** numpy.arange(len(squares)) % 3
        for image in own_images:
            mirrored = (digits[:, image] * 3 ** numpy.arange(len(squares))).sum(axis=1)
            result[first + patterns] = numpy.minimum(result[first + patterns], first + mirrored)
        first += len(patterns)
    return result


@functools.cache
def ternary() -> numpy.ndarray:
    """[word of up to ten bits] → the number with these bits as base-3 digits."""
    bits = numpy.arange(1 << MOST_SQUARES)[:, None] >> numpy.arange(MOST_SQUARES) & 1
    return (bits * 3 ** numpy.arange(MOST_SQUARES)).sum(axis=1).astype(numpy.int64)


@functools.cache
def flips() -> tuple[Any, Any, Any]:
    """Kernels (word) → the word with its rows reversed, its columns reversed, and transposed."""
    first, second, fourth = Word(0x5555_5555_5555_5555), Word(0x3333_3333_3333_3333), Word(0x0F0F_0F0F_0F0F_0F0F)
    bytes_1, bytes_2 = Word(0x00FF_00FF_00FF_00FF), Word(0x0000_FFFF_0000_FFFF)
    one, two, four, seven, fourteen = Word(1), Word(2), Word(4), Word(7), Word(14)
    eight, sixteen, twenty_eight, half = Word(8), Word(16), Word(28), Word(32)
    swap_1, swap_2, swap_4 = Word(0x00AA_00AA_00AA_00AA), Word(0x0000_CCCC_0000_CCCC), Word(0x0000_0000_F0F0_F0F0)

    @kernel(inline=True)
    def reversed_rows(word: Word) -> Word:
        word = ((word >> eight) & bytes_1) | ((word & bytes_1) << eight)
        word = ((word >> sixteen) & bytes_2) | ((word & bytes_2) << sixteen)
        return (word >> half) | (word << half)

    @kernel(inline=True)
    def reversed_columns(word: Word) -> Word:
        word = ((word >> one) & first) | ((word & first) << one)
        word = ((word >> two) & second) | ((word & second) << two)
        return ((word >> four) & fourth) | ((word & fourth) << four)

    @kernel(inline=True)
    def transposed(word: Word) -> Word:
        changed = (word ^ (word >> seven)) & swap_1
        word = word ^ changed ^ (changed << seven)
        changed = (word ^ (word >> fourteen)) & swap_2
        word = word ^ changed ^ (changed << fourteen)
        changed = (word ^ (word >> twenty_eight)) & swap_4
        return word ^ changed ^ (changed << twenty_eight)

    return reversed_rows, reversed_columns, transposed


@kernel(inline=True)
def stage_of_count(discs: int) -> int:
    """The stage of a board with this number of discs, which may be below four on a set-up board."""
    return min(max(discs - FIRST_DISCS, 0) // STAGE_DISCS, STAGES // 2 - 1) * 2 + discs % 2


@kernel(inline=True)
def stage_of(own: Word, enemy: Word) -> int:
    """The stage of a board."""
    return stage_of_count(popcount(own) + popcount(enemy))


@functools.cache
def pattern_features() -> Features:
    """All patterns of all stages; slots of the same type share them."""
    found, powers = slots(), ternary()
    masks, boards, firsts, patterns = found.masks, found.boards, found.firsts, found.patterns
    reversed_rows, reversed_columns, transposed = flips()

    @kernel(inline=True)
    def turned(word: Word, board: int) -> Word:
        if board & 1:
            word = reversed_rows(word)
        if board & 2:
            word = reversed_columns(word)
        return transposed(word) if board & 4 else word

    @kernel
    def feature(position: Position, slot: int, weights: Weights) -> int:
        own, enemy = turned(position.own, boards[slot]), turned(position.enemy, boards[slot])
        pattern = powers[integer(gather(own, masks[slot]))] + 2 * powers[integer(gather(enemy, masks[slot]))]
        return stage_of(position.own, position.enemy) * patterns + firsts[slot] + pattern

    same = (patterns * numpy.arange(STAGES)[:, None] + mirrored_patterns()).ravel()
    coarse = (patterns * (numpy.arange(STAGES) // COARSE_STAGES)[:, None] + numpy.arange(patterns)).ravel()
    count = STAGES * patterns
    return Features(
        "parity patterns", len(masks), count, feature, same=same, coarse=coarse, evaluation=pattern_evaluation
    )


def pattern_evaluation(name: str, arrays: Mapping[str, numpy.ndarray], order: Any) -> Evaluation:
    """The evaluation with the arrays of `sum_weights`: the sum of the weights of all patterns."""
    numbers = {"row_numbers": row_numbers(), "square_numbers": square_numbers()}
    weights = pack({**arrays, **numbers, "values": score_values()})
    return Evaluation(name, _patterns(), order, weights)


def is_pattern_evaluation(evaluation: Evaluation) -> bool:
    """Whether an evaluation is a sum of patterns, with any weights."""
    return evaluation.evaluate is _patterns()


@functools.cache
def _patterns() -> Any:
    score_of = pattern_score()

    @kernel
    def evaluate(position: Position, weights: Weights) -> int:
        return integer(weights.values[LIMIT + score_of(position.own, position.enemy, weights)])

    return evaluate


@functools.cache
def row_numbers() -> numpy.ndarray:
    """[256 · row of the board + its discs, slot] → what these discs add to the slot's pattern, as own discs.

    A pattern's number is the sum over the rows for own discs and twice that for enemy discs. Every entry is divided
    into PARTS rows of WIDTH slots.
    """
    found, powers = slots(), ternary()
    numbers = numpy.zeros((SIZE << SIZE, PARTS * WIDTH), dtype=numpy.int64)
    for slot, (mask, board) in enumerate(zip(found.masks.tolist(), found.boards.tolist(), strict=True)):
        squares = [square for square in range(SIZE * SIZE) if mask >> square & 1]
        for place, square in enumerate(squares):
            row, column = divmod(turned_square(board, square), SIZE)
            discs = numpy.arange(1 << SIZE) >> column & 1
            numbers[row << SIZE : (row + 1) << SIZE, slot] += discs * powers[1 << place]
    # Sixteen-bit numbers: read as signed, some are negative.
    return numbers.astype(numpy.uint16).view(numpy.int16).reshape(-1, WIDTH)


@functools.cache
def square_numbers() -> numpy.ndarray:
    """[square, slot] → what a disc on the square adds to the slot's pattern, in the rows of `row_numbers`."""
    rows = [row << SIZE | 1 << column for row in range(SIZE) for column in range(SIZE)]
    return row_numbers().reshape(SIZE << SIZE, PARTS, WIDTH)[rows].reshape(-1, WIDTH)


class PatternKernels(NamedTuple):
    """The kernels of the evaluation by patterns; see the functions inside `pattern_kernels`."""

    score: Callable[[Word, Word, Weights], int]
    indices: Callable[[Word, Word, Weights], tuple[Any, Any, Any]]
    child_score: Callable[[Any, Any, Any, int, Word, int, Weights], int]
    child_stage: Callable[[Word, Word], int]


def pattern_score() -> Any:
    """The kernel (own discs, enemy discs, weights) → the expected difference of discs in 1/POINTS, −LIMIT … LIMIT."""
    return pattern_kernels().score


@functools.cache
def pattern_kernels() -> PatternKernels:
    """The kernels of the evaluation.

    The index of a pattern is the sum of a number for each own disc and twice that number for each enemy disc. A move
    that turns the discs F with a disc on square s takes F from the enemy and adds F and s to the own discs. From the
    perspective of the other side, the sum changes by the numbers of F and twice the number of s. Therefore all children
    of a position share the sum over its discs.
    """
    found = slots()
    firsts, patterns = tuple(found.firsts.tolist()), found.patterns
    numbers, _ = units_instructions(WIDTH)
    sums = [lookup_instruction(WIDTH, firsts[part * WIDTH : (part + 1) * WIDTH]) for part in range(PARTS)]
    sum_0, sum_1, sum_2 = sums
    size, row_size, row_mask = SIZE, Word(SIZE), Word((1 << SIZE) - 1)
    parts = PARTS

    @kernel(inline=True)
    def entry(discs: Word, row: int) -> int:
        return ((row << size) + integer((discs >> (row_size * Word(row))) & row_mask)) * parts

    @kernel(inline=True)
    def indices(own: Word, enemy: Word, weights: Weights) -> tuple[Any, Any, Any]:
        """The indices of all patterns, without the first index of the slot and of the stage."""
        table = weights.row_numbers
        at = entry(enemy, 0)
        part_0, part_1, part_2 = numbers(table, at), numbers(table, at + 1), numbers(table, at + 2)
        for row in range(1, size):
            at = entry(enemy, row)
            part_0 = part_0 + numbers(table, at)
            part_1 = part_1 + numbers(table, at + 1)
            part_2 = part_2 + numbers(table, at + 2)
        part_0, part_1, part_2 = part_0 + part_0, part_1 + part_1, part_2 + part_2
        for row in range(size):
            at = entry(own, row)
            part_0 = part_0 + numbers(table, at)
            part_1 = part_1 + numbers(table, at + 1)
            part_2 = part_2 + numbers(table, at + 2)
        return part_0, part_1, part_2

    @kernel(inline=True)
    def looked_up(part_0: Any, part_1: Any, part_2: Any, first: int, weights: Weights) -> int:
        """The score of a position with these indices and the index of the first weight of its stage."""
        total = sum_0(part_0, weights.rows, first) + sum_1(part_1, weights.rows, first)
        total += sum_2(part_2, weights.rows, first)
        return min(max(integer(total * weights.factor), -LIMIT), LIMIT)

    @kernel
    def score(own: Word, enemy: Word, weights: Weights) -> int:
        part_0, part_1, part_2 = indices(own, enemy, weights)
        return looked_up(part_0, part_1, part_2, stage_of(own, enemy) * patterns, weights)

    @kernel(inline=True)
    def child_score(
        part_0: Any, part_1: Any, part_2: Any, square: int, turned: Word, first: int, weights: Weights
    ) -> int:  # fmt: skip
        """The score after a move on `square` that turns the discs `turned`, from the perspective of the other side.

        The parts are `indices(enemy, own)` before the move, `first` is `child_stage(own, enemy)`.
        """
        table = weights.square_numbers
        at = square * parts
        placed_0, placed_1, placed_2 = numbers(table, at), numbers(table, at + 1), numbers(table, at + 2)
        part_0 = part_0 + (placed_0 + placed_0)
        part_1 = part_1 + (placed_1 + placed_1)
        part_2 = part_2 + (placed_2 + placed_2)
        while turned != WORD_ZERO:
            at = lowest(turned) * parts
            turned &= turned - WORD_ONE
            part_0 = part_0 + numbers(table, at)
            part_1 = part_1 + numbers(table, at + 1)
            part_2 = part_2 + numbers(table, at + 2)
        return looked_up(part_0, part_1, part_2, first, weights)

    @kernel(inline=True)
    def child_stage(own: Word, enemy: Word) -> int:
        """The index of the first weight of the children of a position."""
        return stage_of_count(popcount(own) + popcount(enemy) + 1) * patterns

    return PatternKernels(score, indices, child_score, child_stage)
