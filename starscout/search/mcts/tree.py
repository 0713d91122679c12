"""The Monte-Carlo tree: arrays with one row per node. Node 0 is the root; the children of a node are consecutive.

    decision node   a position after its event, or without events: its children are the moves
    chance node     a position before its event: its children are the groups of events

Every number of a node is from the perspective of the mover in its position, in [−1, 1]: the mean, the mean square and
the proven bounds (lower = upper: the exact value). All memory is allocated at once; pages are touched as the tree
grows.

Sums over simulations that are backed up from a leaf to the root.
"""

import math
from typing import Any, NamedTuple

import numpy

from starscout.kernels.bits import integer
from starscout.kernels.kernel import borrowed, kernel

MEAN, SQUARE, LOWER, UPPER = range(4)
SCORE, SCORE_SQUARE = range(2)
AMAF_MEAN, AMAF_VISITS = range(2)
ROOT = 0

MOST_NODES = (1 << 31) - 1
"""The largest numbers that the integers of a row can hold."""

CACHE_LINE = 64
"""Bytes that a processor fetches, or takes from another one, at once: the row of one node with float64."""

Array = Any
"""A NumPy array; its elements are numbers, which the type checker cannot infer."""


class Tree(NamedTuple):
    """The arrays; `scores`, `amaf` and `prior` have one row if the search does not need them.

    The others are fields of one array of rows: all fields of a node share a cache line, so two threads slow each other
    down only where they visit the same node.
    """

    statistics: Array
    """[node, MEAN … UPPER], float32 or float64."""
    visits: Array
    first: Array
    """The number of the first child."""
    branches: Array
    """The number of children; 0 for a leaf."""
    move: Array
    """The move (or the event) that leads to the node."""
    weight: Array
    """Below a chance node: the weight of the group. Below a decision node: the class of the move."""
    pruned: Array
    """The number of the simulation that pruned this node; 0 = not pruned."""
    chance: Array
    """1 for a chance node, 0 for a decision node."""
    sign: Array
    """1 if the mover is that of the parent, −1 if not."""
    scores: Array
    """[node, SCORE … SCORE_SQUARE]: means of the pruning score and of its square."""
    amaf: Array
    """[node, AMAF_MEAN … AMAF_VISITS]: all moves as first: the parent's results when the move was played later."""
    prior: Array
    """The prior probability of the move that leads to the node; only below decision nodes."""


def new_tree(nodes: int, precision: Any, scores: bool, amaf: bool, prior: bool = False) -> Tree:
    """Reserve space for `nodes` nodes; rows are written as nodes are made."""
    fields = [
        ("statistics", precision, 4), ("visits", numpy.int64), ("move", numpy.int64), ("pruned", numpy.int32),
        ("weight", numpy.int32), ("first", numpy.int32), ("branches", numpy.int16), ("chance", numpy.int8),
        ("sign", numpy.int8),
    ]  # fmt: skip
    row = numpy.dtype(fields)
    reserved = numpy.empty(nodes * row.itemsize + CACHE_LINE, numpy.uint8)
    shift = -reserved.ctypes.data % CACHE_LINE
    rows = reserved[shift : shift + nodes * row.itemsize].view(row)
    return Tree(
        scores=numpy.empty((nodes if scores else 1, 2), precision),
        amaf=numpy.empty((nodes if amaf else 1, 2), precision),
        prior=numpy.empty(nodes if prior else 1, precision),
        **{name: rows[name] for name in row.fields or ()},
    )


def tree_bytes(tree: Tree) -> int:
    """The bytes that the tree can fill."""
    return sum(array.nbytes for array in tree)


@kernel(inline=True)
def borrowed_tree(tree: Tree) -> Tree:
    """The same tree without reference counting; see `borrowed`."""
    return Tree(
        borrowed(tree.statistics),
        borrowed(tree.visits),
        borrowed(tree.first),
        borrowed(tree.branches),
        borrowed(tree.move),
        borrowed(tree.weight),
        borrowed(tree.pruned),
        borrowed(tree.chance),
        borrowed(tree.sign),
        borrowed(tree.scores),
        borrowed(tree.amaf),
        borrowed(tree.prior),
    )


@kernel(inline=True)
def make_node(tree: Tree, node: int, move: int, weight: int, lower: float, upper: float) -> None:
    """Write a leaf without visits and with these bounds; the mean of a proven leaf is its value.

    It is a decision node of the other side until the caller writes `chance` and `sign`.
    """
    tree.statistics[node, MEAN] = 0.5 * (lower + upper)
    tree.statistics[node, SQUARE] = 0.0
    tree.statistics[node, LOWER] = lower
    tree.statistics[node, UPPER] = upper
    tree.visits[node] = 0
    tree.first[node] = 0
    tree.branches[node] = 0
    tree.move[node] = move
    tree.weight[node] = weight
    tree.pruned[node] = 0
    tree.chance[node] = 0
    tree.sign[node] = -1
    if tree.scores.shape[0] > 1:
        tree.scores[node, SCORE] = 0.0
        tree.scores[node, SCORE_SQUARE] = 0.0
    if tree.amaf.shape[0] > 1:
        tree.amaf[node, AMAF_MEAN] = 0.0
        tree.amaf[node, AMAF_VISITS] = 0.0


@kernel(inline=True)
def is_proven(tree: Tree, node: int) -> bool:
    """Whether the exact value of the node is known."""
    return tree.statistics[node, LOWER] == tree.statistics[node, UPPER]


