"""Exact values of games with cycles, such as Pig: enumerate all reachable positions and iterate their values.

Depth-first search never reaches the end of a game in which positions recur. Value iteration does not need an end: it
starts with the bounds −1 and 1 of every position and repeats

    bounds(position) = mean over the events, by weight, of the best ±bounds(next position)

until the two bounds of every position differ by less than the tolerance. Each bound is valid after every sweep, so half
the difference bounds the error of the result. The bounds do not meet if the players can continue forever without loss.

A node is a position before its event, found by its key. The values of finished games precede those of the nodes, so
that one index can refer to either.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any

import numpy

from starscout.errors import GameError
from starscout.game import NOT_ROLLED, ONGOING, Game, Position, new_row
from starscout.game.stepping import build_reader
from starscout.kernels.bits import Word, integer, mix
from starscout.kernels.kernel import kernel, unroll
from starscout.kernels.stop_flags import raised, stoppable

TOLERANCE = 1e-10
MOST_POSITIONS = 5_000_000
MOST_SWEEPS = 20_000
EMPTY = -1
_CHUNK = 20_000
"""Positions per call of the kernel; the arrays grow and the deadline is checked between the calls."""
_SWEEPS = 10
"""Sweeps per call."""

Array = Any


@dataclass(frozen=True)
class IteratedValues:
    """The values of all positions that can follow a start."""

    game: Game
    positions: int
    sweeps: int
    error: float
    """An upper bound of the error of every value."""
    _keys: Array
    _slots: Array
    _values: Array

    def value(self, position: Position) -> float:
        """The mover's expected result in [−1, 1] before the event; raises GameError for an unknown position."""
        result = int(self.game.outcome(position))
        if result != ONGOING:
            return result / self.game.points
        first, second = (Word(word) for word in self.game.key(position))
        node = int(_find(self._keys, self._slots, first, second))
        if node == EMPTY:
            raise GameError(f"{self.game.format(position, NOT_ROLLED)!r} does not follow the start of the iteration")
        return float(self._values[2 * self.game.points + 1 + node])

    def move_values(self, decision: Position, event: int) -> dict[int, float]:
        """Legal move → the mover's expected result, in a decision after its event."""
        values = {}
        for move in self.game.legal(decision, event):
            following = self.game.play_position(decision, move)
            values[move] = self.game.sign(decision, following) * self.value(following)
        return values


def solve_by_iteration(
    game: Game,
    start: Position,
    *,
    tolerance: float = TOLERANCE,
    most: int = MOST_POSITIONS,
    seconds: float | None = None,
) -> IteratedValues:
    """The values of a start that is not over and of all positions that can follow it.

    Raises GameError if there are more than `most` positions, if it takes more than `seconds`, if the bounds do not
    meet, or if values depend on the path because of a repetition rule.
    """
    if game.repetition:
        raise GameError(f"{game.name}: value iteration: expected a game without a repetition rule")
    deadline = None if seconds is None else monotonic() + seconds
    graph = _enumerate(game, start, most, deadline)
    nodes, first = graph.positions, 2 * game.points + 1
    ends = (numpy.arange(first) - game.points) / game.points
    lower = numpy.concatenate([ends, numpy.full(nodes, -1.0)])
    upper = numpy.concatenate([ends, numpy.full(nodes, 1.0)])
    gap, sweeps = 2.0, 0
    with stoppable() as flag:
        while gap > tolerance:
            before = gap
            gap = float(_sweep(lower, upper, first, *graph.edges(), _SWEEPS, flag))
            sweeps += _SWEEPS
            if deadline is not None and monotonic() > deadline:
                raise GameError(f"{game.name}: value iteration: not finished after {seconds:g} s, {sweeps} sweeps")
            if sweeps >= MOST_SWEEPS or (gap == before and gap > tolerance):
                raise GameError(
                    f"{game.name}: value iteration: the bounds stay {gap:.3g} apart after {sweeps} sweeps; "
                    "the players may be able to play forever"
                )
    return IteratedValues(game, nodes, sweeps, gap / 2.0, graph.keys, graph.slots, (lower + upper) / 2.0)


