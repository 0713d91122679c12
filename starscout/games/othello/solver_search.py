"""The search of the Othello solver: NegaScout in discs to the end of the game.

Values are disc differences for the mover with empty squares for the winner; a value outside the window (alpha, beta) is
a bound. The work at a node depends on the number of empty squares:

    1 – 4     specialised routines (last_squares.py)
    5 – 7     moves ordered by parity, no table
    8 –       fastest first: sorted by the enemy's mobility; with the transposition table
    13 –      also sorted by the learned evaluation, if there is one

Threads share the table. A thread defers moves that another thread is searching, which divides the work, and leaves a
subtree when another thread has resolved a node above it.

Stable discs: discs that can never be turned again; a fast lower bound.

A disc cannot be turned in a direction if the whole line is full, if the line ends at the disc, or if the next disc on
the line is an own stable disc. A disc that cannot be turned in any of the four directions is stable. Not all stable
discs are found.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy

from starscout.evaluation.weights import Weights
from starscout.games.othello.evaluation import neighbours
from starscout.games.othello.last_squares import build_last_squares
from starscout.games.othello.rules import build_discs
from starscout.kernels.bits import (
    WORD_ALL,
    WORD_ONE,
    WORD_ZERO,
    Lanes,
    Word,
    integer,
    lanes,
    lowest,
    mix,
    popcount,
    spread,
    union,
)
from starscout.kernels.kernel import borrowed, kernel
from starscout.kernels.stop_flags import RAISED
from starscout.search import transposition_table as transposition


@functools.cache
def build_stable(size: int) -> Callable[[Word, Word], Word]:
    """The kernel (discs of a side, discs of the other) → the discs of the side that are provably stable."""
    board = build_discs(size)
    directions, everything = board.directions, board.everything
    first_column = sum(1 << size * row for row in range(size))
    last_column = first_column << (size - 1)
    first_row, whole = (1 << size) - 1, int(board.everything)
    last_row = first_row << size * (size - 1)
    not_first, not_last = Word(whole & ~first_column), Word(whole & ~last_column)
    rows_end, columns_end = Word(first_column | last_column), Word(first_row | last_row)
    border = rows_end | columns_end
    doublings = (size - 1).bit_length()

    @kernel(inline=True)
    def above() -> Lanes:
        """The squares that a step to higher bits may reach within its line, by direction."""
        return lanes(not_first, everything, not_last, not_first)

    @kernel(inline=True)
    def below() -> Lanes:
        """The squares that a step to lower bits may reach within its line, by direction."""
        return lanes(not_last, everything, not_first, not_last)

    @kernel(inline=True)
    def open_lines(empty: Word) -> Lanes:
        """The squares whose line has an empty square, by direction."""
        step = directions()
        up, down = spread(empty), spread(empty)
        free_up, free_down = above(), below()
        for _ in range(doublings):
            up |= free_up & (up << step)
            down |= free_down & (down >> step)
            free_up &= free_up << step
            free_down &= free_down >> step
            step = step + step
        return up | down

    @kernel
    def stable(side: Word, other: Word) -> Word:
        step, ones = directions(), spread(WORD_ALL)
        line_ends = lanes(rows_end, columns_end, border, border)
        exposed = open_lines(everything & ~(side | other)) & (line_ends ^ ones)
        found, before = side & ~union(exposed), WORD_ZERO
        while found != before:
            before = found
            discs = spread(found)
            beside = ((discs << step) & above()) | ((discs >> step) & below())
            found = side & ~union(exposed & (beside ^ ones))
        return found

    return stable


LAST = 4
SORTED = 7
"""Minimum number of empty squares for sorting moves."""
STORED = 8
"""Minimum number of empty squares for storing bounds."""
ENHANCED = 10
"""Minimum number of empty squares for enhanced transposition cutoffs."""
EVALUATED = 13
"""Minimum number of empty squares for sorting by the evaluation."""
DIVIDED = 11
"""Minimum number of empty squares for dividing moves among threads."""

MOST_MOVES = 34
HIGHEST_RANK = 1 << 11
ANSWER_RANK, TO_COME_RANK, PARITY_RANK = 16, 4, 4
"""Move ordering: penalties per enemy reply (twice for a corner) and per frontier square, bonus for an odd quadrant."""
POINTS_PER_RANK = 4
"""Points of the evaluation (see patterns.py) per unit of these weights."""
STABLE_WINDOW = 4
"""Stable discs are counted only if the window is above this share of the board; below, they rarely cause a cutoff."""
NO_LIMIT = numpy.iinfo(numpy.int64).max
BUSY_SLOTS = 1 << 12
NOT_LEAVING = 1 << 10
NO_SLOT = -1

Memory = numpy.record
"""The memory of one thread; `MEMORY` names the fields."""


@dataclass(frozen=True)
class SolverSwitches:
    """Optional parts of the solver. No switch changes a value."""

    fastest_first: bool = True
    """Sort moves by the number of replies."""
    parity: bool = True
    """Prefer quadrants with an odd number of empty squares."""
    stability: bool = True
    """Cutoffs by the enemy's stable discs."""
    enhanced: bool = True
    """Enhanced transposition cutoffs."""
    evaluated: bool = True
    """Also sort moves by the evaluation, if there is one."""


