"""Progressive pruning: children of a decision node that are no longer worth simulations.

A pruned child is never selected again, unless every child that is left turns out to be lost.
"""

import math

from starscout.kernel import kernel
from starscout.search.mcts_tree import SCORE, SCORE_SQUARE, Tree

NONE, VISITS, DEVIATION = range(3)

PRUNINGS = {"none": NONE, "visits": VISITS, "deviation": DEVIATION}


@kernel(inline=True)
def prune_by_visits(tree: Tree, node: int, simulation: int) -> None:
    """Drop the children whose visits are below the node's visits ÷ its branches."""
    branches = tree.branches[node]
    for child in range(tree.first[node], tree.first[node] + branches):
        if tree.pruned[child] == 0 and tree.visits[child] * branches < tree.visits[node]:
            tree.pruned[child] = simulation


@kernel(inline=True)
def score_interval(tree: Tree, node: int, rd: float) -> tuple[float, float, float]:
    """m_l = µ − r_d·σ, m_r = µ + r_d·σ and σ of the pruning score, in the view of the node's parent."""
    mean = -tree.scores[node, SCORE]
    deviation = math.sqrt(max(tree.scores[node, SCORE_SQUARE] - mean * mean, 0.0))
    return mean - rd * deviation, mean + rd * deviation, deviation


@kernel(inline=True)
def prune_by_deviation(tree: Tree, node: int, simulation: int, rd: float, sigma: float, trials: int) -> None:
    """Drop child i when a sibling j has m_r(i) < m_l(j), both deviations below `sigma` and both tried often enough."""
    start, end = tree.first[node], tree.first[node] + tree.branches[node]
    best = -math.inf
    for child in range(start, end):
        if tree.pruned[child] == 0 and tree.visits[child] >= trials:
            low, _, deviation = score_interval(tree, child, rd)
            if deviation < sigma:
                best = max(best, low)
    for child in range(start, end):
        if tree.pruned[child] == 0 and tree.visits[child] >= trials:
            _, high, deviation = score_interval(tree, child, rd)
            if deviation < sigma and high < best:
                tree.pruned[child] = simulation