class _Graph:
    """The reachable nodes: keys in a hash table, groups of events and edges in consecutive rows."""

    def __init__(self, fields: int) -> None:
        self.positions = 0
        self.words: Array = numpy.zeros((_CHUNK, fields), dtype=Word)
        self.keys: Array = numpy.zeros((_CHUNK, 2), dtype=Word)
        self.slots: Array = numpy.full(1 << 16, EMPTY, dtype=numpy.int32)
        self.groups: Array = numpy.zeros(_CHUNK + 1, dtype=numpy.int64)
        """[node] → its first group; the next node's is the end."""
        self.weights: Array = numpy.zeros(_CHUNK, dtype=numpy.float64)
        """[group] → its share of the weights, negative if the other side decides."""
        self.moves: Array = numpy.zeros(_CHUNK + 1, dtype=numpy.int64)
        """[group] → its first edge."""
        self.targets: Array = numpy.zeros(_CHUNK, dtype=numpy.int32)
        """[edge] → the index of the value, negative (~index) if it is the other side's."""

    def edges(self) -> tuple[Array, Array, Array, Array]:
        """The groups of the nodes and their edges."""
        return self.groups, self.weights, self.moves, self.targets

    def grow(self, nodes: int, groups: int, edges: int) -> None:
        """Make room for this many nodes, groups and edges."""
        self.words = _extended(self.words, nodes)
        self.keys = _extended(self.keys, nodes)
        self.groups = _extended(self.groups, nodes + 1)
        self.weights = _extended(self.weights, groups)
        self.moves = _extended(self.moves, groups + 1)
        self.targets = _extended(self.targets, edges)
        size = len(self.slots)
        while size < 2 * nodes:
            size *= 2
        if size > len(self.slots):
            self.slots = numpy.full(size, EMPTY, dtype=numpy.int32)
            _hash_again(self.keys, self.slots, self.positions)


