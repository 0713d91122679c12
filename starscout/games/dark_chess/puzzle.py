"""Solver of one-player dark chess (the course's homework 1): capture every red piece in the fewest moves, by A*.

All pieces are face up and only Black moves; red pieces stand still. A black chariot slides any distance and may capture
the first piece it meets. Ducks (D) never move and are never captured. Black has no cannons.

A state consists of the squares of the black pieces and the set of red pieces left, in two words:

    first    5 bits for each of the first 12 pieces
    second   5 bits for each of the others, then one bit per red piece from bit 20 on

The lower bound is the larger of: the longest path from any red piece to its nearest capturer; the shortest such path
plus one move for each other red piece. Paths avoid only ducks. Neither decreases by more than one per move, so the
first path to the goal is a shortest one.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy

from starscout.game import GameError
from starscout.games.dark_chess.board import (
    CANNON,
    CHARIOT,
    DIRECTIONS,
    FILES,
    LETTERS,
    NEXT_SQUARE,
    NUMBERS,
    RANKS,
    SQUARES,
)
from starscout.games.dark_chess.evaluation import CAPTURES
from starscout.games.dark_chess.rules import square_text
from starscout.kernels.bits import WORD_ONE, WORD_ZERO, Word, integer, mix
from starscout.kernels.kernel import kernel
from starscout.kernels.stop_flags import raised, stoppable

DUCK = "D"
NEVER = 1000
"""The bound if there is no solution."""
FIRST_WORD = 12
SQUARE_BITS = 5
RED_SHIFT = 20
FIRST_CAPACITY = 1 << 16
"""States for which memory is allocated at first: 3 MB."""
_NO_SOLUTION, _FULL = -1, -2


@dataclass(frozen=True)
class DarkPuzzle:
    """The pieces that move, the red pieces and the ducks: (kind, square) or square."""

    movers: tuple[tuple[int, int], ...]
    reds: tuple[tuple[int, int], ...]
    ducks: tuple[int, ...]


@dataclass(frozen=True)
class DarkSolution:
    """The moves as text (`MOVE A1 A2`), None if there is no solution; proven unless the search reached its limit."""

    moves: tuple[str, ...] | None
    proven: bool
    states: int
    memory: int
    """Bytes that the search allocated."""


def is_dark_puzzle(text: str) -> bool:
    """Whether a text is a board of this puzzle."""
    return "/" in text.split(maxsplit=1)[0] if text.strip() else False


def parse_dark_puzzle(text: str) -> DarkPuzzle:
    """The puzzle of a board like `2c3n1/4R3/7p/1r4n1 b`; raises GameError."""
    fields = text.split()
    if len(fields) != 2 or fields[1] != "b":
        raise GameError(f"expected a board and the side b, like '8/8/c7/1Kaaeerr b', got {text.strip()[:60]!r}")
    ranks = fields[0].split("/")
    if len(ranks) != RANKS:
        raise GameError(f"board: expected {RANKS} ranks separated by '/', got {len(ranks)}")
    squares = ""
    for number, rank in enumerate(ranks, 1):
        wrong = re.search(r"[^KAERNPDkaerncp1-8]", rank)
        if wrong:
            expected = "black KAERNP, red kaerncp, D or 1 to 8"
            raise GameError(f"board, rank {number}: expected {expected}, got {wrong[0]!r}")
        expanded = re.sub(r"\d", lambda digit: "." * int(digit[0]), rank)
        if len(expanded) != FILES:
            raise GameError(f"board, rank {number}: expected {FILES} squares, got {len(expanded)}: {rank!r}")
        squares += expanded
    placed = sorted((letter, square) for square, letter in enumerate(squares) if letter not in f".{DUCK}")
    movers = tuple((LETTERS.index(letter), square) for letter, square in placed if letter.isupper())
    reds = tuple((LETTERS.index(letter.upper()), square) for letter, square in placed if letter.islower())
    for name, pieces in (("black", movers), ("red", reds)):
        if len(pieces) > sum(NUMBERS):
            raise GameError(f"board: expected at most {sum(NUMBERS)} {name} pieces, got {len(pieces)}")
    return DarkPuzzle(movers, reds, tuple(square for square, letter in enumerate(squares) if letter == DUCK))


class _Tables(NamedTuple):
    """Constants of one search."""

    kinds: numpy.ndarray
    """[mover] → kind; movers of the same kind are neighbours."""
    red_squares: numpy.ndarray
    takes: numpy.ndarray
    """[mover, red piece] → whether it may capture it."""
    ways: numpy.ndarray
    """[mover slides (0, 1), from, to] → number of moves around the ducks; NEVER if there is no path."""
    ducks: Word


class _Memory(NamedTuple):
    """The reached states with their predecessors, and the open list (one stack per total length)."""

    slots: numpy.ndarray
    first: numpy.ndarray
    second: numpy.ndarray
    made: numpy.ndarray
    parent: numpy.ndarray
    move: numpy.ndarray
    next_waiting: numpy.ndarray
    first_waiting: numpy.ndarray


def solve_dark_puzzle(puzzle: DarkPuzzle, most_states: int = 20_000_000) -> DarkSolution:
    """A shortest solution, or a proof that there is none; stops after `most_states` states."""
    tables = _build_tables(puzzle)
    first, second = 0, ((1 << len(puzzle.reds)) - 1) << RED_SHIFT
    for mover, (_, square) in enumerate(puzzle.movers):
        if mover < FIRST_WORD:
            first |= square << SQUARE_BITS * mover
        else:
            second |= square << SQUARE_BITS * (mover - FIRST_WORD)
    capacity = min(FIRST_CAPACITY, most_states)
    while True:
        memory = _new_memory(capacity)
        with stoppable() as flag:
            last, states = _search(Word(first), Word(second), tables, memory, flag)
        if last != _FULL or capacity == most_states:
            break
        capacity = min(4 * capacity, most_states)
    used = sum(array.nbytes for array in (*memory, *tables[:-1]))
    if last < 0:
        return DarkSolution(None, bool(last == _NO_SOLUTION), int(states), used)
    moves = []
    while memory.parent[last] >= 0:
        start, target = divmod(int(memory.move[last]), SQUARES)
        moves.append(f"MOVE {square_text(start)} {square_text(target)}")
        last = memory.parent[last]
    return DarkSolution(tuple(reversed(moves)), True, int(states), used)


def _new_memory(capacity: int) -> _Memory:
    return _Memory(
        numpy.full(1 << (2 * capacity - 1).bit_length(), -1, numpy.int32),
        numpy.zeros(capacity, Word),
        numpy.zeros(capacity, Word),
        numpy.zeros(capacity, numpy.int16),
        numpy.zeros(capacity, numpy.int32),
        numpy.zeros(capacity, numpy.int16),
        numpy.zeros(capacity, numpy.int32),
        numpy.full(2 * NEVER, -1, numpy.int32),
    )


def _build_tables(puzzle: DarkPuzzle) -> _Tables:
    ways = numpy.full((2, SQUARES, SQUARES), NEVER, numpy.int16)
    for slides in (0, 1):
        for start in range(SQUARES):
            ways[slides, start, start] = 0
            waiting = [start]
            for square in waiting:
                for direction in range(len(DIRECTIONS)):
                    target = int(NEXT_SQUARE[square, direction])
                    while target >= 0 and target not in puzzle.ducks:
                        if ways[slides, start, target] == NEVER:
                            ways[slides, start, target] = ways[slides, start, square] + 1
                            waiting.append(target)
                        target = int(NEXT_SQUARE[target, direction]) if slides else -1
    kinds = numpy.array([kind for kind, _ in puzzle.movers], numpy.int64)
    takes = numpy.zeros((max(len(kinds), 1), max(len(puzzle.reds), 1)), numpy.bool_)
    for mover, (kind, _) in enumerate(puzzle.movers):
        assert kind != CANNON
        for red, (victim, _) in enumerate(puzzle.reds):
            takes[mover, red] = CAPTURES[kind, victim]
    red_squares = numpy.array([square for _, square in puzzle.reds], numpy.int64)
    return _Tables(kinds, red_squares, takes, ways, Word(sum(1 << square for square in puzzle.ducks)))


@kernel(inline=True)
def _square_of(first: Word, second: Word, mover: int) -> int:
    if mover < FIRST_WORD:
        return integer((first >> Word(SQUARE_BITS * mover)) & Word(31))
    return integer((second >> Word(SQUARE_BITS * (mover - FIRST_WORD))) & Word(31))


@kernel
def _lower_bound(first: Word, second: Word, tables: _Tables) -> int:
    """A lower bound of the number of moves left."""
    longest, shortest, left = 0, NEVER, 0
    for red in range(len(tables.red_squares)):
        if (second >> Word(RED_SHIFT + red)) & WORD_ONE == WORD_ZERO:
            continue
        left += 1
        nearest = NEVER
        for mover in range(len(tables.kinds)):
            if tables.takes[mover, red]:
                slides = 1 if tables.kinds[mover] == CHARIOT else 0
                way = integer(tables.ways[slides, _square_of(first, second, mover), tables.red_squares[red]])
                nearest = min(nearest, way)
        longest, shortest = max(longest, nearest), min(shortest, nearest)
    if left == 0:
        return 0
    return min(max(longest, shortest + left - 1), NEVER)


@kernel
def _moved(first: Word, second: Word, mover: int, target: int, tables: _Tables) -> tuple[Word, Word]:
    """The squares after a move, in order among pieces of the same kind, which are interchangeable."""
    kind = tables.kinds[mover]
    place = mover
    while place > 0 and tables.kinds[place - 1] == kind and _square_of(first, second, place - 1) > target:
        first, second = _with_square(first, second, place, _square_of(first, second, place - 1))
        place -= 1
    last = len(tables.kinds) - 1
    while place < last and tables.kinds[place + 1] == kind and _square_of(first, second, place + 1) < target:
        first, second = _with_square(first, second, place, _square_of(first, second, place + 1))
        place += 1
    return _with_square(first, second, place, target)


@kernel(inline=True)
def _with_square(first: Word, second: Word, mover: int, square: int) -> tuple[Word, Word]:
    if mover < FIRST_WORD:
        shift = Word(SQUARE_BITS * mover)
        return (first & ~(Word(31) << shift)) | (Word(square) << shift), second
    shift = Word(SQUARE_BITS * (mover - FIRST_WORD))
    return first, (second & ~(Word(31) << shift)) | (Word(square) << shift)


@kernel
def _slot(first: Word, second: Word, memory: _Memory) -> int:
    """The slot of a state, or the free one where it belongs."""
    mask = len(memory.slots) - 1
    slot = integer(mix(first ^ mix(second)) & Word(mask))
    while memory.slots[slot] >= 0:
        known = memory.slots[slot]
        if memory.first[known] == first and memory.second[known] == second:
            break
        slot = (slot + 1) & mask
    return slot


@kernel
def _search(start: Word, rest: Word, tables: _Tables, memory: _Memory, flag: numpy.ndarray) -> tuple[int, int]:
    """A*: the number of a final state, or _NO_SOLUTION or _FULL; and how many states were reached."""
    total = _lower_bound(start, rest, tables)
    if total >= NEVER:
        return _NO_SOLUTION, 0
    memory.first[0], memory.second[0], memory.parent[0], memory.made[0] = start, rest, -1, 0
    memory.next_waiting[0], memory.first_waiting[total] = -1, 0
    memory.slots[_slot(start, rest, memory)] = 0
    used = 1
    while total < NEVER and raised(flag) == 0:
        # 1. Take the newest state with the least total length.
        now = memory.first_waiting[total]
        if now < 0:
            total += 1
            continue
        memory.first_waiting[total] = memory.next_waiting[now]
        made, first, second = integer(memory.made[now]), Word(memory.first[now]), Word(memory.second[now])
        if second >> Word(RED_SHIFT) == WORD_ZERO:
            return now, used
        occupied = tables.ducks
        for mover in range(len(tables.kinds)):
            occupied |= WORD_ONE << Word(_square_of(first, second, mover))
        for mover in range(len(tables.kinds)):
            origin = _square_of(first, second, mover)
            for direction in range(4):
                target = NEXT_SQUARE[origin, direction]
                goes_on = target >= 0
                while goes_on:
                    # 2. Find what the move captures.
                    if (occupied >> Word(target)) & WORD_ONE != WORD_ZERO:
                        break
                    left, may = second, True
                    for red in range(len(tables.red_squares)):
                        bit = WORD_ONE << Word(RED_SHIFT + red)
                        if tables.red_squares[red] == target and second & bit != WORD_ZERO:
                            left, may, goes_on = second & ~bit, tables.takes[mover, red], False
                    if not may:
                        break
                    # 3. Add the state to the open list unless it has been reached in as few moves.
                    new_first, new_second = _moved(first, left, mover, target, tables)
                    least = _lower_bound(new_first, new_second, tables)
                    if least < NEVER:
                        slot = _slot(new_first, new_second, memory)
                        known = memory.slots[slot]
                        if known < 0 or memory.made[known] > made + 1:
                            if used == len(memory.first):
                                return _FULL, used
                            memory.slots[slot] = used
                            memory.first[used], memory.second[used] = new_first, new_second
                            memory.made[used], memory.parent[used] = made + 1, now
                            memory.move[used] = origin * SQUARES + target
                            memory.next_waiting[used] = memory.first_waiting[made + 1 + least]
                            memory.first_waiting[made + 1 + least] = used
                            used += 1
                    target = NEXT_SQUARE[target, direction]
                    goes_on = goes_on and target >= 0 and tables.kinds[mover] == CHARIOT
    return _NO_SOLUTION, used
