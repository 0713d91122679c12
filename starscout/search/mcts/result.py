"""Results of a Monte-Carlo search: the moves of the root with values, confidence intervals and proven bounds.

A Monte-Carlo tree as nested dictionaries (JSON) or as a Graphviz drawing.

All values are from the perspective of the root's mover.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from starscout.game import NOT_ROLLED, Game, Position
from starscout.search.mcts.tree import LOWER, MEAN, ROOT, SQUARE, UPPER, Tree

CONFIDENCE = 1.959964
"""Standard errors on either side of a value in a 95 % confidence interval."""


@dataclass(frozen=True)
class RootBranch:
    """One move (or event) of the root; values are from the perspective of the root's mover."""

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
    """At a chance node: the weight of the group."""

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
    """The principal variation: from the final choice, the most visited moves, with the events between them."""


def children(tree: Tree, node: int) -> range:
    """The numbers of the children of a node."""
    start = int(tree.first[node])
    return range(start, start + int(tree.branches[node]))


def merged_branch(trees: Sequence[Tree], nodes: Sequence[int], sign: int) -> RootBranch:
    """The branch for the same node of several trees; sign −1 gives it from the perspective of its parent."""
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

    Leaves out moves that cannot reach what another one guarantees, then proven losses, then pruned moves, as long as
    others remain. If the value of the position is proven, only moves with that exact value count.
    """
    guaranteed = max(branch.lower for branch in branches)
    left = [branch for branch in branches if (branch.lower if proven else branch.upper) >= guaranteed]
    left = [branch for branch in left if branch.upper > -1.0] or left
    left = [branch for branch in left if branch.pruned == 0] or left
    return most_valued(left) if by_value else most_visited(left)


def principal_line(tree: Tree, first: int) -> tuple[int, ...]:
    """The moves (and events) that lead from the root through its child `first` along the most visited nodes.

    At a decision node, moves that are pruned or lost come last.
    """

    def rank(child: int) -> tuple[bool, int]:
        most = -tree.statistics[child, LOWER] if tree.sign[child] < 0 else tree.statistics[child, UPPER]
        lost = most == -1.0
        return not (decision and (tree.pruned[child] != 0 or lost)), int(tree.visits[child])

    line = [int(tree.move[first])]
    node = first
    while tree.branches[node] > 0:
        decision = tree.chance[node] == 0
        node = max(children(tree, node), key=rank)
        if tree.visits[node] == 0:
            break
        line.append(int(tree.move[node]))
    return tuple(line)


def tree_as_dictionary(game: Game, tree: Tree, position: Position, roll: int, depth: int) -> dict[str, Any]:
    """The tree down to `depth` plies; `position` and `roll` are those of its root."""
    return _node(game, tree, ROOT, position, roll, depth, "", 1)


def _node(
    game: Game, tree: Tree, node: int, position: Position, roll: int, depth: int, label: str, sign: int
) -> dict[str, Any]:
    lower, upper = (sign * float(tree.statistics[node, column]) for column in (LOWER, UPPER))
    is_chance = bool(tree.chance[node])
    entry: dict[str, Any] = {
        "move": label,
        "kind": "chance" if is_chance else "decision",
        "visits": int(tree.visits[node]),
        "value": min(max(sign * float(tree.statistics[node, MEAN]), min(lower, upper)), max(lower, upper)),
        "proven": lower == upper,
        "pruned": int(tree.pruned[node]),
        "children": [],
    }
    for child in children(tree, node) if depth > 0 or is_chance else ():
        step, view = int(tree.move[child]), sign * int(tree.sign[child])
        if is_chance:
            after, label = game.resolve_position(position, step), game.format_event(position, step)
            below = _node(game, tree, child, after, NOT_ROLLED if game.resolves else step, depth, label, view)
        else:
            after, label = game.play_position(position, step), game.format_move(position, step)
            unrolled = NOT_ROLLED if game.has_chance else roll
            below = _node(game, tree, child, after, unrolled, depth - 1, label, view)
        entry["children"].append(below)
    return entry


def tree_as_graphviz(dictionary: dict[str, Any]) -> str:
    """The drawing of `tree_as_dictionary`: boxes are decisions, ellipses chance; dashed is pruned, double is proven."""
    lines = ["digraph tree {", '  node [fontname="sans-serif" fontsize=10];']
    _draw(dictionary, "n", lines)
    return "\n".join([*lines, "}"]) + "\n"


def _draw(entry: dict[str, Any], name: str, lines: list[str]) -> None:
    shape = "ellipse" if entry["kind"] == "chance" else "box"
    style = ' style="dashed" color="gray"' if entry["pruned"] else ""
    border = " peripheries=2" if entry["proven"] else ""
    label = f"{entry['move']}\\n{entry['visits']}\\n{entry['value']:+.3f}".removeprefix("\\n")
    lines.append(f'  {name} [shape={shape} label="{label}"{style}{border}];')
    for index, child in enumerate(entry["children"]):
        below = f"{name}_{index}"
        _draw(child, below, lines)
        lines.append(f"  {name} -> {below};")
