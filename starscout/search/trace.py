"""Search trace for teaching: alpha-beta with Star1 that records every node, its window and why it ended.

The plain algorithm for a few plies, without table, move ordering or iterative deepening. Values are the mover's
expected result in [−1, 1]; a node that was cut off has only a bound.

    decision   children are moves; a child whose value reaches beta ends the node: the opponent avoids it
    chance     children are events; Star1 ends the node when the events that are left cannot bring it into the window
"""

from dataclasses import dataclass, field

from starscout.evaluation.evaluation import Evaluation
from starscout.game import NOT_ROLLED, ONGOING, Game, GameError, Position
from starscout.game.chance import ONLY_EVENT
from starscout.game.values import ONE

MAX_NODES = 20_000
MAX_TRACE_DEPTH = 6

LEAF, OVER, CUT, SEARCHED, SKIPPED = "leaf", "over", "cut", "searched", "skipped"
"""Status of a node: evaluated, game over, cut off, fully searched, or skipped because its parent was cut off."""


@dataclass
class Node:
    """A node; value and window are those of the side to move in it."""

    label: str
    """The move or the event that leads to it."""
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
        self._path: list[object] = []
        """Repetition keys of the positions above a node."""

    def chance(self, position: Position, depth: int, alpha: float, beta: float, label: str) -> Node:
        """Search a position before its event; without events it is a decision node."""
        game = self._game
        result = game.outcome(position)
        # A finished game is displayed as a node of the same kind as the others.
        has_events = game.has_chance and (result != ONGOING or game.events(position) > 0)
        node = Node(label, "chance" if has_events else "decision", alpha, beta)
        self._count()
        if result != ONGOING:
            node.fate, node.value = OVER, result / game.points
            return node
        here = game.repetition_key(position) if game.repetition else None
        if here is not None and here in self._path:
            node.fate, node.value = OVER, 0.0
            return node
        if depth == 0:
            node.fate, node.value = LEAF, self._evaluation.value(position) / ONE
            return node
        self._path.append(here)
        if has_events:
            self._star1(node, position, depth)
        else:
            self._decide(node, position, NOT_ROLLED if game.has_chance else ONLY_EVENT, depth)
        self._path.pop()
        return node

    def decision(self, position: Position, roll: int, depth: int, alpha: float, beta: float, label: str) -> Node:
        """Search a position after its event."""
        self._count()
        node = Node(label, "decision", alpha, beta)
        result = self._game.outcome(position)
        if result != ONGOING:
            node.fate, node.value = OVER, result / self._game.points
            return node
        return self._decide(node, position, roll, depth)

    def _decide(self, node: Node, position: Position, roll: int, depth: int) -> Node:
        game, best = self._game, -2.0
        alpha = node.alpha
        for move in game.legal(position, roll):
            label = game.format_move(position, move)
            if best >= node.beta:
                node.children.append(Node(label, "decision", alpha, node.beta, SKIPPED))
                continue
            following = game.play_position(position, move)
            sign, low = game.sign(position, following), max(alpha, best)
            window = (-node.beta, -low) if sign < 0 else (low, node.beta)
            child = self.chance(following, depth - 1, *window, label)
            node.children.append(child)
            best = max(best, sign * _known(child))
            alpha = max(alpha, best)
        node.value = best
        if best >= node.beta:
            node.fate, node.bound = CUT, "=" if best == 1.0 else "≥"
        elif best <= node.alpha and node.alpha > -1.0:
            node.bound = "≤"
        return node

    def _star1(self, node: Node, position: Position, depth: int) -> Node:
        """Bound the mean by values of −1 and 1 for the events that are not searched yet."""
        game = self._game
        groups = [game.group(position, index) for index in range(game.groups(position))]
        weights = float(game.total(position))
        total, left = 0.0, weights
        for event, weight in ((int(event), int(weight)) for event, weight in groups):
            text = game.format_event(position, event)
            label = text if weight == 1 else f"{text} (×{weight})"
            if node.fate == CUT:
                node.children.append(Node(label, "decision", node.alpha, node.beta, SKIPPED))
                continue
            left -= weight
            low = (node.alpha * weights - total - left) / weight
            high = (node.beta * weights - total + left) / weight
            decision = game.resolve_position(position, event)
            mirrored = decision.mover != position.mover
            window = (max(low, -1.0), min(high, 1.0))
            if mirrored:
                window = (-window[1], -window[0])
            child = self.decision(decision, NOT_ROLLED if game.resolves else event, depth, *window, label)
            node.children.append(child)
            value = -_known(child) if mirrored else _known(child)
            bound = {"≤": "≥", "≥": "≤"}.get(child.bound, "=") if mirrored else child.bound
            if value >= high and bound != "≤":
                node.fate, node.bound, node.value = CUT, "≥", (total + weight * value - left) / weights
            elif value <= low and bound != "≥":
                node.fate, node.bound, node.value = CUT, "≤", (total + weight * value + left) / weights
            total += weight * value
        if node.fate != CUT:
            node.value = total / weights
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
    """The tree of a search `depth` plies deep, before the event (0) or after it; raises GameError if too large."""
    if not 1 <= depth <= MAX_TRACE_DEPTH:
        raise GameError(f"depth: expected 1 to {MAX_TRACE_DEPTH} plies, got {depth}")
    if game.outcome(position) != ONGOING:
        raise GameError("the game is over", code="game_over_tree")
    tracer = _Tracer(game, evaluation)
    if roll == NOT_ROLLED and game.has_chance and game.events(position) > 0:
        return tracer.chance(position, depth, -1.0, 1.0, "")
    return tracer.decision(position, roll, depth, -1.0, 1.0, "")