_ROW = numpy.dtype(
    [
        ("order", numpy.int64, MOST_MOVES),  # sort key, with the index of the move in its low six bits
        ("square", numpy.int64, MOST_MOVES),
        ("turned", Word, MOST_MOVES),
        ("put_off", numpy.int64, MOST_MOVES),
        ("first", Word),  # key and slot of the node, and the bound that resolves it
        ("second", Word),
        ("slot", numpy.int64),
        ("alpha", numpy.int64),
        ("beta", numpy.int64),
    ],
    align=True,
)

MEMORY = numpy.dtype(
    (
        numpy.record,
        numpy.dtype(
            [
                ("flag", numpy.int64, 1),
                ("nodes", numpy.int64),
                ("node_limit", numpy.int64),
                ("age", numpy.int64),
                ("empties", numpy.int64),  # of the root
                ("task", numpy.int64),  # number of the search, and of the last one that another thread finished
                ("released", numpy.int64),
                ("leaving", numpy.int64),  # empty squares of the node that another thread has resolved
                ("fastest_first", numpy.bool_),
                ("parity", numpy.bool_),
                ("stability", numpy.bool_),
                ("enhanced", numpy.bool_),
                ("evaluated", numpy.bool_),
                ("shared", numpy.bool_),
                ("rows", _ROW, 65),
            ],
            align=True,
        ),
    )
)
"""A thread's memory: stop flag, counters, switches, and one row per number of empty squares."""


def new_solver_memory(switches: SolverSwitches, *, shared: bool) -> Memory:
    """The memory of one thread; `shared`: other threads use the same table."""
    memory: Any = numpy.zeros(1, dtype=MEMORY)[0]
    memory.fastest_first, memory.parity = switches.fastest_first, switches.parity
    memory.stability, memory.enhanced = switches.stability, switches.enhanced
    memory.evaluated = switches.evaluated
    memory.leaving, memory.shared, memory.node_limit, memory.task = NOT_LEAVING, shared, NO_LIMIT, 1
    return memory


def square_ranks(size: int) -> numpy.ndarray:
    """[square] → its weight for move ordering: corners are good, their neighbours bad."""
    by_distance = {(0, 0): 18, (0, 1): 4, (1, 1): 0}
    ranks = numpy.zeros(size * size, dtype=numpy.int64)
    for square in range(size * size):
        row, column = divmod(square, size)
        near, far = sorted((min(row, size - 1 - row), min(column, size - 1 - column)))
        ranks[square] = by_distance.get((near, far), 8 if near == 0 else 6)
    return ranks


@kernel(inline=True)
def no_score(own: Word, enemy: Word, weights: Weights) -> int:
    """The score 0 for every position, if there is no evaluation."""
    return 0


