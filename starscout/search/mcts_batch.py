"""A batch of simulations on its way up the tree."""

import math
from typing import NamedTuple

from starscout.kernel import kernel
from starscout.search.mcts_tree import MEAN, SCORE, SCORE_SQUARE, SQUARE, Tree


class Batch(NamedTuple):
    """Sums over simulations, in the view of one node's mover."""

    number: int
    value: float
    square: float
    score: float
    score_square: float


@kernel(inline=True)
def no_batch() -> Batch:
    """The sums over nothing."""
    return Batch(0, 0.0, 0.0, 0.0, 0.0)


@kernel(inline=True)
def exact_batch(value: float, number: int, plies: int) -> Batch:
    """`number` simulations that all end with an exact value."""
    score = value / math.sqrt(max(plies, 1))
    return Batch(number, number * value, number * value * value, number * score, number * score * score)


@kernel(inline=True)
def together(one: Batch, other: Batch) -> Batch:
    """Both batches as one."""
    return Batch(
        one.number + other.number,
        one.value + other.value,
        one.square + other.square,
        one.score + other.score,
        one.score_square + other.score_square,
    )


@kernel(inline=True)
def turned(batch: Batch) -> Batch:
    """The batch in the view of the other side."""
    return Batch(batch.number, -batch.value, batch.square, -batch.score, batch.score_square)


@kernel(inline=True)
def add_batch(tree: Tree, node: int, batch: Batch, counted: int, scored: bool) -> None:
    """Move the means of a node towards the batch, of which it counts `counted` visits already; nothing can overflow."""
    # A thread may have overwritten the visits that another one had counted: the batch is there in any case.
    after = max(tree.visits[node] - counted, 0) + batch.number
    tree.visits[node] = after
    tree.statistics[node, MEAN] += (batch.value - batch.number * tree.statistics[node, MEAN]) / after
    tree.statistics[node, SQUARE] += (batch.square - batch.number * tree.statistics[node, SQUARE]) / after
    if scored:
        tree.scores[node, SCORE] += (batch.score - batch.number * tree.scores[node, SCORE]) / after
        tree.scores[node, SCORE_SQUARE] += (batch.score_square - batch.number * tree.scores[node, SCORE_SQUARE]) / after
