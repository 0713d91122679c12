"""Results of a Monte-Carlo search: the moves of the root with values, confidence intervals and proven bounds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from starscout.search.mcts.tree import LOWER, MEAN, SQUARE, UPPER, Tree

CONFIDENCE = 1.959964
"""Standard errors on either side of a value in a 95 % confidence interval."""


@dataclass(frozen=True)
class RootBranch:
    """One move (or roll) of the root; values are from the view of the root's mover."""

    move: int
    visits: int
    value: float
    lower: float
    """The proven lower bound; equal to `upper` when the value is exact."""
    upper: float
    """The proven upper bound."""
    low: float
    """The lower end of the 95 % confidence interval."""
    high: float
    """The upper end of the 95 % confidence interval."""
    pruned: int
    """The simulation at which the move was pruned, by the last of the trees; 0 = not pruned in some tree."""
    weight: int
    """At a chance node: the number of rolls in the group."""

    @property
    def proven(self) -> bool:
        """Whether the value is exact."""
        return self.lower == self.upper


@dataclass(frozen=True)
class TreeResult:
    """The result of a search."""

    value: float
    proven: bool
    branches: tuple[RootBranch, ...]
    simulations: int
    """Simulations of this search; visits of the branches may include those of earlier searches."""
    playouts: int
    """Simulations with a playout or a leaf value; the others ended at an exact value."""
    nodes: int
    depth: int
    line: tuple[int, ...]
    """The principal variation: from the final choice, the most visited moves, with the rolls between them."""


def children(tree: Tree, node: int) -> range:
    """The numbers of the children of a node."""
    start = int(tree.first[node])
    return range(start, start + int(tree.branches[node]))


def merged_branch(trees: Sequence[Tree], nodes: Sequence[int], sign: int) -> RootBranch:
    """The branch for the same node of several trees; sign −1 gives it from the view of its parent."""
    visits = [int(tree.visits[node]) for tree, node in zip(trees, nodes, strict=True)]
    rows = [tree.statistics[node] for tree, node in zip(trees, nodes, strict=True)]
    total = sum(visits)
    lower = max(float(row[LOWER]) for row in rows)
    upper = min(float(row[UPPER]) for row in rows)
    if total == 0:
        mean, error = float(rows[0][MEAN]), math.inf
    else:
        mean = sum(n * float(row[MEAN]) for n, row in zip(visits, rows, strict=True)) / total
        square = sum(n * float(row[SQUARE]) for n, row in zip(visits, rows, strict=True)) / total
        error = CONFIDENCE * math.sqrt(max(square - mean * mean, 0.0) / total)
    pruned = [int(tree.pruned[node]) for tree, node in zip(trees, nodes, strict=True)]
    ends = sorted(sign * min(max(end, lower), upper) for end in (mean - error, mean + error))
    bounds = sorted((sign * lower, sign * upper))
    return RootBranch(
        move=int(trees[0].move[nodes[0]]),
        visits=total,
        value=sign * min(max(mean, lower), upper),
        lower=bounds[0],
        upper=bounds[1],
        low=ends[0],
        high=ends[1],
        pruned=max(pruned) if all(pruned) else 0,
        weight=int(trees[0].weight[nodes[0]]),
    )


def most_visited(branches: Sequence[RootBranch]) -> RootBranch:
    """The branch with the most visits; among equals, the best value."""
    return max(branches, key=lambda branch: (branch.visits, branch.value))


def most_valued(branches: Sequence[RootBranch]) -> RootBranch:
    """The visited or proven branch with the best value; among equals, the most visits."""
    known = [branch for branch in branches if branch.visits > 0 or branch.proven]
    return max(known or branches, key=lambda branch: (branch.value, branch.visits))


def final_choice(branches: Sequence[RootBranch], proven: bool, by_value: bool) -> RootBranch:
    """The move to play, by value or by visits, among those that `select` would still follow.

    Left out are moves that cannot reach what another one guarantees, then proven losses, then pruned moves, as long as
    others are left. If the value of the position is proven, only moves with that exact value count.
    """
    guaranteed = max(branch.lower for branch in branches)
    left = [branch for branch in branches if (branch.lower if proven else branch.upper) >= guaranteed]
    left = [branch for branch in left if branch.upper > -1.0] or left
    left = [branch for branch in left if branch.pruned == 0] or left
    return most_valued(left) if by_value else most_visited(left)


def principal_line(tree: Tree, first: int, decision: bool, has_dice: bool) -> tuple[int, ...]:
    """The moves (and rolls) that lead from the root over its child `first` along the most visited nodes.

    At a decision node, moves that are pruned or lost come last; `decision` says whether the root is one.
    """

    def rank(child: int) -> tuple[bool, int]:
        left_out = decision and (tree.pruned[child] != 0 or tree.statistics[child, LOWER] == 1.0)
        return not left_out, int(tree.visits[child])

    line = [int(tree.move[first])]
    node = first
    while tree.branches[node] > 0:
        decision = not has_dice or not decision
        node = max(children(tree, node), key=rank)
        if tree.visits[node] == 0:
            break
        line.append(int(tree.move[node]))
    return tuple(line)
