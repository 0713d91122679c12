"""Alpha-beta with Star1 as a tree that can be looked at: what it searched, with which window, and why it stopped.

For students. It is the plain algorithm of a few plies, without table, ordering or iterative deepening, and it keeps
every node. Values are the mover's expected result in [−1, 1]; a node that was cut off knows a bound only.

    decision   children are moves; a child whose value reaches beta ends the node: the opponent avoids it
    chance     children are rolls; Star1 ends the node when the rolls that are left cannot bring it into the window
"""

from dataclasses import dataclass, field

from starscout.evaluation.evaluation import Evaluation
from starscout.game import NOT_ROLLED, ONGOING, Game, GameError, Position
from starscout.game.values import ONE

MOST_NODES = 20_000
DEEPEST = 6

LEAF, OVER, CUT, SEARCHED, SKIPPED = "leaf", "over", "cut", "searched", "skipped"
"""What became of a node: evaluated, finished, cut off, searched in full, or never searched as its parent was cut."""


@dataclass
class Node:
    """A node; value and window are those of the side to move in it."""

    label: str
    """The move or the roll that leads to it."""
    kind: str
    """`decision` or `chance`."""
    alpha: float
    beta: float
    fate: str = SEARCHED
    value: float | None = None
    bound: str = "="
    """`=` exact, `≥` at least, `≤` at most."""
    children: list["Node"] = field(default_factory=list)


class _Explainer:
    def __init__(self, game: Game, evaluation: Evaluation) -> None:
        self._game, self._evaluation = game, evaluation
        self.nodes = 0

    def chance(self, position: Position, depth: int, alpha: float, beta: float, label: str) -> Node:
        """A position before its roll: in a game without dice there is nothing to roll."""
        game = self._game
        node = Node(label, "chance" if game.has_dice else "decision", alpha, beta)
        self._count()
        result = game.outcome(position)
        if result != ONGOING:
            node.fate, node.value = OVER, float(result)
            return node
        if depth == 0:
            node.fate, node.value = LEAF, self._evaluation.value(position) / ONE
            return node
        if not game.has_dice:
            return self._decide(node, position, 1, depth)
        return self._star1(node, position, depth)

    def decision(self, position: Position, roll: int, depth: int, alpha: float, beta: float, label: str) -> Node:
        """A position after its roll."""
        self._count()
        return self._decide(Node(label, "decision", alpha, beta), position, roll, depth)

    def _decide(self, node: Node, position: Position, roll: int, depth: int) -> Node:
        game, best = self._game, -2.0
        alpha = node.alpha
        for move in game.legal(position, roll):
            label = game.format_move(position, move)
            if best >= node.beta:
                node.children.append(Node(label, "decision", alpha, node.beta, SKIPPED))
                continue
            child = self.chance(game.play_position(position, move), depth - 1, -node.beta, -max(alpha, best), label)
            node.children.append(child)
            best = max(best, -_known(child))
            alpha = max(alpha, best)
        node.value = best
        if best >= node.beta:
            node.fate, node.bound = CUT, "=" if best == 1.0 else "≥"
        elif best <= node.alpha and node.alpha > -1.0:
            node.bound = "≤"
        return node

    def _star1(self, node: Node, position: Position, depth: int) -> Node:
        """Every roll that is left is worth between −1 and 1: that bounds the mean before all are searched."""
        game = self._game
        groups = [game.group(position, index) for index in range(game.groups(position))]
        total, left = 0.0, float(game.faces)
        for roll, weight in ((int(roll), int(weight)) for roll, weight in groups):
            label = str(roll) if weight == 1 else f"{roll} (×{weight})"
            if node.fate == CUT:
                node.children.append(Node(label, "decision", node.alpha, node.beta, SKIPPED))
                continue
            left -= weight
            low = (node.alpha * game.faces - total - left) / weight
            high = (node.beta * game.faces - total + left) / weight
            child = self.decision(position, roll, depth, max(low, -1.0), min(high, 1.0), label)
            node.children.append(child)
            value = _known(child)
            if value >= high and child.bound != "≤":
                node.fate, node.bound, node.value = CUT, "≥", (total + weight * value - left) / game.faces
            elif value <= low and child.bound != "≥":
                node.fate, node.bound, node.value = CUT, "≤", (total + weight * value + left) / game.faces
            total += weight * value
        if node.fate != CUT:
            node.value = total / game.faces
        return node

    def _count(self) -> None:
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise GameError(
                f"the tree has more than {MOST_NODES:,} nodes: choose fewer plies",
                code="tree_too_large", count=MOST_NODES,
            )  # fmt: skip


def _known(node: Node) -> float:
    assert node.value is not None
    return node.value


def explain(game: Game, evaluation: Evaluation, position: Position, roll: int, depth: int) -> Node:
    """The tree of a search `depth` plies deep, before the roll (0) or after it; raises GameError if it is too large."""
    if not 1 <= depth <= DEEPEST:
        raise GameError(f"a tree is 1 to {DEEPEST} plies deep, not {depth}")
    if game.outcome(position) != ONGOING:
        raise GameError("the game is over: there is nothing to search", code="game_over_tree")
    explainer = _Explainer(game, evaluation)
    if roll == NOT_ROLLED and game.has_dice:
        return explainer.chance(position, depth, -1.0, 1.0, "")
    return explainer.decision(position, roll, depth, -1.0, 1.0, "")
