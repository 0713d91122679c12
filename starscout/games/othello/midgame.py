"""The selective midgame search of Othello: NegaScout in discs on the learned evaluation, with multi-ProbCut.

Values are expected disc differences for the mover in 1/POINTS (see patterns.py), on the same scale as the solver. A
value outside the window (alpha, beta) is a bound. The work at a node depends on its depth in plies:

    0         the evaluation
    1         the evaluation of every child, no table
    2         fastest first: sorted by the enemy's mobility
    3 –       sorted by the evaluation of the children, from SEARCHED on by a search of one ply; ProbCut at null windows
    ≥ empty   the search goes to the end of the game: the solver finishes it when HANDED_OVER squares are empty

ProbCut: a shallow search predicts a deep one with an error of known size (see selective.py). If the shallow value is so
far outside the window that the deep one probably is, too, the node is pruned.
"""

import functools
from typing import Any

import numpy

from starscout.evaluation.network import LIMIT
from starscout.evaluation.weights import Weights
from starscout.games.othello import solver_search
from starscout.games.othello.last_squares import build_last_squares
from starscout.games.othello.patterns import POINTS, SIZE, pattern_kernels
from starscout.games.othello.rules import build_discs
from starscout.games.othello.solver_search import MOST_MOVES, NO_LIMIT
from starscout.kernels.bits import WORD_ONE, WORD_ZERO, Word, lowest, popcount
from starscout.kernels.kernel import borrowed, kernel
from starscout.kernels.stop_flags import RAISED
from starscout.search import transposition_table as transposition

EVALUATED = 3
"""Minimum depth for sorting moves by the evaluation and for ProbCut."""
SEARCHED = 6
"""Minimum depth for sorting moves by a 1-ply search."""
HANDED_OVER = 12
"""Maximum number of empty squares at which the solver takes over."""
MOST_EMPTY = SIZE * SIZE
OUTSIDE = 4 * LIMIT
"""Larger than any value."""

MidgameMemory = numpy.record
"""The memory of a search; `MIDGAME_MEMORY` names the fields."""

_ROW = numpy.dtype(
    [
        ("order", numpy.int64, MOST_MOVES),  # sort key, with the index of the move in its low six bits
        ("square", numpy.int64, MOST_MOVES),
        ("turned", Word, MOST_MOVES),
    ],
    align=True,
)

MIDGAME_MEMORY = numpy.dtype(
    (
        numpy.record,
        numpy.dtype(
            [
                ("flag", numpy.int64, 1),
                ("nodes", numpy.int64),
                ("node_limit", numpy.int64),
                ("age", numpy.int64),
                ("cuts", numpy.int64),
                ("selective", numpy.bool_),
                # [empty squares, depth]: check depth and margin of ProbCut
                ("checks", numpy.int64, (MOST_EMPTY + 1, MOST_EMPTY + 1)),
                ("margins", numpy.int64, (MOST_EMPTY + 1, MOST_EMPTY + 1)),
                ("rows", _ROW, SIZE * SIZE + 1),
            ],
            align=True,
        ),
    )
)
"""Stop flag, counters, the margins of ProbCut, and one row per number of empty squares."""


def new_midgame_memory() -> MidgameMemory:
    """The memory of a search without ProbCut."""
    memory: Any = numpy.zeros(1, dtype=MIDGAME_MEMORY)[0]
    memory.node_limit = NO_LIMIT
    return memory


