"""A tree as nested dictionaries and as a drawing."""

from typing import Any

import pytest

from starscout.game import NOT_ROLLED
from starscout.games import load
from starscout.search.mcts.result import tree_as_dictionary, tree_as_graphviz
from tests.search.mcts.monte_carlo import monte_carlo

pytestmark = pytest.mark.plain

GAME = load("ewn-3x3-3")


def exported(roll: int, depth: int) -> dict[str, Any]:
    search = monte_carlo(GAME, nodes=5000)
    position = GAME.start_position(2)
    search.run(position, roll, simulations=150)
    return tree_as_dictionary(GAME, search.trees[0], position, roll, depth)


def test_values_are_from_the_view_of_the_root_and_labels_are_moves_and_rolls() -> None:
    tree = exported(2, 1)
    assert (tree["kind"], tree["visits"]) == ("decision", 150)
    assert {child["kind"] for child in tree["children"]} == {"chance"}
    position = GAME.start_position(2)
    assert [child["move"] for child in tree["children"]] == [
        GAME.format_move(position, move) for move in GAME.legal(position, 2)
    ]
    mean = sum(child["visits"] * child["value"] for child in tree["children"]) / 150
    assert mean == pytest.approx(tree["value"], abs=0.05)
    assert {roll["move"] for child in tree["children"] for roll in child["children"]} <= {"1", "2", "3"}


def test_the_drawing_has_one_box_per_node_and_one_arrow_per_edge() -> None:
    drawing = tree_as_graphviz(exported(NOT_ROLLED, 1))
    nodes = drawing.count("label=")
    assert drawing.startswith("digraph tree {")
    assert drawing.count(" -> ") == nodes - 1
    assert "shape=ellipse" in drawing
    assert "shape=box" in drawing
