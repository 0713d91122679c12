"""Retrograde analysis of dark chess: classes of material, and the kernel that fills their entries.

Only the relations between pieces matter: whether one captures another, and which are cannons. Materials with the same
relations share a class; 1,737 materials of four pieces form 144 classes. A reflection brings the first piece into one
quarter of the board, so a class of n pieces has 8 · 32ⁿ⁻¹ entries:

    index = quarter (3 bits) of the first piece, then 5 bits for the square of each other piece, own pieces first

Classes are built from few pieces to many, each together with the one that has the sides exchanged: first the positions
decided by a capture or a blocked side, then their predecessors by quiet moves, one ply at a time.
"""

import functools
import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy

from starscout.games.dark_chess.board import CANNON, KINDS, NEIGHBOURS, NUMBERS, SQUARES, jump_targets
from starscout.games.dark_chess.evaluation import CAPTURES
from starscout.games.dark_chess.rules import QUIET_LIMIT
from starscout.kernels.bits import WORD_ONE, WORD_ZERO, Word, integer, lowest, popcount
from starscout.kernels.kernel import kernel

MOST_PIECES = 4
MOST_OF_SIDE = MOST_PIECES - 1
NONE = -1
QUARTER = 8
UNKNOWN = 127


class Classes(NamedTuple):
    """The classes of material up to a number of pieces; `piece` is the number of a piece, own pieces first."""

    own: numpy.ndarray
    """[class] → number of own pieces."""
    pieces: numpy.ndarray
    """[class] → number of pieces."""
    captures: numpy.ndarray
    """[class, piece] → bits of the enemy pieces that it captures by a step."""
    cannons: numpy.ndarray
    """[class] → bits of the cannons."""
    turned: numpy.ndarray
    """[class] → the class with the sides exchanged."""
    turned_order: numpy.ndarray
    """[class, piece of the other class] → piece."""
    after: numpy.ndarray
    """[class, enemy piece] → the class after its capture, from the enemy's perspective; NONE if it was the last."""
    after_order: numpy.ndarray
    """[class, enemy piece, piece of the class after its capture] → piece."""
    first: numpy.ndarray
    """[class] → index of its first entry."""
    side: numpy.ndarray
    """[three kinds in order, 3 bits each, 7 for none] → number of the side, or NONE."""
    of_sides: numpy.ndarray
    """[own side, enemy side] → class, or NONE."""
    order: numpy.ndarray
    """[own side, enemy side, piece of the class] → piece in the order of kinds, enemies from MOST_OF_SIDE on."""
    entries: int


def _sides() -> list[tuple[int, ...]]:
    """The kinds of all sides with 1 to MOST_OF_SIDE pieces, in order."""
    found = []
    for number in range(1, MOST_OF_SIDE + 1):
        for kinds in itertools.combinations_with_replacement(range(KINDS), number):
            if all(kinds.count(kind) <= NUMBERS[kind] for kind in kinds):
                found.append(kinds)
    return found


@functools.cache
def _ordered(own: tuple[int, ...], enemy: tuple[int, ...]) -> tuple[tuple[Any, ...], tuple[int, ...], tuple[int, ...]]:
    """The relations of two sides in the order of pieces that makes them least, and this order of both sides."""
    candidates = []
    for first in itertools.permutations(range(len(own))):
        for second in itertools.permutations(range(len(enemy))):
            pairs = [(own[i], enemy[j]) for i in first for j in second]
            relations = (
                len(own),
                len(enemy),
                tuple(own[i] == CANNON for i in first),
                tuple(enemy[j] == CANNON for j in second),
                tuple(bool(CAPTURES[one, other]) for one, other in pairs),
                tuple(bool(CAPTURES[other, one]) for one, other in pairs),
            )
            candidates.append((relations, first, second))
    return min(candidates)


@functools.cache
def classes_up_to(most: int) -> Classes:
    """Number the classes of positions with up to `most` pieces."""
    sides = _sides()
    numbers: dict[tuple[Any, ...], int] = {}
    examples: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
    of_sides = numpy.full((len(sides), len(sides)), NONE, dtype=numpy.int64)
    order = numpy.zeros((len(sides), len(sides), MOST_PIECES), dtype=numpy.int64)
    pairs = [(i, j) for i in range(len(sides)) for j in range(len(sides)) if len(sides[i]) + len(sides[j]) <= most]
    for i, j in sorted(pairs, key=lambda pair: len(sides[pair[0]]) + len(sides[pair[1]])):
        relations, first, second = _ordered(sides[i], sides[j])
        if relations not in numbers:
            numbers[relations] = len(examples)
            examples.append((tuple(sides[i][place] for place in first), tuple(sides[j][place] for place in second)))
        of_sides[i, j] = numbers[relations]
        places = [*first, *(MOST_OF_SIDE + place for place in second)]
        order[i, j, : len(places)] = places
    side = numpy.full(1 << 9, NONE, dtype=numpy.int64)
    for number, kinds in enumerate(sides):
        padded = (*kinds, *[KINDS] * (MOST_OF_SIDE - len(kinds)))
        side[padded[0] << 6 | padded[1] << 3 | padded[2]] = number
    return _linked(examples, numbers, side, of_sides, order)


