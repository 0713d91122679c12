"""Progressive pruning: exclude unpromising children of a decision node from selection.

A pruned child is not selected again, unless every other child turns out to be lost.
"""

import math

from starscout.kernels.kernel import kernel
from starscout.search.mcts.rules import Rules
from starscout.search.mcts.tree import SCORE, SCORE_SQUARE, Tree

NONE, VISITS, DEVIATION = range(3)

PRUNINGS = {"none": NONE, "visits": VISITS, "deviation": DEVIATION}


@kernel(inline=True)
def prune(tree: Tree, node: int, added: int, simulation: int, rules: Rules) -> None:
    """Prune the children of a decision node if its last `added` visits passed a multiple of the period."""
    visits = tree.visits[node]
    if rules.pruning == NONE or visits // rules.period == (visits - added) // rules.period:
        return
    if rules.pruning == VISITS:
        prune_by_visits(tree, node, simulation)
    else:
        prune_by_deviation(tree, node, simulation, rules.rd, rules.sigma, rules.trials)


@kernel(inline=True)
def prune_by_visits(tree: Tree, node: int, simulation: int) -> None:
    """Prune the children with fewer visits than the node's visits ÷ its branches."""
    branches = tree.branches[node]
    for child in range(tree.first[node], tree.first[node] + branches):
        if tree.pruned[child] == 0 and tree.visits[child] * branches < tree.visits[node]:
            tree.pruned[child] = simulation


@kernel(inline=True)
def score_interval(tree: Tree, node: int, rd: float) -> tuple[float, float, float]:
    """m_l = µ − r_d·σ, m_r = µ + r_d·σ and σ of the pruning score, from the view of the node's parent."""
    mean = -tree.scores[node, SCORE]
    deviation = math.sqrt(max(tree.scores[node, SCORE_SQUARE] - mean * mean, 0.0))
    return mean - rd * deviation, mean + rd * deviation, deviation


@kernel(inline=True)
def prune_by_deviation(tree: Tree, node: int, simulation: int, rd: float, sigma: float, trials: int) -> None:
    """Prune child i if a sibling j has m_r(i) < m_l(j); both need `trials` visits and σ below `sigma`."""
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
