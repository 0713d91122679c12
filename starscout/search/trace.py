"""Search trace for teaching: alpha-beta with Star1 that records every node, its window and why it ended.

The plain algorithm for a few plies, without table, move ordering or iterative deepening. Values are the mover's
expected result in [−1, 1]; a node that was cut off has only a bound.

    decision   children are moves; a child whose value reaches beta ends the node: the opponent avoids it
    chance     children are rolls; Star1 ends the node when the rolls that are left cannot bring it into the window
"""

from dataclasses import dataclass, field

from starscout.evaluation.evaluation import Evaluation
from starscout.game import NOT_ROLLED, ONGOING, Game, GameError, Position
from starscout.game.values import ONE

MAX_NODES = 20_000
MAX_TRACE_DEPTH = 6

LEAF, OVER, CUT, SEARCHED, SKIPPED = "leaf", "over", "cut", "searched", "skipped"
"""Fate of a node: evaluated, game over, cut off, fully searched, or skipped because its parent was cut off."""


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


class _Tracer:
    def __init__(self, game: Game, evaluation: Evaluation) -> None:
        self._game, self._evaluation = game, evaluation
        self.nodes = 0

    def chance(self, position: Position, depth: int, alpha: float, beta: float, label: str) -> Node:
        """Search a position before its roll; without dice it is a decision node."""
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
        """Search a position after its roll."""
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
        """Bound the mean by values of −1 and 1 for the rolls that are not searched yet."""
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
        if self.nodes > MAX_NODES:
            raise GameError(
                f"tree: more than {MAX_NODES:,} nodes; choose a smaller depth",
                code="tree_too_large", count=MAX_NODES,
            )  # fmt: skip


def _known(node: Node) -> float:
    assert node.value is not None
    return node.value


def trace_search(game: Game, evaluation: Evaluation, position: Position, roll: int, depth: int) -> Node:
    """The tree of a search `depth` plies deep, before the roll (0) or after it; raises GameError if it is too large."""
    if not 1 <= depth <= MAX_TRACE_DEPTH:
        raise GameError(f"depth: expected 1 to {MAX_TRACE_DEPTH} plies, got {depth}")
    if game.outcome(position) != ONGOING:
        raise GameError("the game is over", code="game_over_tree")
    tracer = _Tracer(game, evaluation)
    if roll == NOT_ROLLED and game.has_dice:
        return tracer.chance(position, depth, -1.0, 1.0, "")
    return tracer.decision(position, roll, depth, -1.0, 1.0, "")
