"""The Othello solver: exact disc difference, best move and principal variation; bounds if stopped.

A solver owns the transposition table and the memories of its threads. It never reads the clock: the caller raises the
flags (`stop_after`) or stops iterating. Differences are the mover's discs − the other side's, with empty squares for
the winner.

Threads: the calling thread searches with the first memory; helpers search the same position and window with the others,
and the first value counts. Searches are numbered; helpers wait for the next number, so no thread is started per search
and no search waits for a helper that is still leaving the previous one.
"""

import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy

from starscout.evaluation import LEARNED, evaluation_names, load_evaluation
from starscout.evaluation.weights import NO_WEIGHTS, Weights
from starscout.game import ONGOING, Game
from starscout.games.othello import solver_search
from starscout.games.othello.patterns import pattern_score
from starscout.games.othello.rules import Position, disc_difference, empty_squares
from starscout.games.othello.selective import SelectiveSearcher, discs_of
from starscout.games.othello.solver_search import SolverSwitches, build_stable
from starscout.kernels.bits import Word
from starscout.kernels.kernel import PLAIN
from starscout.search import transposition_table as transposition
from starscout.search.endgame import ScoreSolution, ScoreSolver, SolvedMove

TABLE_BITS = 19
PREVIEW_BITS = 14
PREVIEWED = 15
"""Minimum number of empty squares for a selective preview search."""
PREVIEW_CONFIDENCE = 1.0
DEEPEST_PREVIEW = 12
FIRST_WIDTH = 3
"""Half the width of the first aspiration window."""