def _extended(array: Array, rows: int) -> Array:
    """The array with at least this many rows; the capacity doubles."""
    if rows <= len(array):
        return array
    longer = numpy.zeros((max(rows, 2 * len(array)), *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer


def _enumerate(game: Game, start: Position, most: int, deadline: float | None) -> _Graph:
    expand, add = _build(game)
    graph = _Graph(len(start))
    done, groups, edges = 0, 0, 0
    graph.positions = int(add(start, graph.words, graph.keys, graph.slots, 0))
    # One node has at most this many groups and edges.
    widest, branching = game.max_events, game.max_events * game.max_moves
    chunk = max(min(_CHUNK, 2_000_000 // branching), 1)
    with stoppable() as flag:
        while done < graph.positions:
            count = min(chunk, graph.positions - done)
            graph.grow(graph.positions + count * branching, groups + count * widest, edges + count * branching)
            found = expand(
                done, count, graph.positions, groups, edges, graph.words, graph.keys, graph.slots, *graph.edges(),
                new_row(game), flag,
            )  # fmt: skip
            graph.positions, groups, edges = map(int, found)
            done += count
            if graph.positions > most:
                raise GameError(f"{game.name}: value iteration: more than {most:,} positions can follow the start")
            if deadline is not None and monotonic() > deadline:
                raise GameError(f"{game.name}: value iteration: more than {graph.positions:,} positions, out of time")
    return graph


@kernel(inline=True)
def _slot(slots: Array, keys: Array, first: Word, second: Word) -> int:
    """The slot of a key, or the empty slot where it belongs."""
    mask = len(slots) - 1
    slot = integer(mix(first ^ mix(second)) & Word(mask))
    while slots[slot] != EMPTY and (keys[slots[slot], 0] != first or keys[slots[slot], 1] != second):
        slot = (slot + 1) & mask
    return slot


@kernel
def _find(keys: Array, slots: Array, first: Word, second: Word) -> int:
    return slots[_slot(slots, keys, first, second)]


@kernel
def _hash_again(keys: Array, slots: Array, count: int) -> None:
    for node in range(count):
        slots[_slot(slots, keys, keys[node, 0], keys[node, 1])] = node


@kernel
def _sweep(
    lower: Array, upper: Array, first: int, groups: Array, weights: Array, moves: Array, targets: Array, sweeps: int,
    flag: Array,
) -> float:  # fmt: skip
    """Update both bounds in place, the last nodes first: they are nearer to the end. Returns the largest difference."""
    gap = 0.0
    for _ in range(sweeps):
        gap = 0.0
        for node in range(len(lower) - first - 1, -1, -1):
            if lower[first + node] == upper[first + node]:
                continue
            least, most = 0.0, 0.0
            for group in range(groups[node], groups[node + 1]):
                low, high = -2.0, -2.0
                for edge in range(moves[group], moves[group + 1]):
                    target = targets[edge]
                    if target >= 0:
                        low, high = max(low, lower[target]), max(high, upper[target])
                    else:
                        low, high = max(low, -upper[~target]), max(high, -lower[~target])
                weight = weights[group]
                if weight > 0.0:
                    least += weight * low
                    most += weight * high
                else:
                    least += weight * high
                    most += weight * low
            # Rounding must not move a bound past the other bound, or backwards.
            lower[first + node] = max(lower[first + node], min(least, upper[first + node]))
            upper[first + node] = min(upper[first + node], max(most, lower[first + node]))
            gap = max(gap, upper[first + node] - lower[first + node])
        if raised(flag) != 0:
            break
    return gap


@functools.cache
def _build(game: Game) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The kernels that expand a range of nodes, and that add a node."""
    outcome, moves, play, group, groups_of = game.outcome, game.moves, game.play, game.group, game.groups
    total, resolve, resolves, sign, key = game.total, game.resolve, game.resolves, game.sign, game.key
    points, first_node = game.points, 2 * game.points + 1
    read = build_reader(game.position)

    @kernel(inline=True)
    def add_node(position: Position, words: Array, keys: Array, slots: Array, count: int) -> tuple[int, int]:
        """The node of a position, and the number of nodes."""
        first, second = key(position)
        slot = _slot(slots, keys, first, second)
        if slots[slot] == EMPTY:
            slots[slot] = count
            keys[count, 0], keys[count, 1] = first, second
            field = 0
            for number in unroll(position):
                words[count, field] = Word(number)
                field += 1  # noqa: SIM113 (Numba unrolls only a plain tuple)
            count += 1
        return integer(slots[slot]), count

    @kernel
    def add(position: Position, words: Array, keys: Array, slots: Array, count: int) -> int:
        return add_node(position, words, keys, slots, count)[1]

    @kernel
    def expand(
        begin: int, many: int, count: int, groups: int, edges: int, words: Array, keys: Array, slots: Array,
        group_of: Array, weights: Array, edge_of: Array, targets: Array, row: Array, flag: Array,
    ) -> tuple[int, int, int]:  # fmt: skip
        """Write the groups and edges of some nodes; returns the numbers of nodes, groups and edges."""
        for node in range(begin, begin + many):
            if raised(flag) != 0:
                break
            position = read(words[node])
            for index in range(groups_of(position)):
                event, weight = group(position, index)
                decision = resolve(position, event)
                share = weight / total(position)
                weights[groups] = share if decision.mover == position.mover else -share
                result = outcome(decision) if resolves else ONGOING
                if result != ONGOING:
                    targets[edges] = result + points
                    edges += 1
                else:
                    for place in range(moves(decision, event, row)):
                        following = play(decision, row[place])
                        result = outcome(following)
                        if result != ONGOING:
                            target = result + points
                        else:
                            found, count = add_node(following, words, keys, slots, count)
                            target = first_node + found
                        targets[edges] = target if sign(decision, following) > 0 else ~target
                        edges += 1
                groups += 1
                edge_of[groups] = edges
            group_of[node + 1] = groups
        return count, groups, edges

    return expand, add
