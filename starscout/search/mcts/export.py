"""A Monte-Carlo tree as nested dictionaries (JSON) or as a Graphviz drawing.

All values are from the view of the root's mover.
"""

from typing import Any

from starscout.game import NOT_ROLLED, Game, Position
from starscout.search.mcts.result import children
from starscout.search.mcts.tree import LOWER, MEAN, ROOT, UPPER, Tree


def tree_as_dictionary(game: Game, tree: Tree, position: Position, roll: int, depth: int) -> dict[str, Any]:
    """The tree down to `depth` plies; `position` and `roll` are those of its root."""
    return _node(game, tree, ROOT, position, roll, depth, "", 1)


def _node(
    game: Game, tree: Tree, node: int, position: Position, roll: int, depth: int, label: str, sign: int
) -> dict[str, Any]:
    lower, upper = (sign * float(tree.statistics[node, column]) for column in (LOWER, UPPER))
    is_chance = game.has_dice and roll == NOT_ROLLED
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
        step = int(tree.move[child])
        if is_chance:
            below = _node(game, tree, child, position, step, depth, str(step), sign)
        else:
            after = game.play_position(position, step)
            unrolled = NOT_ROLLED if game.has_dice else roll
            below = _node(game, tree, child, after, unrolled, depth - 1, game.format_move(position, step), -sign)
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
