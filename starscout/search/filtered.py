"""Expectimax with move filters, for games with many events and many moves at each decision.

The value of a position before its event, `depth` plies deep, is the mean over all events of the value after one move:
the move that the evaluation prefers. Only the moves of the root are searched side by side. Depth 1 evaluates all of
them; before depth d the moves are kept that are among the best `width >> (d − 2)` at depth d − 1, and no more than
`margin / 2^(d − 2)` worse than the best one. GNU Backgammon searches in this way.

A full-width search multiplies the nodes of each level by about the number of moves at a decision. Its result differs
where the opponent's best reply by the evaluation is not its best reply by a search.
"""

import functools
from collections.abc import Iterator
from typing import Any

import numpy

from starscout.evaluation.evaluation import Evaluation, EvaluationKernels
from starscout.evaluation.weights import Weights
from starscout.game import ONGOING, Game, Position, new_rows
from starscout.game.values import ONE
from starscout.kernels.kernel import kernel
from starscout.search.deepening import Iteration, RootMove
from starscout.search.time_control import RAISED

DEEPEST = 8
"""Each ply multiplies the nodes by the number of events."""
LEAST_KEPT = 2
"""Number of moves that a filter always keeps."""
FLAG, NODES, NODE_LIMIT = range(3)
NO_LIMIT = numpy.iinfo(numpy.int64).max


class FilteredSearcher:
    """A search with move filters for one game and one evaluation."""

    def __init__(self, game: Game, evaluation: Evaluation, width: int, margin: float) -> None:
        self.game = game
        self._value_after = build(game, evaluation.kernels)
        self._weights = evaluation.weights
        self._width, self._margin = width, margin / game.points
        self._rows = new_rows(game, DEEPEST + 1)
        self._memory = numpy.array([0, 0, NO_LIMIT], dtype=numpy.int64)

    @property
    def flags(self) -> tuple[numpy.ndarray, ...]:
        """The stop flag."""
        return (self._memory[:1],)

    @property
    def nodes(self) -> int:
        """Number of evaluated positions."""
        return int(self._memory[NODES])

    def clear(self) -> None:
        """Does nothing: no state is kept between moves."""

    def begin(self, nodes: int | None = None) -> None:
        """Lower the flag and allow `nodes` more nodes."""
        self._memory[FLAG] = 0
        self._memory[NODE_LIMIT] = NO_LIMIT if nodes is None else self._memory[NODES] + nodes

    def deepen(self, position: Position, roll: int, depths: range, *, every_move: bool = False) -> Iterator[Iteration]:
        """Search a decision at increasing depths; `every_move` searches all moves at every depth."""
        moves = self.game.legal(position, roll)
        for depth in range(1, min(depths[-1], DEEPEST) + 1):
            before = self.nodes
            found = self._search(position, moves, depth)
            if not found:
                return
            complete = len(found) == len(moves)
            ranked = sorted(found, key=lambda root: -root.value)
            if depth in depths or not complete:
                yield Iteration(depth, tuple(ranked), self.nodes - before, complete)
            if not complete or ranked[0].value == 1.0:
                return
            kept = ranked if every_move else self._kept(ranked, depth + 1)
            if len(kept) == 1 and not every_move:
                return
            moves = [root.move for root in kept]

    def _kept(self, ranked: list[RootMove], depth: int) -> list[RootMove]:
        """The moves to search at a depth."""
        width = max(self._width >> (depth - 2), LEAST_KEPT)
        least = ranked[0].value - self._margin / 2 ** (depth - 2)
        return [root for root in ranked[:width] if root.value >= least]

    def _search(self, position: Position, moves: list[int], depth: int) -> list[RootMove]:
        """The values of the moves; if the search is stopped, of those that are finished."""
        found = []
        for move in moves:
            value = self._value_after(position, move, depth - 1, self._rows, self._memory, self._weights)
            if self._memory[FLAG]:
                break
            found.append(RootMove(move, int(value) / ONE, exact=True))
        return found

    def line(self, position: Position, roll: int, move: int, limit: int) -> list[tuple[int, int]]:
        """Only the move: there is no table from which to read replies."""
        return [(roll, move)]


@functools.cache
def build(game: Game, evaluation: EvaluationKernels) -> Any:
    """The kernel value_after(position, move, depth, rows, memory, weights) → the value of a move for its mover."""
    outcome, groups, group, moves, play = game.outcome, game.groups, game.group, game.moves, game.play
    total_weight, resolve, sign, resolves = game.total, game.resolve, game.sign, game.resolves
    alternating, result_value, evaluate = game.alternating, game.result_value, evaluation.evaluate

    @kernel
    def value_before(
        position: Position, depth: int, rows: numpy.ndarray, memory: numpy.ndarray, weights: Weights
    ) -> int:
        """The mover's value of an unfinished position before its event, `depth` ≥ 1 plies deep."""
        below, row = depth - 1, rows[depth]
        total = 0
        for index in range(groups(position)):
            event, weight = group(position, index)
            decision = resolve(position, event)
            best, chosen = -2 * ONE, decision
            result = outcome(decision) if resolves else ONGOING
            if result != ONGOING:
                best, below_chosen = result_value(result), 0
            else:
                count = moves(decision, event, row)
                memory[NODES] += count
                below_chosen = 0
                for number in range(count):
                    child = play(decision, row[number])
                    result = outcome(child)
                    if result != ONGOING:
                        value, deeper = sign(decision, child) * result_value(result), 0
                    elif below > 0 and count == 1:
                        value, deeper = 0, below
                    else:
                        value, deeper = sign(decision, child) * evaluate(child, weights), below
                    if value > best:
                        best, chosen, below_chosen = value, child, deeper
            if memory[NODES] >= memory[NODE_LIMIT]:
                memory[FLAG] = RAISED
            if memory[FLAG] != 0:
                return 0
            if below_chosen > 0:
                best = sign(decision, chosen) * value_before(chosen, below, rows, memory, weights)
            total += -weight * best if not alternating and decision.mover != position.mover else weight * best
        return total // total_weight(position)

    @kernel
    def value_after(
        position: Position, move: int, depth: int, rows: numpy.ndarray, memory: numpy.ndarray, weights: Weights
    ) -> int:
        child = play(position, move)
        result = outcome(child)
        memory[NODES] += 1
        if result != ONGOING:
            return sign(position, child) * result_value(result)
        if depth == 0:
            return sign(position, child) * evaluate(child, weights)
        return sign(position, child) * value_before(child, depth, rows, memory, weights)

    return value_after