@functools.cache
def build() -> Any:
    """The kernel search(own, enemy, depth, alpha, beta, one_ply, memory, table, weights, solver, solver_table, busy).

    `one_ply` is 1, an argument because a recursive kernel called with a constant fails when loaded from the cache. The
    last three arguments are those of the solver. The result is invalid once memory.flag[0] is not 0.
    """
    board = build_discs(SIZE)
    everything, mobility, turned = board.everything, board.mobility, board.turned
    final, ranks = build_last_squares(SIZE).final, solver_search.square_ranks(SIZE)
    score, indices, child_score, child_stage = pattern_kernels()
    solve = solver_search.build(SIZE, score)
    probe, store, slot_of = transposition.probe, transposition.store, transposition.slot_of
    no_move = transposition.NO_MOVES
    corners = Word(1 | 1 << 7 | 1 << 56 | 1 << 63)

    @kernel(inline=True)
    def child_value(
        own: Word, enemy: Word, square: int, turned: Word, sums: tuple[Any, Any, Any], first: int, weights: Weights
    ) -> int:  # fmt: skip
        """The other side's value of a leaf after a move, which may be a finished game."""
        child_own, child_enemy = enemy ^ turned, own | (WORD_ONE << Word(square)) | turned
        if mobility(child_own, child_enemy) == WORD_ZERO and mobility(child_enemy, child_own) == WORD_ZERO:
            return POINTS * final(child_own, child_enemy)
        sum_0, sum_1, sum_2 = sums
        return child_score(sum_0, sum_1, sum_2, square, turned, first, weights)

    @kernel
    def last_ply(own: Word, enemy: Word, moves: Word, beta: int, memory: MidgameMemory, weights: Weights) -> int:
        """The best value of the children, or the first one that reaches beta."""
        best = -OUTSIDE
        left = moves & corners
        later = moves ^ left
        sums, first = indices(enemy, own, weights), child_stage(own, enemy)
        while left != WORD_ZERO or later != WORD_ZERO:
            if left == WORD_ZERO:
                left, later = later, WORD_ZERO
            square = lowest(left)
            disc = left & (~left + WORD_ONE)
            left ^= disc
            memory.nodes += 1
            best = max(best, -child_value(own, enemy, square, turned(disc, own, enemy), sums, first, weights))
            if best >= beta:
                break
        return best

    @kernel
    def rank_children(own: Word, enemy: Word, moves: Word, hint: int, row: Any, weights: Weights) -> None:
        """Write the values of the children to `row.order`, in the order of their squares."""
        sums, first = indices(enemy, own, weights), child_stage(own, enemy)
        count = 0
        while moves != WORD_ZERO:
            square = lowest(moves)
            disc = moves & (~moves + WORD_ONE)
            moves ^= disc
            row.order[count] = OUTSIDE
            if square != hint:
                row.order[count] = -child_value(own, enemy, square, turned(disc, own, enemy), sums, first, weights)
            count += 1

    @kernel
    def search(
        own: Word, enemy: Word, depth: int, alpha: int, beta: int, one_ply: int, memory: MidgameMemory,
        table: numpy.ndarray, weights: Weights, solver: solver_search.Memory, solver_table: numpy.ndarray,
        busy: numpy.ndarray,
    ) -> int:  # fmt: skip
        # Step 1: count the node; check the stop flag.
        table = borrowed(table)
        memory.nodes += 1
        if memory.nodes >= memory.node_limit:
            memory.flag[0] = RAISED
        if memory.flag[0] != 0:
            return 0

        # Step 2: no move: pass, or the game is over.
        moves = mobility(own, enemy)
        if moves == WORD_ZERO:
            if mobility(enemy, own) == WORD_ZERO:
                return POINTS * final(own, enemy)
            return -search(
                enemy, own, depth, -beta, -alpha, one_ply, memory, table, weights, solver, solver_table, busy
            )

        # Step 3: evaluate at depth 0, or call the solver.
        if depth <= 0:
            return score(own, enemy, weights)
        if depth == 1:
            return last_ply(own, enemy, moves, beta, memory, weights)
        empty = everything & ~(own | enemy)
        empties = popcount(empty)
        if depth >= empties:
            depth = empties
            if empties <= HANDED_OVER:
                before = solver.nodes
                solver.node_limit = before + memory.node_limit - memory.nodes
                value = solve(own, enemy, alpha // POINTS, -(-beta // POINTS), solver, solver_table, busy, weights)
                memory.nodes += solver.nodes - before
                if solver.flag[0] != 0:
                    memory.flag[0] = RAISED
                return POINTS * value

        # Step 4: probe the transposition table.
        slot = slot_of(table, own, enemy)
        known = probe(table, slot, own, enemy, depth)
        hint = known.best
        if known.depth == depth:
            if known.lower >= beta or known.lower == known.upper:
                return known.lower
            if known.upper <= alpha:
                return known.upper
            alpha, beta = max(alpha, known.lower), min(beta, known.upper)
        low = alpha

        # Step 5: ProbCut, on the side of the window that the evaluation suggests.
        if memory.selective and depth >= EVALUATED and alpha + 1 == beta:
            check, margin = memory.checks[empties, depth], memory.margins[empties, depth]
            if score(own, enemy, weights) >= beta:
                bound = beta + margin
                if bound < LIMIT:
                    value = search(
                        own, enemy, check, bound - 1, bound, one_ply, memory, table, weights, solver, solver_table, busy
                    )
                    if value >= bound and memory.flag[0] == 0:
                        memory.cuts += 1
                        return beta
            else:
                bound = alpha - margin
                if bound > -LIMIT:
                    value = search(
                        own, enemy, check, bound, bound + 1, one_ply, memory, table, weights, solver, solver_table, busy
                    )
                    if value <= bound and memory.flag[0] == 0:
                        memory.cuts += 1
                        return alpha
            if memory.flag[0] != 0:
                return 0

        # Step 6: order the moves.
        row, widest = memory.rows[empties], OUTSIDE * one_ply
        if EVALUATED <= depth < SEARCHED:
            rank_children(own, enemy, moves, hint, row, weights)
        count, left = 0, moves
        while left != WORD_ZERO:
            square = lowest(left)
            disc = WORD_ONE << Word(square)
            left ^= disc
            discs = turned(disc, own, enemy)
            child_own, child_enemy = enemy ^ discs, own | disc | discs
            if square == hint:
                rank = OUTSIDE
            elif depth >= SEARCHED:
                rank = -search(
                    child_own, child_enemy, one_ply, -widest, widest, one_ply, memory, table, weights, solver,
                    solver_table, busy,
                )  # fmt: skip
            elif depth >= EVALUATED:
                rank = row.order[count]
            else:
                answers = mobility(child_own, child_enemy)
                rank = ranks[square] - 16 * (popcount(answers) + popcount(answers & corners))
            entry = rank * 64 + count
            row.square[count] = square
            row.turned[count] = discs
            place = count
            while place > 0 and row.order[place - 1] < entry:
                row.order[place] = row.order[place - 1]
                place -= 1
            row.order[place] = entry
            count += 1

        # Step 7: NegaScout over the moves.
        best, best_square = -OUTSIDE, no_move
        below_node = depth - 1
        for place in range(count):
            number = row.order[place] & 63
            square, discs = row.square[number], row.turned[number]
            child_own, child_enemy = enemy ^ discs, own | (WORD_ONE << Word(square)) | discs
            floor = max(best, alpha)
            if place > 0 and floor + 1 < beta:
                value = -search(
                    child_own, child_enemy, below_node, -floor - 1, -floor, one_ply, memory, table, weights, solver,
                    solver_table, busy,
                )  # fmt: skip
                if floor < value < beta:
                    value = -search(
                        child_own, child_enemy, below_node, -beta, -floor, one_ply, memory, table, weights, solver,
                        solver_table, busy,
                    )  # fmt: skip
            else:
                value = -search(
                    child_own, child_enemy, below_node, -beta, -floor, one_ply, memory, table, weights, solver,
                    solver_table, busy,
                )  # fmt: skip
            if memory.flag[0] != 0:
                return 0
            if value > best:
                best = value
                best_square = square
                if value >= beta:
                    break

        # Step 8: store the value or bound.
        lower = best if best > low else -LIMIT
        upper = best if best < beta else LIMIT
        store(table, slot, own, enemy, depth, lower, upper, best_square, memory.age)
        return best

    return search
