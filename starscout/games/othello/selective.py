"""Iterative deepening of Othello's selective midgame search, and the margins of ProbCut.

The last iteration goes to the end of the game. A searcher owns the tables and the memory and never reads the clock: the
caller raises the flags (`stop_after`) or stops iterating. It has the interface of search/deepening.py and reports
values in [−1, 1]: an expected difference of d discs is tanh(d / 16).

The difference between a deep and a shallow search has mean 0 and, in discs, the standard deviation σ with

    log σ = constant + shallow · check depth + deep · depth + empty · empty squares (+ solved, if depth reaches the end)

Both depths have the same parity, so neither favours the side that moves last. `benchmarks/search_fit_probcut.py` fits
the five coefficients and writes probcut.csv.
"""

import functools
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy

from starscout.evaluation.evaluation import Evaluation
from starscout.evaluation.network import LIMIT
from starscout.evaluation.weights import Weights, read_arrays
from starscout.game import ONGOING, Game
from starscout.games.othello import midgame, solver_search
from starscout.games.othello.patterns import DISCS_PER_UNIT, POINTS
from starscout.games.othello.rules import PASS, Position, disc_difference, empty_squares
from starscout.games.othello.solver_search import SolverSwitches
from starscout.kernels.bits import Word
from starscout.kernels.kernel import kernel
from starscout.search import transposition_table as transposition
from starscout.search.deepening import Iteration, RootMove

FILE = Path(__file__).parent / "probcut.csv"
LEAST_DEPTH = 3
SHARE = 4
THOUSAND = 1000.0


class ErrorModel(NamedTuple):
    """The coefficients of the formula above."""

    constant: float
    shallow: float
    deep: float
    empty: float
    solved: float

    def deviation(self, depth: int, empties: int) -> float:
        """The standard deviation in discs at a node of this depth."""
        terms = self.constant + self.shallow * check_depth(depth) + self.deep * depth + self.empty * empties
        return math.exp(terms + (self.solved if depth >= empties else 0.0))


