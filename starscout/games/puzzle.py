"""Solvers of single-player puzzles: a provably shortest path to the bottom right square, by A*; and dark chess.

There is one side, a known cyclic die, the die rule of EinStein würfelt nicht! and eight directions; a move onto a piece
captures it. A state consists of the pieces *and* the position in the dice sequence.

The admissible heuristic is the exact solution of a relaxed game, for every set of remaining pieces, distance of the
target piece and position in the dice sequence: in it, the moving piece may capture any other piece at once. The real
board delays the first capture, because two pieces have to meet.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy

from starscout.game import GameError
from starscout.games.dark_chess.puzzle import DarkSolution, is_dark_puzzle, parse_dark_puzzle, solve_dark_puzzle
from starscout.games.ewn.board import movable
from starscout.kernels.bits import Word, integer, mix
from starscout.kernels.kernel import kernel
from starscout.kernels.stop_flags import raised, stoppable

PIECES = 6
LARGEST = 9
LONGEST_PERIOD = 18
DIRECTIONS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
"""(down, right) of the directions 0 to 7: ↖ ↑ ↗ ← → ↙ ↓ ↘."""

GONE = 127
LANE_BITS = 7
NEVER = 10_000
"""The bound if there is no solution."""


@dataclass(frozen=True)
class Puzzle:
    """A board (row by row, 0 = empty), the dice, and the target piece (0 = any)."""

    rows: int
    columns: int
    board: tuple[int, ...]
    dice: tuple[int, ...]
    wanted: int


@dataclass(frozen=True)
class PuzzleSolution:
    """The moves as (piece, direction), None if there is no solution; proven unless the search reached its limit."""

    moves: tuple[tuple[int, int], ...] | None
    proven: bool
    states: int


def parse_puzzle(text: str) -> Puzzle:
    """The puzzle described by a text: `n m`, the n·m board, `p`, the p dice, `s`; raises GameError."""
    words = text.split()
    numbers = []
    for place, word in enumerate(words, 1):
        if not (word.isascii() and word.isdigit() and len(word) < 4):
            raise GameError(f"word {place}: expected a number, got {word[:20]!r}")
        numbers.append(int(word))
    take = _Reader(numbers)
    rows, columns = take(1, "the number of rows")[0], take(1, "the number of columns")[0]
    if not (1 <= rows <= LARGEST and 1 <= columns <= LARGEST):
        raise GameError(f"board: expected 1×1 to {LARGEST}×{LARGEST}, got {rows}×{columns}")
    board = take(rows * columns, "the board")
    for piece in range(1, PIECES + 1):
        if board.count(piece) > 1:
            raise GameError(f"piece {piece} is on the board {board.count(piece)} times")
    if any(number > PIECES for number in board):
        raise GameError(f"board: expected 0 (empty) or pieces 1 to {PIECES}, got {max(board)}")
    period = take(1, "the number of dice")[0]
    if not 1 <= period <= LONGEST_PERIOD:
        raise GameError(f"dice: expected 1 to {LONGEST_PERIOD} dice, got {period}")
    dice = take(period, "the dice")
    if any(not 1 <= die <= PIECES for die in dice):
        raise GameError(f"dice: expected numbers 1 to {PIECES}, got {' '.join(map(str, dice))}")
    wanted = take(1, "the target piece")[0]
    if wanted > PIECES or (wanted and wanted not in board):
        raise GameError(f"the target piece {wanted} is not on the board (0 means any)")
    take.end()
    return Puzzle(rows, columns, tuple(board), tuple(dice), wanted)


def solve_text(text: str) -> PuzzleSolution | DarkSolution:
    """The solution of a puzzle file, of dark chess if it has a board with slashes; raises GameError."""
    if is_dark_puzzle(text):
        return solve_dark_puzzle(parse_dark_puzzle(text))
    return solve_puzzle(parse_puzzle(text))


class _Reader:
    def __init__(self, numbers: list[int]) -> None:
        self.numbers = numbers
        self.place = 0

    def __call__(self, count: int, what: str) -> list[int]:
        taken = self.numbers[self.place : self.place + count]
        if len(taken) < count:
            raise GameError(f"unexpected end: {what} is missing or incomplete")
        self.place += count
        return taken

    def end(self) -> None:
        if self.place != len(self.numbers):
            raise GameError(f"{len(self.numbers) - self.place} unexpected numbers at the end")


class _Tables(NamedTuple):
    """Lookup tables of the search."""

    target: numpy.ndarray
    """[square, direction] → the square there, −1 off the board."""
    distance: numpy.ndarray
    """[square, square] → king's moves between them."""
    movers: numpy.ndarray
    """[set of pieces, die − 1, 0 or 1] → a piece that may move, −1 for none."""
    bound: numpy.ndarray
    """[target piece, steps without a capture, set of pieces, distance, position in the dice] → minimum moves."""
    dice: numpy.ndarray


