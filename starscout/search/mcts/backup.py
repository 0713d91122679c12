"""Sums over simulations that are backed up from a leaf to the root."""

import math
from typing import NamedTuple

from starscout.kernels.kernel import kernel
from starscout.search.mcts.tree import MEAN, SCORE, SCORE_SQUARE, SQUARE, Tree


class Sums(NamedTuple):
    """Sums over `number` simulations, from the view of one node's mover."""

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
    """The sums from the view of the other side."""
    return Sums(sums.number, -sums.value, sums.square, -sums.score, sums.score_square)


@kernel(inline=True)
def add_sums(tree: Tree, node: int, sums: Sums, counted: int, scored: bool) -> None:
    """Update the means of a node, whose visits already include `counted` of these simulations.

    Means are moved and no sum is stored, so nothing can overflow.
    """
    # Another thread may have overwritten the `counted` visits: the node has at least those of these sums.
    after = max(tree.visits[node] - counted, 0) + sums.number
    tree.visits[node] = after
    tree.statistics[node, MEAN] += (sums.value - sums.number * tree.statistics[node, MEAN]) / after
    tree.statistics[node, SQUARE] += (sums.square - sums.number * tree.statistics[node, SQUARE]) / after
    if scored:
        tree.scores[node, SCORE] += (sums.score - sums.number * tree.scores[node, SCORE]) / after
        tree.scores[node, SCORE_SQUARE] += (sums.score_square - sums.number * tree.scores[node, SCORE_SQUARE]) / after
