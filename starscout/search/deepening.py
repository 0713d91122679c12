"""Iterative deepening at the root; each iteration is yielded as it ends.

A Searcher owns the table and the memories of its threads. It never reads the clock: the caller raises the flags
(`stop_after`) or stops iterating. Helping threads search the same moves with the rolls in reverse and share the table,
so that the first thread finds about half of the work in the table. Python calls one kernel per iteration.
"""

import functools
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from starscout.evaluation.evaluation import Evaluation, EvaluationKernels
from starscout.evaluation.weights import Weights
from starscout.game import ONGOING, Game, Position, new_row
from starscout.game.values import ONE
from starscout.kernels.bits import WORD_ALL, Word
from starscout.kernels.kernel import PLAIN, first_number, kernel
from starscout.search import negascout
from starscout.search import transposition_table as transposition
from starscout.search.negascout import Memory, Switches
from starscout.search.time_control import RAISED

SMALLEST_TABLE = 0


@dataclass(frozen=True)
class RootMove:
    """A move and its value for the mover; an upper bound unless `exact`."""

    move: int
    value: float
    exact: bool


@dataclass(frozen=True)
class Iteration:
    """The result of a search of one depth; only the finished moves if it was stopped and is not `complete`."""

    depth: int
    moves: tuple[RootMove, ...]
    nodes: int
    complete: bool

    @property
    def best(self) -> RootMove:
        """The first move with the highest value."""
        return max(self.moves, key=lambda root: root.value)

    @property
    def decided(self) -> bool:
        """Whether a deeper search cannot change the choice: a move is a proven win, or all are proven losses."""
        return abs(self.best.value) == 1.0