def _linked(
    examples: list[tuple[tuple[int, ...], tuple[int, ...]]], numbers: dict[tuple[Any, ...], int],
    side: numpy.ndarray, of_sides: numpy.ndarray, order: numpy.ndarray,
) -> Classes:  # fmt: skip
    """The classes of these materials with their relations and successors."""
    count = len(examples)
    own, pieces, cannons, turned = (numpy.zeros(count, dtype=numpy.int64) for _ in range(4))
    captures, turned_order = (numpy.zeros((count, MOST_PIECES), dtype=numpy.int64) for _ in range(2))
    after = numpy.full((count, MOST_PIECES), NONE, dtype=numpy.int64)
    after_order = numpy.zeros((count, MOST_PIECES, MOST_PIECES), dtype=numpy.int64)
    for number, (mine, theirs) in enumerate(examples):
        size = len(mine)
        own[number], pieces[number] = size, size + len(theirs)
        for piece, kind in enumerate((*mine, *theirs)):
            cannons[number] |= (kind == CANNON) << piece
            others = enumerate(theirs, size) if piece < size else enumerate(mine)
            captures[number, piece] = sum(1 << other for other, victim in others if CAPTURES[kind, victim])

        def seen(enemies: list[int], numbered: int = number, size: int = size) -> tuple[int, list[int]]:
            """The class of these pieces from the enemy's perspective, and the order of the pieces there."""
            kinds = (*examples[numbered][0], *examples[numbered][1])
            relations, first, second = _ordered(tuple(kinds[piece] for piece in enemies), kinds[:size])
            return numbers[relations], [*(enemies[place] for place in first), *second]

        enemies = list(range(size, size + len(theirs)))
        turned[number], found = seen(enemies)
        turned_order[number, : len(found)] = found
        for victim in enemies:
            if len(theirs) > 1:
                after[number, victim], found = seen([piece for piece in enemies if piece != victim])
                after_order[number, victim, : len(found)] = found
    sizes = [QUARTER * SQUARES ** (int(number) - 1) for number in pieces]
    first = numpy.array([0, *itertools.accumulate(sizes)], dtype=numpy.int64)
    return Classes(
        own, pieces, captures, cannons, turned, turned_order, after, after_order, first[:-1], side, of_sides, order,
        int(first[-1]),
    )  # fmt: skip


@kernel(inline=True)
def reflection(square: int) -> int:
    """The XOR mask that reflects the board so that this square is in the first quarter."""
    return (7 if square & 4 else 0) | (24 if square & 16 else 0)


@kernel(inline=True)
def ordered_index(squares: numpy.ndarray, order: numpy.ndarray, pieces: int) -> int:
    """The index of the squares of pieces in an order."""
    square = integer(squares[order[0]])
    change = reflection(square)
    first = square ^ change
    index = (first & 3) | ((first >> 1) & 4)
    for piece in range(1, pieces):
        index = index * SQUARES + (integer(squares[order[piece]]) ^ change)
    return index


@kernel
def place(index: int, pieces: int, squares: numpy.ndarray) -> Word:
    """Write the squares of an index; returns their mask, which has fewer bits than pieces if two share a square."""
    occupied = WORD_ZERO
    for piece in range(pieces - 1, -1, -1):
        squares[piece] = index % SQUARES if piece > 0 else (index & 3) | ((index & 4) << 1)
        index //= SQUARES
        occupied |= WORD_ONE << Word(squares[piece])
    return occupied


