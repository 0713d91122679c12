"""Progressive pruning, and the parameters that the kernels of a Monte-Carlo search read (`Settings.rules`).

Progressive pruning excludes unpromising children of a decision node from selection. A pruned child is not selected
again, unless every other child turns out to be lost.
"""

import math
from typing import NamedTuple

from starscout.kernels.kernel import kernel
from starscout.search.mcts.tree import SCORE, SCORE_SQUARE, Tree


class Rules(NamedTuple):
    """The numbers that the loop reads: the settings as the kernels need them."""

    rule: int
    """The number of the selection rule among those it is compiled with."""
    amaf: bool
    """Whether the rule reads all-moves-as-first means, so that the loop records them."""
    c: float
    """Weight of exploration."""
    c1: float
    """Variance rules: weight of the uncertainty of the variance."""
    c2: float
    """Variance rules: the largest variance."""
    fpu: float
    """The score of a child without visits."""
    schedule: int
    """RAVE: how the all-moves-as-first mean fades: LINEAR, HAND or ERROR."""
    k: float
    """RAVE: how slowly it fades."""
    class_factor: float
    """Factor of the score of first-class moves."""
    pruning: int
    """NONE, VISITS or DEVIATION."""
    period: int
    """Pruning is considered each time the visits of a node pass a multiple of this."""
    rd: float
    """Pruning by deviation: half-width of the interval, in deviations."""
    sigma: float
    """Pruning by deviation: only children with a smaller deviation are compared."""
    trials: int
    """Pruning by deviation: only children with at least this many visits are compared."""
    by_plies: bool
    """Pruning by deviation: whether the score of a playout is its result ÷ √plies instead of its result."""
    leaf: int
    """Playouts from a leaf; also the visits that an exact value counts for."""
    total: int
    """Playouts to split among the children of a new node; 0: `leaf` for each child."""
    all_children: bool
    """Whether the playouts of a new node start from all its children."""
    threshold: int
    """Visits after which a leaf gets children."""
    depth: int
    """The largest depth of the tree in plies."""
    longest: int
    """Plies after which the evaluation ends a playout."""
    enumerate_rolls: bool
    """Whether events are visited in proportion to their weights instead of sampled."""
    burst: int
    """Iterations per burst."""
    leaf_share: float
    """Share of the leaf value in the result of a simulation."""


NONE, VISITS, DEVIATION = range(3)
LAST_NUMBER = (1 << 31) - 1
"""Later simulations that prune a node are recorded with this number."""

PRUNINGS = {"none": NONE, "visits": VISITS, "deviation": DEVIATION}


@kernel(inline=True)
def prune(tree: Tree, node: int, added: int, simulation: int, rules: Rules) -> None:
    """Prune the children of a decision node if its last `added` visits passed a multiple of the period."""
    visits = tree.visits[node]
    simulation = min(simulation, LAST_NUMBER)
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
    """m_l = µ − r_d·σ, m_r = µ + r_d·σ and σ of the pruning score, from the perspective of the node's parent."""
    mean = tree.sign[node] * tree.scores[node, SCORE]
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