class Searcher:
    """A search for one game and one evaluation, reused from move to move."""

    def __init__(
        self, game: Game, evaluation: Evaluation, switches: Switches, table_bits: int = 16, threads: int = 1
    ) -> None:
        self.game = game
        self._search_root, self._search_node = _build(game, evaluation.kernels)
        self._weights = evaluation.weights
        self._switches, self._hint_bits = switches, negascout.hint_bits(game)
        self._table = transposition.new_table(table_bits if switches.store != "nothing" else SMALLEST_TABLE)
        # Plain Python runs one thread at a time: helpers would only delay the first.
        threads = 1 if PLAIN else threads
        self._memories = [negascout.new_memory(game, switches, reverse=number % 2 == 1) for number in range(threads)]
        self._records = [memory[0] for memory in self._memories]
        self._rows = [(new_row(game), new_row(game)) for _ in range(threads)]
        self._history: Sequence[Position] = ()
        self._flag, self._nodes_so_far = self._memories[0]["flag"][0], self._memories[0]["nodes"]

    @property
    def flags(self) -> tuple[numpy.ndarray, ...]:
        """The stop flags of all threads."""
        return tuple(memory["flag"][0] for memory in self._memories)

    @property
    def counts(self) -> dict[str, int]:
        """Nodes, cut-offs and evaluated leaves of the first thread since `clear`."""
        return {name: int(self._memories[0][name][0]) for name in negascout.COUNTERS}

    @property
    def _nodes(self) -> int:
        return int(self._nodes_so_far[0])

    def clear(self) -> None:
        """Clear the table, the history and the counters."""
        self._table[:] = transposition.EMPTY
        for memory in self._memories:
            memory["history"] = 0
            for name in negascout.COUNTERS:
                memory[name] = 0

    def begin(self, nodes: int | None = None) -> None:
        """Prepare for a move: lower the flags, age the table and the history, allow `nodes` more nodes."""
        for memory in self._memories:
            memory["flag"] = 0
            memory["age"] = (memory["age"] + 1) % transposition.MAX_AGE
            memory["history"] >>= 2
            memory["node_limit"] = negascout.NO_LIMIT if nodes is None else memory["nodes"] + nodes

    def set_history(self, history: Sequence[Position]) -> None:
        """The earlier positions of the game, for a repetition rule."""
        self._history = history

    def set_seed(self, seed: int) -> None:
        """The seed of the draws of events (`samples`); clear the table after a change."""
        for memory in self._memories:
            memory["seed"] = seed & int(WORD_ALL)

    def _set_path_end(self, end: int, root: Position | None = None) -> None:
        """Write the keys of the game so far to the path of each thread; nodes at depth 0 are at index `end`."""
        if not self.game.repetition:
            return
        known = [*self._history] if root is None else [*self._history, root]
        keys = [self.game.repetition_key(position) for position in known]
        for memory in self._memories:
            memory["path_end"] = end
            if keys:
                memory["path"][0, : len(keys)] = keys

    @property
    def stopped(self) -> bool:
        """Whether a flag or the node limit has stopped the search."""
        return bool(self._flag[0])

    @property
    def unfinished(self) -> int:
        """The number of unfinished positions that the first thread has evaluated since `clear`.

        A search after `clear` that has evaluated none returns the exact value: every entry in the table is its own.
        """
        return int(self._memories[0]["unfinished"][0])

    def value(self, position: Position, depth: int) -> float | None:
        """The value of a position before its roll, `depth` plies deep; None if the search was stopped."""
        result = self.game.outcome(position)
        if result != ONGOING:
            return result / self.game.points
        self._set_path_end(len(self._history) + depth)
        value = self._run(self._search_node, depth, [(position, depth, -ONE, ONE)] * len(self._records))
        return None if self.stopped else value / ONE

    def deepen(self, position: Position, roll: int, depths: range, *, every_move: bool = False) -> Iterator[Iteration]:
        """Search a decision at one depth after another. `every_move` finds the value of every move.

        Stops after an iteration that was stopped or that decides the move (every move with `every_move`), and after two
        in a row that evaluated no unfinished game, because deeper ones would give the same result.
        """
        moves = self.game.legal(position, roll)
        finished = 0
        for depth in depths:
            before = self.unfinished
            iteration = self._iterate(position, moves, depth, every_move)
            if not iteration.moves:
                return
            yield iteration
            finished = finished + 1 if self.unfinished == before else 0
            decided = all(abs(root.value) == 1.0 for root in iteration.moves) if every_move else iteration.decided
            if not iteration.complete or decided or finished == 2:
                return
            # A stable sort: the best move first, the others by value; ties keep their order.
            known = {root.move: root.value for root in iteration.moves}
            best = iteration.best.move
            moves = sorted(moves, key=lambda move: (move != best, -known.get(move, -2.0)))

    def _iterate(self, position: Position, moves: list[int], depth: int, every_move: bool) -> Iteration:
        before, count = self._nodes, len(moves)
        for row, _ in self._rows:
            row[:count] = moves
        self._set_path_end(len(self._history) + depth, position)
        arguments = [(position, row, values, count, depth, ONE, every_move) for row, values in self._rows]
        finished = self._run(self._search_root, depth - 1, arguments)
        found: list[RootMove] = []
        best = -ONE
        for move, value in zip(moves, self._rows[0][1][:finished].tolist(), strict=False):
            found.append(RootMove(move, value / ONE, every_move or value > best or value == -ONE))
            best = max(best, value)
        return Iteration(depth, tuple(found), self._nodes - before, complete=not self.stopped)

    def _run(self, search: Any, depth: int, arguments: list[tuple[Any, ...]]) -> int:
        """Run a kernel with the arguments of each thread; returns the result of the first thread."""
        first, *others = self._records
        shared = self._table, self._weights
        if depth < 2 or not others:
            return int(search(*arguments[0], first, *shared))
        helpers = [
            threading.Thread(target=search, args=(*own, memory, *shared))
            for own, memory in zip(arguments[1:], others, strict=True)
        ]
        stops = [int(memory.flag[0]) for memory in others]
        for helper in helpers:
            helper.start()
        result = int(search(*arguments[0], first, *shared))
        for memory in others:
            memory.flag[0] = RAISED
        for helper in helpers:
            helper.join()
        for memory, stop in zip(others, stops, strict=True):
            memory.flag[0] = stop
        return result

    def line(self, position: Position, roll: int, move: int, limit: int) -> list[tuple[int, int]]:
        """The principal variation from the table as (roll, move) pairs, with the most likely roll at each chance node.

        It ends where the table has no move.
        """
        line: list[tuple[int, int]] = []
        while len(line) < limit:
            line.append((roll, move))
            position = self.game.play_position(position, move)
            if self.game.outcome(position) != ONGOING:
                break
            groups = [self.game.group(position, index) for index in range(self.game.groups(position))]
            index = max(range(len(groups)), key=lambda number: groups[number][1])
            roll = int(groups[index][0])
            known = self._best_move(position, index, roll)
            if known is None:
                break
            position, move = self.game.resolve_position(position, roll), known
        return line

    def _best_move(self, position: Position, index: int, roll: int) -> int | None:
        """The best move that the table has for a position and a group of events; None if it has none."""
        first, second = (Word(word) for word in self.game.key(position))
        bits = self._hint_bits
        if self._switches.store == "decision" or not bits:
            second = Word(int(second) ^ (roll * int(negascout.ROLL_SPREAD) & int(WORD_ALL)))
            index, bits = 0, transposition.MOVE_BITS
        elif not self._switches.merge:
            index = max(roll - 1, 0)
        slot = transposition.slot_of(self._table, first, second)
        best = int(transposition.probe(self._table, slot, first, second, 0).best) >> (index * bits) & ((1 << bits) - 1)
        legal = self.game.legal(self.game.resolve_position(position, roll), roll)
        return legal[best] if best < len(legal) else None


@functools.cache
def _build(game: Game, evaluation: EvaluationKernels) -> tuple[Any, Any]:
    """The kernels that Python calls: one iteration at the root, and the search of one node."""
    play, outcome, sign, result_value = game.play, game.outcome, game.sign, game.result_value
    alternating = game.alternating
    search = negascout.build_kernel(game, evaluation)

    @kernel
    def search_root(
        position: Position, moves: numpy.ndarray, values: numpy.ndarray, count: int, depth: int, most: int,
        every_move: bool, memory: Memory, table: numpy.ndarray, weights: Weights,
    ) -> int:  # fmt: skip
        """Write the value of each move, or an upper bound; return how many were searched.

        `most` is ONE: a recursive kernel that is called with a constant cannot be loaded from the cache.
        """
        best = -most
        below = depth - 1
        for index in range(count):
            child = play(position, moves[index])
            result = outcome(child)
            if result != ONGOING:
                value = sign(position, child) * result_value(result)
            else:
                if not alternating and child.mover == position.mover:
                    value = search(child, below, -most if every_move else best, most, memory, table, weights)
                else:
                    value = -search(child, below, -most, most if every_move else -best, memory, table, weights)
                if first_number(memory.flag) != 0:
                    return index
            values[index] = value
            best = max(best, value)
            if best == most and not every_move:
                return index + 1
        return count

    @kernel
    def search_node(
        position: Position, depth: int, alpha: int, beta: int, memory: Memory, table: numpy.ndarray, weights: Weights
    ) -> int:
        return search(position, depth, alpha, beta, memory, table, weights)

    return search_root, search_node