class _Memory(NamedTuple):
    """The reached states, their predecessors, and the open list (one stack per total length)."""

    slots: numpy.ndarray
    state: numpy.ndarray
    moves_made: numpy.ndarray
    parent: numpy.ndarray
    move: numpy.ndarray
    next_waiting: numpy.ndarray
    first_waiting: numpy.ndarray


def solve_puzzle(puzzle: Puzzle, most_states: int = 20_000_000) -> PuzzleSolution:
    """A shortest solution, or a proof that there is none; stops after `most_states` states."""
    tables = _build_tables(puzzle)
    squares = [puzzle.board.index(piece) if piece in puzzle.board else GONE for piece in range(1, PIECES + 1)]
    start = Word(sum(square << LANE_BITS * piece for piece, square in enumerate(squares)))
    wanted = puzzle.wanted - 1
    capacity = min(1 << 18, most_states)
    while True:
        memory = _new_memory(capacity)
        with stoppable() as flag:
            last, states = _search(start, wanted, len(puzzle.dice), tables, memory, flag)
        if last != _FULL or capacity == most_states:
            break
        capacity = min(4 * capacity, most_states)
    if last < 0:
        return PuzzleSolution(None, bool(last == _NO_SOLUTION), int(states))
    moves = []
    while memory.parent[last] >= 0:
        moves.append((int(memory.move[last]) // 8 + 1, int(memory.move[last]) % 8))
        last = memory.parent[last]
    return PuzzleSolution(tuple(reversed(moves)), True, int(states))


_NO_SOLUTION, _FULL = -1, -2


def _new_memory(capacity: int) -> _Memory:
    slots = 1 << (2 * capacity - 1).bit_length()
    return _Memory(
        numpy.full(slots, -1, numpy.int32),
        numpy.zeros(capacity, Word),
        numpy.zeros(capacity, numpy.int16),
        numpy.zeros(capacity, numpy.int32),
        numpy.zeros(capacity, numpy.int8),
        numpy.zeros(capacity, numpy.int32),
        numpy.full(NEVER, -1, numpy.int32),
    )


def _build_tables(puzzle: Puzzle) -> _Tables:
    squares = puzzle.rows * puzzle.columns
    target = numpy.full((squares, 8), -1, numpy.int64)
    distance = numpy.zeros((squares, squares), numpy.int64)
    for square in range(squares):
        row, column = divmod(square, puzzle.columns)
        for direction, (down, right) in enumerate(DIRECTIONS):
            if 0 <= row + down < puzzle.rows and 0 <= column + right < puzzle.columns:
                target[square, direction] = (row + down) * puzzle.columns + column + right
        for other in range(squares):
            other_row, other_column = divmod(other, puzzle.columns)
            distance[square, other] = max(abs(row - other_row), abs(column - other_column))
    movers = numpy.full((1 << PIECES, PIECES, 2), -1, numpy.int64)
    for pieces_left in range(1 << PIECES):
        for die in range(1, PIECES + 1):
            for index, piece in enumerate(movable(pieces_left, die, PIECES)):
                movers[pieces_left, die - 1, index] = piece
    dice = numpy.array(puzzle.dice, numpy.int64) - 1
    longest = max(puzzle.rows, puzzle.columns) - 1
    bound = numpy.full((PIECES, longest + 1, 1 << PIECES, longest + 1, len(dice)), NEVER, numpy.int16)
    _fill_bounds(bound, movers, dice)
    return _Tables(target, distance, movers, bound, dice)


@kernel
def _fill_bounds(bound: numpy.ndarray, movers: numpy.ndarray, dice: numpy.ndarray) -> None:
    """Solve the relaxed game by value iteration; then again with the first capture delayed."""
    wanted_pieces, waits, sets, distances, period = bound.shape
    for wanted in range(wanted_pieces):
        bound[wanted, :, :, 0, :] = 0
        changed = True
        while changed:
            changed = False
            for left in range(sets):
                for distance in range(1, distances):
                    for place in range(period):
                        found = _after_a_move(bound, movers, dice, wanted, left, distance, place, 0, True)
                        if found < bound[wanted, 0, left, distance, place]:
                            bound[wanted, 0, left, distance, place] = found
                            changed = True
        for wait in range(1, waits):
            for left in range(sets):
                for distance in range(1, distances):
                    for place in range(period):
                        found = _after_a_move(bound, movers, dice, wanted, left, distance, place, wait - 1, False)
                        bound[wanted, wait, left, distance, place] = found


@kernel
def _after_a_move(
    bound: numpy.ndarray,
    movers: numpy.ndarray,
    dice: numpy.ndarray,
    wanted: int,
    left: int,
    distance: int,
    place: int,
    wait: int,
    capturing: bool,
) -> int:
    """Minimum number of moves after the best move of the relaxed game."""
    best = NEVER
    if left >> wanted & 1 == 0:
        return best
    following = (place + 1) % dice.size
    for index in range(2):
        mover = movers[left, dice[place], index]
        if mover < 0:
            continue
        nearer = distance - 1 if mover == wanted else distance
        best = min(best, bound[wanted, wait, left, nearer, following] + 1)
        if capturing:
            for piece in range(bound.shape[0]):
                if piece not in (wanted, mover) and left >> piece & 1:
                    best = min(best, bound[wanted, 0, left & ~(1 << piece), nearer, following] + 1)
    return best


_LANE = Word(GONE)


@kernel
def _square(state: Word, piece: int) -> int:
    return integer((state >> Word(LANE_BITS * piece)) & _LANE)


@kernel
def _lower_bound(state: Word, place: int, wanted: int, tables: _Tables) -> int:
    """A lower bound of the length of a solution. `wanted` is a piece from 0, or −1 for any."""
    goal = tables.target.shape[0] - 1
    left = 0
    for piece in range(PIECES):
        if _square(state, piece) != GONE:
            left |= 1 << piece
    best = NEVER
    for candidate in range(PIECES):
        if wanted not in (-1, candidate) or left >> candidate & 1 == 0:
            continue
        meeting = tables.bound.shape[1]
        for first in range(PIECES):
            for second in range(PIECES):
                both = left >> first & left >> second & 1
                if both and first != second and second != candidate:
                    meeting = min(meeting, tables.distance[_square(state, first), _square(state, second)])
        to_go = tables.distance[_square(state, candidate), goal]
        best = min(best, tables.bound[candidate, meeting - 1, left, to_go, place])
    return best


@kernel
def _search(
    start: Word, wanted: int, period: int, tables: _Tables, memory: _Memory, flag: numpy.ndarray
) -> tuple[int, int]:
    """A*: the number of a final state, or _NO_SOLUTION or _FULL; and how many states were reached."""
    used = 0
    total = _lower_bound(start, 0, wanted, tables)
    if total >= NEVER:
        return _NO_SOLUTION, 0
    slot_mask = Word(memory.slots.size - 1)
    memory.state[0], memory.parent[0], memory.moves_made[0] = start, -1, 0
    memory.next_waiting[0], memory.first_waiting[total] = -1, 0
    memory.slots[integer(mix(start) & slot_mask)] = 0
    used = 1
    while total < NEVER and raised(flag) == 0:
        # 1. Take the newest state with the least total length.
        now = memory.first_waiting[total]
        if now < 0:
            total += 1
            continue
        memory.first_waiting[total] = memory.next_waiting[now]
        made = integer(memory.moves_made[now])
        place = made % period
        state = Word(memory.state[now]) & ~(Word(31) << Word(LANE_BITS * PIECES))
        if made == total:
            return now, used
        # 2. Find the pieces that may move.
        left = 0
        for piece in range(PIECES):
            if _square(state, piece) != GONE:
                left |= 1 << piece
        for index in range(2):
            mover = tables.movers[left, tables.dice[place], index]
            if mover < 0:
                continue
            for direction in range(8):
                target = tables.target[_square(state, mover), direction]
                if target < 0:
                    continue
                # 3. Make the move and the capture.
                following = state
                for piece in range(PIECES):
                    if _square(following, piece) == target:
                        following |= _LANE << Word(LANE_BITS * piece)
                following &= ~(_LANE << Word(LANE_BITS * mover))
                following |= Word(target) << Word(LANE_BITS * mover)
                next_place = (made + 1) % period
                least = _lower_bound(following, next_place, wanted, tables)
                if least >= NEVER:
                    continue
                # 4. Add it to the open list unless it has been reached in as few moves.
                key = following | (Word(next_place) << Word(LANE_BITS * PIECES))
                slot = integer(mix(key) & slot_mask)
                while memory.slots[slot] >= 0 and memory.state[memory.slots[slot]] != key:
                    slot = (slot + 1) & (memory.slots.size - 1)
                known = memory.slots[slot]
                if known >= 0 and memory.moves_made[known] <= made + 1:
                    continue
                if used == memory.state.size:
                    return _FULL, used
                # A shorter path to a known state gets a new entry; the old entry is then expanded without effect.
                known = used
                used += 1
                memory.slots[slot] = known
                memory.state[known] = key
                memory.moves_made[known] = made + 1
                memory.parent[known] = now
                memory.move[known] = mover * 8 + direction
                memory.next_waiting[known] = memory.first_waiting[made + 1 + least]
                memory.first_waiting[made + 1 + least] = known
    return _NO_SOLUTION, used