@functools.cache
def build(size: int, score: Any) -> Any:
    """The kernel search(own, enemy, alpha, beta, memory, table, busy, weights) → value.

    `score` is the kernel of an evaluation (own, enemy, weights), like `pattern_score`, or `no_score`. The result is
    invalid once memory.flag[0] is not 0 or memory.released has reached memory.task.
    """
    board = build_discs(size)
    squares, everything, mobility, turned = board.squares, board.everything, board.mobility, board.turned
    routines = build_last_squares(size)
    final, odd_regions, four = routines.final, routines.odd_regions, routines.four
    stable = build_stable(size)
    probe, store, slot_of = transposition.probe, transposition.store, transposition.slot_of
    no_move = transposition.NO_MOVES
    ranks, beside = square_ranks(size), neighbours(size)
    corners = Word(1 | 1 << (size - 1) | 1 << size * (size - 1) | 1 << (squares - 1))

    @kernel
    def settled(memory: Memory, table: numpy.ndarray, empties: int) -> int:
        """Empty squares of the highest ancestor that the table has resolved; NOT_LEAVING if there is none."""
        for above in range(memory.empties, empties, -1):
            row = memory.rows[above]
            if row.slot != NO_SLOT:
                known = probe(table, row.slot, row.first, row.second, above)
                if known.depth == above and (known.lower >= row.beta or known.upper <= row.alpha):
                    return above
        return NOT_LEAVING

    @kernel
    def shallow(own: Word, enemy: Word, alpha: int, beta: int, memory: Memory) -> int:
        """The value with five to SORTED − 1 empty squares."""
        memory.nodes += 1
        empty = everything & ~(own | enemy)
        if memory.stability and alpha >= squares // STABLE_WINDOW:
            most = squares - 2 * popcount(stable(enemy, own))
            if most <= alpha:
                return most
        moves = mobility(own, enemy)
        if moves == WORD_ZERO:
            if mobility(enemy, own) == WORD_ZERO:
                return final(own, enemy)
            return -shallow(enemy, own, -beta, -alpha, memory)
        best = -squares
        left, later = moves, WORD_ZERO
        if memory.parity:
            odd = odd_regions(empty)
            left, later = moves & odd, moves & ~odd
        ending = popcount(empty) == LAST + 1
        while left != WORD_ZERO or later != WORD_ZERO:
            if left == WORD_ZERO:
                left, later = later, WORD_ZERO
            disc = left & (~left + WORD_ONE)
            left ^= disc
            discs = turned(disc, own, enemy)
            if ending:
                value = -four(enemy ^ discs, own | disc | discs, -beta, -alpha, empty ^ disc)
                memory.nodes += 1
            else:
                value = -shallow(enemy ^ discs, own | disc | discs, -beta, -alpha, memory)
            if value > best:
                best = value
                if value >= beta:
                    return value
                alpha = max(alpha, value)
        return best

    @kernel
    def search(
        own: Word, enemy: Word, alpha: int, beta: int, memory: Memory, table: numpy.ndarray, busy: numpy.ndarray,
        weights: Weights,
    ) -> int:  # fmt: skip
        # Step 1: few empty squares; count the node; check the stop flags.
        table, busy = borrowed(table), borrowed(busy)
        empty = everything & ~(own | enemy)
        empties = popcount(empty)
        if empties < SORTED:
            return shallow(own, enemy, alpha, beta, memory)
        memory.nodes += 1
        if memory.nodes >= memory.node_limit:
            memory.flag[0] = RAISED
        if memory.flag[0] != 0 or memory.released >= memory.task:
            return 0
        divided = memory.shared and empties >= DIVIDED
        if divided:
            memory.leaving = settled(memory, table, empties)
            if memory.leaving != NOT_LEAVING:
                return 0

        # Step 2: stable discs of the enemy.
        if memory.stability and alpha >= squares // STABLE_WINDOW:
            most = squares - 2 * popcount(stable(enemy, own))
            if most <= alpha:
                return most

        # Step 3: no move: pass, or the game is over.
        moves = mobility(own, enemy)
        row = memory.rows[empties]
        row.slot = NO_SLOT
        if moves == WORD_ZERO:
            if mobility(enemy, own) == WORD_ZERO:
                return final(own, enemy)
            return -search(enemy, own, -beta, -alpha, memory, table, busy, weights)

        # Step 4: probe the transposition table.
        slot, hint = 0, no_move
        if empties >= STORED:
            slot = slot_of(table, own, enemy)
            known = probe(table, slot, own, enemy, empties)
            hint = known.best
            if known.depth == empties:
                if known.lower >= beta or known.lower == known.upper:
                    return known.lower
                if known.upper <= alpha:
                    return known.upper
                alpha, beta = max(alpha, known.lower), min(beta, known.upper)
            row.first, row.second, row.slot, row.alpha, row.beta = own, enemy, slot, alpha, beta
        low = alpha

        # Step 5: order the moves.
        odd = odd_regions(empty) if memory.parity else WORD_ZERO
        count, left = 0, moves
        while left != WORD_ZERO:
            square = lowest(left)
            disc = WORD_ONE << Word(square)
            left ^= disc
            discs = turned(disc, own, enemy)
            child_own, child_enemy = enemy ^ discs, own | disc | discs
            if memory.enhanced and empties >= ENHANCED:
                child_slot = slot_of(table, child_own, child_enemy)
                child = probe(table, child_slot, child_own, child_enemy, empties - 1)
                if child.depth == empties - 1 and -child.upper >= beta:
                    return -child.upper
            rank = 0
            if square == hint:
                rank = 2 * HIGHEST_RANK
            elif memory.fastest_first:
                answers = mobility(child_own, child_enemy)
                weight = popcount(answers) + popcount(answers & corners)
                to_come = popcount(beside(child_enemy) & empty)
                rank = HIGHEST_RANK - ANSWER_RANK * weight - TO_COME_RANK * to_come + ranks[square]
                if memory.evaluated and empties >= EVALUATED:
                    rank -= score(child_own, child_enemy, weights) // POINTS_PER_RANK
            if disc & odd != WORD_ZERO:
                rank += PARITY_RANK
            entry = rank * 64 + count
            row.square[count] = square
            row.turned[count] = discs
            place = count
            while place > 0 and row.order[place - 1] < entry:
                row.order[place] = row.order[place - 1]
                place -= 1
            row.order[place] = entry
            count += 1

        # Step 6: NegaScout over the moves; first those that no other thread is searching.
        best, best_square = -squares - 1, no_move
        for stage in range(2):
            for place in range(count):
                if stage == 1 and row.put_off[place] == 0:
                    continue
                number = row.order[place] & 63
                square, discs = row.square[number], row.turned[number]
                child_own, child_enemy = enemy ^ discs, own | (WORD_ONE << Word(square)) | discs
                mark, mark_at = WORD_ZERO, 0
                if divided:
                    mark = mix(child_own ^ mix(child_enemy))
                    mark_at = integer(mark & Word(BUSY_SLOTS - 1))
                    row.put_off[place] = 0
                    if stage == 0 and place > 0 and busy[mark_at] == mark:
                        row.put_off[place] = 1
                        continue
                    if place > 0:
                        busy[mark_at] = mark
                floor = max(best, alpha)
                if best_square != no_move and floor + 1 < beta:
                    value = -search(child_own, child_enemy, -floor - 1, -floor, memory, table, busy, weights)
                    if floor < value < beta and memory.leaving == NOT_LEAVING:
                        value = -search(child_own, child_enemy, -beta, -value, memory, table, busy, weights)
                else:
                    value = -search(child_own, child_enemy, -beta, -floor, memory, table, busy, weights)
                if divided and place > 0 and busy[mark_at] == mark:
                    busy[mark_at] = WORD_ZERO
                if memory.flag[0] != 0 or memory.released >= memory.task:
                    return 0
                if memory.leaving != NOT_LEAVING:
                    if memory.leaving != empties:
                        return 0
                    memory.leaving = NOT_LEAVING
                    known = probe(table, slot, own, enemy, empties)
                    if known.depth == empties and known.lower >= beta:
                        return known.lower
                    if known.depth == empties and known.upper <= low:
                        return known.upper
                    value = -search(child_own, child_enemy, -beta, -floor, memory, table, busy, weights)
                if value > best:
                    best = value
                    best_square = square
                    if value >= beta:
                        break
            if best >= beta or not divided:
                break

        # Step 7: store the value or bound.
        if empties >= STORED:
            lower = best if best > low else -squares
            upper = best if best < beta else squares
            store(table, slot, own, enemy, empties, lower, upper, best_square, memory.age)
        return best

    return search
