"""The Monte-Carlo tree: arrays with a row a node. Node 0 is the root, the children of a node lie side by side.

    decision node   a position whose die lies: its children are the moves
    chance node     a position before the roll: its children are the groups of rolls (games with dice only)

Every number of a node is in the view of the mover of its position, in [−1, 1]: mean, mean square, and the bounds that
are proven (lower = upper: the exact value). All of the memory is reserved at once and touched as the tree grows.
"""

from typing import Any, NamedTuple

import numpy

from starscout.kernel import kernel

MEAN, SQUARE, LOWER, UPPER = range(4)
SCORE, SCORE_SQUARE = range(2)
AMAF_MEAN, AMAF_VISITS = range(2)
ROOT = 0

MOST_NODES, MOST_BRANCHES = (1 << 31) - 1, (1 << 15) - 1
"""What the integers of a row can number."""

CACHE_LINE = 64
"""Bytes that processors fetch, and take away from one another, together: with float64, just the row of a node."""

Array = Any
"""A NumPy array; its elements are numbers, which the type checker cannot see."""


class Tree(NamedTuple):
    """The arrays; `scores` and `amaf` have one row when the search does not need them.

    The others are the fields of one array of rows: a node lies together, and two threads disturb each other only where
    they visit the same node.
    """

    statistics: Array
    """[node, MEAN … UPPER], float32 or float64."""
    visits: Array
    first: Array
    """The number of the first child."""
    branches: Array
    """How many children there are; 0 for a leaf."""
    move: Array
    """The move (or the roll) that leads here."""
    weight: Array
    """Below a chance node: how many rolls this one stands for. Below a decision node: the class of the move."""
    pruned: Array
    """The number of the simulation that pruned this node; 0 = not pruned."""
    scores: Array
    """[node, SCORE … SCORE_SQUARE]: means of the pruning score and of its square."""
    amaf: Array
    """[node, AMAF_MEAN … AMAF_VISITS]: results, for the parent, of all simulations in which the move came later."""


def new_tree(nodes: int, precision: Any, scores: bool, amaf: bool) -> Tree:
    """Room for `nodes` nodes; the contents are set as nodes are made."""
    fields = [
        ("statistics", precision, 4), ("visits", numpy.int64), ("pruned", numpy.int64), ("move", numpy.int64),
        ("first", numpy.int32), ("branches", numpy.int16), ("weight", numpy.int16),
    ]  # fmt: skip
    row = numpy.dtype(fields)
    reserved = numpy.empty(nodes * row.itemsize + CACHE_LINE, numpy.uint8)
    shift = -reserved.ctypes.data % CACHE_LINE
    rows = reserved[shift : shift + nodes * row.itemsize].view(row)
    return Tree(
        scores=numpy.empty((nodes if scores else 1, 2), precision),
        amaf=numpy.empty((nodes if amaf else 1, 2), precision),
        **{name: rows[name] for name in row.fields or ()},
    )


def memory(tree: Tree) -> int:
    """The bytes that the tree can fill."""
    return sum(array.nbytes for array in tree)


@kernel(inline=True)
def make_node(tree: Tree, node: int, move: int, weight: int, lower: float, upper: float) -> None:
    """A leaf without visits and with these bounds; a proven leaf has its value as mean."""
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
    """The mean, moved into the proven bounds."""
    return min(max(tree.statistics[node, MEAN], tree.statistics[node, LOWER]), tree.statistics[node, UPPER])


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
    for column in range(2):
        if source.scores.shape[0] > 1:
            target.scores[place, column] = source.scores[node, column]
        if source.amaf.shape[0] > 1:
            target.amaf[place, column] = source.amaf[node, column]


@kernel(inline=True)
def copy_subtree(source: Tree, node: int, target: Tree) -> int:
    """Copy the subtree of `node` into `target`, where it is the root; returns the number of nodes.

    Breadth first: `first` of a copied node holds its number in the source until its children are copied.
    """
    copy_node(source, node, target, ROOT)
    target.first[ROOT] = node
    made = 1
    place = 0
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