def check_depth(depth: int) -> int:
    """The depth of the shallow search: about half of the deep one, with the same parity."""
    return 2 * (depth // SHARE) + depth % 2


@functools.cache
def fitted_model() -> ErrorModel:
    """The shipped fit."""
    return ErrorModel(*(read_arrays(FILE)["error"] / THOUSAND).tolist())


def margins(model: ErrorModel, confidence: float, points: int, most: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    """[empty squares, depth] → the depth of the shallow search and the margin in 1/points of a disc.

    `confidence` is the margin in standard deviations; tables go up to `most` empty squares.
    """
    checks, found = (numpy.zeros((most + 1, most + 1), dtype=numpy.int64) for _ in range(2))
    for empties in range(1, most + 1):
        for depth in range(LEAST_DEPTH, empties + 1):
            checks[empties, depth] = check_depth(depth)
            found[empties, depth] = round(confidence * model.deviation(depth, empties) * points)
    return checks, found


SOLVER_TABLE_BITS = 14
UNFINISHED = 1 << 40
"""Marks a child whose value has to be searched; larger than any value."""
SKIPPED = 8
"""A search within this many plies of the end goes to the end, which the solver makes cheaper."""


def value_of(discs: float) -> float:
    """Convert an expected difference of discs to an expected result in (−1, 1)."""
    return math.tanh(discs / (2 * DISCS_PER_UNIT))


def discs_of(value: float) -> float:
    """The inverse of `value_of`."""
    return 2 * DISCS_PER_UNIT * math.atanh(value)


class SelectiveSearcher:
    """A search of Othello with one pattern evaluation, reused from move to move."""

    def __init__(self, game: Game, evaluation: Evaluation, confidence: float, table_bits: int = 18) -> None:
        self.game = game
        self._search_root, self._search_node = _build()
        self._weights = evaluation.weights
        self._table = transposition.new_table(table_bits)
        self._memory = midgame.new_midgame_memory()
        self._solver = solver_search.new_solver_memory(SolverSwitches(), shared=False)
        self._solver_table = transposition.new_table(SOLVER_TABLE_BITS)
        self._busy = numpy.zeros(solver_search.BUSY_SLOTS, dtype=Word)
        self._memory.selective = confidence > 0.0
        self._memory.checks, self._memory.margins = margins(fitted_model(), confidence, POINTS, midgame.MOST_EMPTY)

    @property
    def flags(self) -> tuple[numpy.ndarray, ...]:
        """The stop flags."""
        return self._memory.flag, self._solver.flag

    @property
    def stopped(self) -> bool:
        """Whether a flag or the node limit has stopped the search."""
        return bool(self._memory.flag[0])

    @property
    def nodes(self) -> int:
        """Number of nodes so far, including the solver's."""
        return int(self._memory.nodes)

    def clear(self) -> None:
        """Clear the tables."""
        self._table[:] = transposition.EMPTY
        self._solver_table[:] = transposition.EMPTY

    def begin(self, nodes: int | None = None) -> None:
        """Prepare for a move: lower the flags, age the table, allow `nodes` more nodes."""
        memory = self._memory
        self._solver.flag[0] = memory.flag[0] = 0
        self._solver.age = memory.age = (memory.age + 1) % transposition.MAX_AGE
        memory.node_limit = solver_search.NO_LIMIT if nodes is None else memory.nodes + nodes

    def deepen(self, position: Position, roll: int, depths: range, *, every_move: bool = False) -> Iterator[Iteration]:
        """Search one depth after another. `every_move` finds the value of each move, not only of the best.

        Stops after an iteration that was stopped, and after the one that goes to the end of the game.
        """
        children = {move: self._after(position, move) for move in self.game.legal(position, roll)}
        results = {
            move: -POINTS * disc_difference(self.game, child) if self.game.outcome(child) != ONGOING else UNFINISHED
            for move, child in children.items()
        }
        empties = empty_squares(self.game, position)
        for depth in depths:
            to_the_end = depth > empties - SKIPPED and depths[-1] >= empties
            iteration = self._iterate(children, results, empties if to_the_end else depth, every_move)
            if not iteration.moves:
                return
            yield iteration
            if not iteration.complete or to_the_end:
                return
            known = {root.move: root.value for root in iteration.moves}
            best = iteration.best.move
            children = dict(sorted(children.items(), key=lambda item: (item[0] != best, -known[item[0]])))

    def value(self, position: Position, depth: int) -> float | None:
        """The expected disc difference of an unfinished position, searched `depth` plies deep; None if stopped."""
        value = self._search(position, depth, -LIMIT, LIMIT)
        return None if self.stopped else value / POINTS

    def line(self, position: Position, roll: int, move: int, limit: int) -> list[tuple[int, int]]:
        """The principal variation from the table as (1, move) pairs; it ends where the table has no entry."""
        line = [(1, move)]
        position = self._after(position, move)
        while len(line) < limit and self.game.outcome(position) == ONGOING:
            legal = self.game.legal(position, 1)
            slot = transposition.slot_of(self._table, position.own, position.enemy)
            known = transposition.probe(self._table, slot, position.own, position.enemy, limit - len(line)).best
            if legal != [PASS] and known not in legal:
                break
            line.append((1, PASS if legal == [PASS] else known))
            position = self._after(position, line[-1][1])
        return line

    def reaches_end(self, position: Position, depth: int) -> bool:
        """Whether a search of this depth goes to the end of the game."""
        return depth >= empty_squares(self.game, position)

    def _after(self, position: Position, move: int) -> Position:
        return Position(*self.game.play_position(position, move))

    def _iterate(
        self, children: dict[int, Position], results: dict[int, int], depth: int, every_move: bool
    ) -> Iteration:
        """Search every child; `results` has the values of those that end the game."""
        before = self.nodes
        own = numpy.array([child.own for child in children.values()], dtype=Word)
        enemy = numpy.array([child.enemy for child in children.values()], dtype=Word)
        values = numpy.array([results[move] for move in children], dtype=numpy.int64)
        finished = int(self._search_root(own, enemy, values, depth - 1, LIMIT, every_move, *self._memories()))
        found: list[RootMove] = []
        best = -LIMIT
        for move, value in zip(children, values[:finished].tolist(), strict=False):
            found.append(RootMove(move, value_of(value / POINTS), every_move or not found or value > best))
            best = max(best, value)
        return Iteration(depth, tuple(found), self.nodes - before, complete=finished == len(children))

    def _search(self, position: Position, depth: int, alpha: int, beta: int) -> int:
        return int(self._search_node(position.own, position.enemy, depth, alpha, beta, *self._memories()))

    def _memories(self) -> tuple[Any, ...]:
        return 1, self._memory, self._table, self._weights, self._solver, self._solver_table, self._busy


@functools.cache
def _build() -> tuple[Any, Any]:
    """The kernels that Python calls: one iteration at the root, and the search of one node."""
    search = midgame.build()

    @kernel
    def search_root(
        own: numpy.ndarray, enemy: numpy.ndarray, values: numpy.ndarray, below: int, limit: int, every_move: bool,
        one_ply: int, memory: midgame.MidgameMemory, table: numpy.ndarray, weights: Weights,
        solver: solver_search.Memory, solver_table: numpy.ndarray, busy: numpy.ndarray,
    ) -> int:  # fmt: skip
        """Replace UNFINISHED by the value of each child, or by an upper bound; return how many were searched."""
        best = -limit
        for index in range(len(values)):
            value = values[index]
            if value == UNFINISHED:
                beta = limit if index == 0 or every_move else -best
                alpha = -limit if index == 0 or every_move else -best - 1
                value = -search(
                    own[index], enemy[index], below, alpha, beta, one_ply, memory, table, weights, solver,
                    solver_table, busy,
                )  # fmt: skip
                if index > 0 and not every_move and value > best and memory.flag[0] == 0:
                    value = -search(
                        own[index], enemy[index], below, -limit, -best, one_ply, memory, table, weights, solver,
                        solver_table, busy,
                    )  # fmt: skip
            if memory.flag[0] != 0:
                return index
            values[index] = value
            best = max(best, value)
        return len(values)

    @kernel
    def search_node(
        own: Word, enemy: Word, depth: int, alpha: int, beta: int, one_ply: int,
        memory: midgame.MidgameMemory, table: numpy.ndarray, weights: Weights, solver: solver_search.Memory,
        solver_table: numpy.ndarray, busy: numpy.ndarray,
    ) -> int:  # fmt: skip
        return search(own, enemy, depth, alpha, beta, one_ply, memory, table, weights, solver, solver_table, busy)

    return search_root, search_node