@functools.cache
def _build_solver(most: int) -> Any:
    classes = classes_up_to(most)
    own_of, pieces_in, captures, cannons = classes.own, classes.pieces, classes.captures, classes.cannons
    turned, turned_order = classes.turned, classes.turned_order
    after, after_order, first = classes.after, classes.after_order, classes.first

    @kernel
    def piece_on(squares: numpy.ndarray, square: int, low: int, high: int) -> int:
        for piece in range(low, high):
            if squares[piece] == square:
                return piece
        return NONE

    @kernel
    def capture_value(number: int, piece: int, victim: int, squares: numpy.ndarray, values: numpy.ndarray) -> int:
        """The entry of the enemy after the capture of a piece."""
        following = after[number, victim]
        if following == NONE:
            return -QUIET_LIMIT
        before = squares[piece]
        squares[piece] = squares[victim]
        index = ordered_index(squares, after_order[number, victim], pieces_in[number] - 1)
        squares[piece] = before
        return integer(values[first[following] + index])

    @kernel
    def worst_capture(
        number: int, low: int, high: int, squares: numpy.ndarray, occupied: Word, values: numpy.ndarray, looks: bool
    ) -> int:
        """The lowest entry of the enemy after a capture by the pieces low … high − 1, UNKNOWN if there is none.

        Without `looks`, 0 if there is a capture.
        """
        worst = UNKNOWN
        other_low, other_high = (own_of[number], pieces_in[number]) if low == 0 else (0, own_of[number])
        for piece in range(low, high):
            square = squares[piece]
            for victim in range(other_low, other_high):
                takes = (captures[number, piece] >> victim) & 1 and (
                    NEIGHBOURS[square] >> Word(squares[victim])
                ) & WORD_ONE != WORD_ZERO
                if takes:
                    worst = min(worst, capture_value(number, piece, victim, squares, values) if looks else 0)
            if (cannons[number] >> piece) & 1:
                targets = jump_targets(occupied, square)
                while targets != WORD_ZERO:
                    victim = piece_on(squares, lowest(targets), other_low, other_high)
                    targets &= targets - WORD_ONE
                    if victim != NONE:
                        worst = min(worst, capture_value(number, piece, victim, squares, values) if looks else 0)
        return worst

    @kernel
    def has_step(low: int, high: int, squares: numpy.ndarray, occupied: Word) -> bool:
        steps = WORD_ZERO
        for piece in range(low, high):
            steps |= NEIGHBOURS[squares[piece]] & ~occupied
        return steps != WORD_ZERO

    @kernel
    def first_value(number: int, squares: numpy.ndarray, occupied: Word, values: numpy.ndarray) -> int:
        """The entry of a position that is over or decided by a capture; 0 for all others."""
        own, pieces = own_of[number], pieces_in[number]
        blocked = not has_step(own, pieces, squares, occupied)
        if blocked and worst_capture(number, own, pieces, squares, occupied, values, False) == UNKNOWN:
            return QUIET_LIMIT
        steps = has_step(0, own, squares, occupied)
        worst = worst_capture(number, 0, own, squares, occupied, values, True)
        if worst < 0:
            return QUIET_LIMIT
        return -QUIET_LIMIT if not steps and worst > 0 else 0

    @kernel
    def loses(number: int, squares: numpy.ndarray, occupied: Word, values: numpy.ndarray) -> bool:
        """Whether every move leads to an entry that is known as a win of the enemy."""
        own, pieces = own_of[number], pieces_in[number]
        if worst_capture(number, 0, own, squares, occupied, values, True) <= 0:
            return False
        start = first[turned[number]]
        for piece in range(own):
            square = integer(squares[piece])
            targets = NEIGHBOURS[square] & ~occupied
            while targets != WORD_ZERO:
                squares[piece] = lowest(targets)
                targets &= targets - WORD_ONE
                entry = values[start + ordered_index(squares, turned_order[number], pieces)]
                if entry <= 0:
                    squares[piece] = square
                    return False
            squares[piece] = square
        return True

    @kernel
    def solve(number: int, values: numpy.ndarray, queue: numpy.ndarray) -> int:
        """Fill the entries of a class and of the class with the sides exchanged; returns the decided positions.

        `queue` has room for the entries of both.
        """
        pieces = pieces_in[number]
        size = QUARTER * SQUARES ** (pieces - 1)
        squares, before = numpy.zeros(MOST_PIECES, dtype=numpy.int64), numpy.zeros(MOST_PIECES, dtype=numpy.int64)
        length = 0
        for side in range(2):
            current = number if side == 0 else turned[number]
            if side == 1 and current == number:
                break
            for index in range(size):
                occupied = place(index, pieces, squares)
                if popcount(occupied) == pieces:
                    entry = first_value(current, squares, occupied, values)
                    if entry != 0:
                        values[first[current] + index] = entry
                        queue[length] = 2 * index + side
                        length += 1
        done = 0
        while done < length:
            index, side = queue[done] >> 1, queue[done] & 1
            done += 1
            current = number if side == 0 else turned[number]
            entry = values[first[current] + index]
            if abs(entry) == 1:
                break
            earlier = turned[current]
            earlier_side = 0 if earlier == number else 1
            occupied = place(index, pieces, squares)
            for piece in range(own_of[current], pieces):
                square = integer(squares[piece])
                sources = NEIGHBOURS[square] & ~occupied
                while sources != WORD_ZERO:
                    squares[piece] = lowest(sources)
                    sources &= sources - WORD_ONE
                    found = ordered_index(squares, turned_order[current], pieces)
                    at = first[earlier] + found
                    if values[at] == 0:
                        mask = place(found, pieces, before)
                        if entry < 0:
                            values[at] = -entry - 1
                        elif loses(earlier, before, mask, values):
                            values[at] = 1 - entry
                        if values[at] != 0:
                            queue[length] = 2 * found + earlier_side
                            length += 1
                squares[piece] = square
        return length

    return solve


def fill(most: int, values: numpy.ndarray) -> Iterator[float]:
    """Fill the entries of all classes; yields the finished part."""
    classes, solve = classes_up_to(most), _build_solver(most)
    queue = numpy.empty(2 * QUARTER * SQUARES ** (most - 1), dtype=numpy.int64)
    done = 0
    for number, other in enumerate(classes.turned):
        done += QUARTER * SQUARES ** (int(classes.pieces[number]) - 1)
        if number <= other:
            solve(number, values, queue)
        yield done / classes.entries