class OthelloSolver(ScoreSolver):
    """Solves positions of one board size; the transposition table is kept between positions.

    With the shipped weights, a selective search previews the moves: the best one is searched first, in a window around
    its expected difference.
    """

    def __init__(
        self,
        game: Game,
        switches: SolverSwitches | None = None,
        table_bits: int = TABLE_BITS,
        threads: int = 1,
    ) -> None:
        self.game = game
        self._squares = game.rows * game.columns
        switches = switches or SolverSwitches()
        weights, self._preview, score = NO_WEIGHTS, None, solver_search.no_score
        if switches.evaluated and LEARNED in evaluation_names(game):
            evaluation = load_evaluation(game, LEARNED)
            weights, score = evaluation.weights, pattern_score()
            self._preview = SelectiveSearcher(game, evaluation, PREVIEW_CONFIDENCE, PREVIEW_BITS)
        self._stable = build_stable(game.rows)
        self._table = transposition.new_table(table_bits)
        # Without Numba only one thread runs at a time: helpers would only delay it.
        threads = 1 if PLAIN else threads
        self._memories = [solver_search.new_solver_memory(switches, shared=threads > 1) for _ in range(threads)]
        kernel = solver_search.build(game.rows, score)
        self._threads = SolverThreads(kernel, self._memories, self._table, weights)

    @property
    def flags(self) -> tuple[numpy.ndarray, ...]:
        """The stop flags of all threads."""
        own = tuple(memory.flag for memory in self._memories)
        return own if self._preview is None else (*own, *self._preview.flags)

    @property
    def stopped(self) -> bool:
        """Whether a flag or the node limit has stopped the search."""
        return bool(self._memories[0].flag[0])

    @property
    def nodes(self) -> int:
        """Number of nodes of all threads; those with fewer than four empty squares are not counted."""
        previewed = 0 if self._preview is None else self._preview.nodes
        return previewed + sum(int(memory.nodes) for memory in self._memories)

    def begin(self, nodes: int | None = None) -> None:
        """Prepare for a position: lower the flags, age the table, allow `nodes` more nodes per thread."""
        self._threads.begin()
        if self._preview is not None:
            self._preview.begin(nodes)
        for memory in self._memories:
            memory.flag[0] = 0
            memory.age = (memory.age + 1) % transposition.MAX_AGE
            memory.node_limit = solver_search.NO_LIMIT if nodes is None else memory.nodes + nodes

    def compile(self) -> None:
        """Compile or load the kernels, before a clock starts."""
        start = Position(*self.game.start_position(0))
        self.begin(nodes=1)
        # First the kernel that Python calls: the preview calls it, too, and would compile it without a CPython wrapper.
        self._search(start, -1, 1)
        self.begin(nodes=1)
        list(self.solve(start))
        self._known(start)
        self.begin()

    def solve(
        self, position: Position, *, wld: bool = False, every_move: bool = False, slack: int | None = None
    ) -> Iterator[ScoreSolution]:
        """Yield the proven bounds after each move; the last ones are final unless the solver was stopped.

        `wld` proves only win, loss or draw; `every_move` finds the difference of each move, not only of the best, and
        with `slack` only an upper bound of those that are worse than the best by more than this many discs.
        """
        before, squares = self.nodes, self._squares
        most = squares - 2 * int(self._stable(position.enemy, position.own)).bit_count()
        least = 2 * int(self._stable(position.own, position.enemy)).bit_count() - squares
        alpha, beta = (-1, 1) if wld else (-squares, squares)
        found: list[SolvedMove] = []
        yield ScoreSolution(least, most, (), 0, 0.0)
        expected = self._expected(position, every_move=every_move)
        moves = sorted(expected, key=lambda move: -expected[move])
        for number, move in enumerate(moves):
            floor = max([alpha, *(solved.lower for solved in found)])
            if every_move:
                floor = alpha if slack is None or not found else max(alpha, floor - slack - 1)
            if floor >= beta:
                break
            scout = bool(found) and not every_move
            solved = self._solve_move(position, move, floor, beta, floor + 1 if scout else expected[move])
            if solved is None:
                return
            found.append(solved)
            lower = max(least, *(one.lower for one in found))
            # After a cutoff at beta, a move that was not searched may be better.
            upper = max(one.upper for one in found) if number + 1 == len(moves) else most
            yield ScoreSolution(
                lower, max(lower, min(most, upper)), tuple(found), self.nodes - before, (number + 1) / len(moves)
            )

    def line(self, position: Position, score: int) -> Iterator[int]:
        """Best moves for both sides from a position whose score is known; ends early when stopped."""
        while self.game.outcome(position) == ONGOING:
            moves = sorted(self.game.legal(position, 1), key=lambda move: self._answers(position, move))
            known = self._known(position).best
            moves.sort(key=lambda move: move != known)
            for move in moves:
                solved = self._solve_move(position, move, score - 1, score, score)
                if solved is None:
                    return
                if solved.lower >= score:
                    break
            else:
                raise ValueError(f"no move reaches {score:+d}: it is not the score of the position")
            yield move
            position = self._after(position, move)
            score = -score

    def _after(self, position: Position, move: int) -> Position:
        return Position(*self.game.play_position(position, move))

    def _answers(self, position: Position, move: int) -> int:
        """Number of replies to a move; moves with fewer replies are tried first."""
        child = self._after(position, move)
        return len(self.game.legal(child, 1)) if self.game.outcome(child) == ONGOING else 0

    def _expected(self, position: Position, *, every_move: bool) -> dict[int, int]:
        """Expected difference of each move; without a preview only a rank, with the fewest replies first."""
        moves, empties = self.game.legal(position, 1), empty_squares(self.game, position)
        expected = {move: -self._answers(position, move) for move in moves}
        if self._preview is not None and empties >= PREVIEWED and len(moves) > 1:
            depths = range(1, min(DEEPEST_PREVIEW, 2 * ((empties - 9) // 3)) + 1)
            for iteration in self._preview.deepen(position, 1, depths, every_move=every_move):
                if iteration.complete:
                    # The best move first: the upper bound of another move may equal its value.
                    best = iteration.best
                    found = (best, *(root for root in iteration.moves if root is not best))
                    expected = {root.move: 2 * round(discs_of(root.value) / 2) for root in found}
        return expected

    def _solve_move(self, position: Position, move: int, alpha: int, beta: int, expected: int) -> SolvedMove | None:
        """The bounds of a move, exact inside (alpha, beta); None if stopped. Searches near `expected` first."""
        child = self._after(position, move)
        if self.game.outcome(child) != ONGOING:
            difference = -disc_difference(self.game, child)
            return SolvedMove(move, difference, difference)
        low, high, width = alpha, beta, 1 if expected <= alpha + 1 else FIRST_WIDTH
        while True:
            lower = min(max(low, expected - width), high - 1)
            upper = max(min(high, expected + width), lower + 1)
            value = -self._search(child, -upper, -lower)
            if self.stopped:
                return None
            if value <= lower and lower > low:
                high, expected = value + 1, value + 1 - width
            elif value >= upper and upper < high:
                low, expected = value - 1, value - 1 + width
            else:
                break
            width *= 2
        return SolvedMove(move, value if value > alpha else -self._squares, value if value < beta else self._squares)

    def _known(self, position: Position) -> transposition.Entry:
        own, enemy = position.own, position.enemy
        slot = transposition.slot_of(self._table, own, enemy)
        return transposition.probe(self._table, slot, own, enemy, empty_squares(self.game, position))

    def _search(self, position: Position, alpha: int, beta: int) -> int:
        return self._threads.search(position.own, position.enemy, empty_squares(self.game, position), alpha, beta)


IDLE_SECONDS = 0.5
"""Idle time after which a helper thread ends; the next search starts another."""


class _Task(NamedTuple):
    """A search; `number` increases by one for each search."""

    number: int
    own: Word
    enemy: Word
    empties: int
    alpha: int
    beta: int


class SolverThreads:
    """Searches positions with one thread per memory."""

    def __init__(
        self, kernel: Any, memories: list[solver_search.Memory], table: numpy.ndarray, weights: Weights
    ) -> None:
        self._kernel, self._memories, self._table, self._weights = kernel, memories, table, weights
        self._busy = numpy.zeros(solver_search.BUSY_SLOTS, dtype=Word)
        self._changed = threading.Condition()
        self._number = 0
        self._task = _Task(0, Word(0), Word(0), 0, 0, 0)
        """The last search for helpers."""
        self._answer = 0
        """The value of the last search that a helper finished first."""
        self._present = [False] * len(memories)
        """Whether the thread of a memory is running."""

    def begin(self) -> None:
        """Clear the marks of moves being searched."""
        self._busy[:] = 0

    def search(self, own: Word, enemy: Word, empties: int, alpha: int, beta: int) -> int:
        """The value in the window (alpha, beta); invalid once the first memory's flag is raised."""
        self._number += 1
        task = _Task(self._number, own, enemy, empties, alpha, beta)
        try:
            if empties >= solver_search.DIVIDED:
                self._call_helpers(task)
            value = self._run(task, self._memories[0])
        finally:
            with self._changed:
                answered = self._memories[0].released == task.number
                for memory in self._memories:
                    memory.released = task.number
        return self._answer if answered else value

    def _call_helpers(self, task: _Task) -> None:
        with self._changed:
            self._task = task
            self._changed.notify_all()
            for index in range(1, len(self._memories)):
                if not self._present[index]:
                    self._present[index] = True
                    threading.Thread(target=self._help, args=(index, task.number - 1), daemon=True).start()

    def _help(self, index: int, last: int) -> None:
        """Search every task after number `last` until the thread is idle."""
        memory = self._memories[index]
        while (task := self._next_task(index, last)) is not None:
            last = task.number
            value = self._run(task, memory)
            with self._changed:
                if memory.flag[0] == 0 and memory.released < last:
                    self._answer = value
                    for other in self._memories:
                        other.released = last

    def _next_task(self, index: int, last: int) -> _Task | None:
        """The task after number `last`; None after IDLE_SECONDS, which ends the thread."""
        with self._changed:
            if self._changed.wait_for(lambda: self._task.number > last, IDLE_SECONDS):
                return self._task
            self._present[index] = False
            return None

    def _run(self, task: _Task, memory: solver_search.Memory) -> int:
        memory.task, memory.empties, memory.leaving = task.number, task.empties, solver_search.NOT_LEAVING
        memory.rows["slot"] = solver_search.NO_SLOT
        return int(
            self._kernel(task.own, task.enemy, task.alpha, task.beta, memory, self._table, self._busy, self._weights)
        )