@kernel(inline=True)
def clamped_mean(tree: Tree, node: int) -> float:
    """The mean, clamped to the proven bounds."""
    return min(max(tree.statistics[node, MEAN], tree.statistics[node, LOWER]), tree.statistics[node, UPPER])


@kernel(inline=True)
def bounds_for_parent(tree: Tree, node: int) -> tuple[float, float]:
    """The proven bounds of a node from the perspective of its parent."""
    lower, upper = float(tree.statistics[node, LOWER]), float(tree.statistics[node, UPPER])
    return (-upper, -lower) if tree.sign[node] < 0 else (lower, upper)


@kernel(inline=True)
def refresh_bounds(tree: Tree, node: int, decision: bool, regular: bool) -> bool:
    """Set the proven bounds of a node from those of its children; returns whether they changed.

    `regular`: every move changes the side and no event does, so the signs need not be read.
    """
    start = tree.first[node]
    lower = -1.0 if decision else 0.0
    upper = -1.0 if decision else 0.0
    total = 0
    for child in range(start, start + tree.branches[node]):
        if regular:
            least, most = float(tree.statistics[child, LOWER]), float(tree.statistics[child, UPPER])
            if decision:
                least, most = -most, -least
        else:
            least, most = bounds_for_parent(tree, child)
        if decision:
            lower, upper = max(lower, least), max(upper, most)
        else:
            weight = tree.weight[child]
            lower += weight * least
            upper += weight * most
            total += weight
    if not decision:
        lower /= total
        upper /= total
    old_lower, old_upper = tree.statistics[node, LOWER], tree.statistics[node, UPPER]
    tree.statistics[node, LOWER] = lower
    tree.statistics[node, UPPER] = upper
    return tree.statistics[node, LOWER] != old_lower or tree.statistics[node, UPPER] != old_upper


@kernel(inline=True)
def copy_node(source: Tree, node: int, target: Tree, place: int) -> None:
    """Copy a node without its children."""
    for column in range(4):
        target.statistics[place, column] = source.statistics[node, column]
    target.visits[place] = source.visits[node]
    target.first[place] = 0
    target.branches[place] = 0
    target.move[place] = source.move[node]
    target.weight[place] = source.weight[node]
    target.pruned[place] = source.pruned[node]
    target.chance[place] = source.chance[node]
    target.sign[place] = source.sign[node]
    if source.prior.shape[0] > 1:
        target.prior[place] = source.prior[node]
    for column in range(2):
        if source.scores.shape[0] > 1:
            target.scores[place, column] = source.scores[node, column]
        if source.amaf.shape[0] > 1:
            target.amaf[place, column] = source.amaf[node, column]


@kernel(inline=True)
def copy_subtree(source: Tree, node: int, target: Tree) -> int:
    """Copy the subtree of `node` into `target`, where `node` becomes the root; returns the number of nodes.

    Breadth first: `first` of a copied node holds its number in the source until its children are copied.
    """
    copy_node(source, node, target, integer(ROOT))
    target.first[ROOT] = node
    # Not literals: each would be another signature to compile.
    made, place = integer(1), integer(0)
    while place < made:
        origin = target.first[place]
        children = source.branches[origin]
        target.branches[place] = children
        target.first[place] = made
        for index in range(children):
            child = source.first[origin] + index
            copy_node(source, child, target, made)
            target.first[made] = child
            made += 1
        place += 1
    return made


class Sums(NamedTuple):
    """Sums over `number` simulations, from the perspective of one node's mover."""

    number: int
    value: float
    square: float
    score: float
    score_square: float


@kernel(inline=True)
def no_sums() -> Sums:
    """The sums over no simulation."""
    return Sums(0, 0.0, 0.0, 0.0, 0.0)


@kernel(inline=True)
def exact_sums(value: float, number: int, plies: int) -> Sums:
    """The sums over `number` simulations that all end with the same value."""
    score = value / math.sqrt(max(plies, 1))
    return Sums(number, number * value, number * value * value, number * score, number * score * score)


@kernel(inline=True)
def merge(one: Sums, other: Sums) -> Sums:
    """The sums over both sets of simulations."""
    return Sums(
        one.number + other.number,
        one.value + other.value,
        one.square + other.square,
        one.score + other.score,
        one.score_square + other.score_square,
    )


@kernel(inline=True)
def negate(sums: Sums) -> Sums:
    """The sums from the perspective of the other side."""
    return Sums(sums.number, -sums.value, sums.square, -sums.score, sums.score_square)


@kernel(inline=True)
def add_sums(tree: Tree, node: int, sums: Sums, counted: int, scored: bool) -> None:
    """Update the means of a node, whose visits already include `counted` of these simulations.

    Means are updated without storing sums, so nothing can overflow.
    """
    # Another thread may have overwritten the `counted` visits: the node has at least those of these sums.
    after = max(tree.visits[node] - counted, 0) + sums.number
    tree.visits[node] = after
    tree.statistics[node, MEAN] += (sums.value - sums.number * tree.statistics[node, MEAN]) / after
    tree.statistics[node, SQUARE] += (sums.square - sums.number * tree.statistics[node, SQUARE]) / after
    if scored:
        tree.scores[node, SCORE] += (sums.score - sums.number * tree.scores[node, SCORE]) / after
        tree.scores[node, SCORE_SQUARE] += (sums.score_square - sums.number * tree.scores[node, SCORE_SQUARE]) / after
