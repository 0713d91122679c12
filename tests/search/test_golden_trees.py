"""Golden trees: the same seed grows the same tree, compiled and in plain Python.

A commit that means to change them writes the file again: `python -m tests.search.test_golden_trees`.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from starscout.game import NOT_ROLLED
from starscout.games import load
from starscout.search.mcts.result import tree_as_dictionary
from tests.search.mcts.monte_carlo import monte_carlo

pytestmark = pytest.mark.plain

FILE = Path(__file__).with_name("golden_trees.json")
SIMULATIONS, SEED, DEPTH = 250, 3, 1

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "ucb": ("ewn-3x3-3", {}),
    "ucb-variance, enumerated": ("ewn-3x3-3", {"rule": "ucb-variance", "chance": "enumerated"}),
    "all children of a leaf": ("ewn-3x3-3", {"rule": "ucb-variance-scaled", "leaf": 5, "expand": "all"}),
    "rave": ("ewn-3x3-3", {"rule": "rave", "schedule": "error", "k": 100, "c": 0.2}),
    "pruned by visits": ("othello-4x4", {"prune": "visits", "period": 60, "factor": 2.0}),
    "pruned by deviation": ("othello-4x4", {"prune": "deviation", "period": 20, "rd": 0.2, "trials": 20}),
    "in bursts": ("ewn-3x3-3", {"burst": 2}),
}


def grow(case: str) -> dict[str, Any]:
    name, settings = CASES[case]
    game = load(name)
    search = monte_carlo(game, SEED, nodes=5000, **settings)
    position, roll = game.start_position(2), NOT_ROLLED if game.has_chance else 1
    search.run(position, roll, simulations=SIMULATIONS)
    return rounded(tree_as_dictionary(game, search.trees[0], position, roll, DEPTH))


def rounded(entry: dict[str, Any]) -> dict[str, Any]:
    return {**entry, "value": round(entry["value"], 9), "children": [rounded(child) for child in entry["children"]]}


def marks(case: str) -> tuple[pytest.MarkDecorator, ...]:
    """A search of another game is another compilation; with bounds checks one case is enough."""
    if case == "ucb":
        return (pytest.mark.bounds,)
    return () if CASES[case][0] == CASES["ucb"][0] else (pytest.mark.slow_compiled,)


@pytest.mark.parametrize("case", [pytest.param(case, marks=marks(case)) for case in CASES])
def test_the_tree_is_the_golden_one(case: str) -> None:
    assert grow(case) == json.loads(FILE.read_text(encoding="utf-8"))[case]


def test_the_golden_trees_cover_pruning_and_chance() -> None:
    golden = json.loads(FILE.read_text(encoding="utf-8"))
    assert any(child["pruned"] for child in golden["pruned by visits"]["children"])
    assert golden["ucb"]["kind"] == "chance"
    assert {child["kind"] for child in golden["ucb"]["children"]} == {"decision"}


if __name__ == "__main__":
    FILE.write_text(json.dumps({case: grow(case) for case in CASES}, separators=(",", ":")) + "\n", encoding="utf-8")
