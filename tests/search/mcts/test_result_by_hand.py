"""Search results against hand-computed values of small trees."""

import math

import numpy
import pytest

from starscout.search.mcts.result import CONFIDENCE, RootBranch, children, merged_branch, most_valued, most_visited
from starscout.search.mcts.tree import MEAN, ROOT, SQUARE, Tree, make_node, new_tree

pytestmark = pytest.mark.plain


def tree_of(nodes: dict[int, tuple[int, int, float]], parents: dict[int, tuple[int, int]]) -> Tree:
    """Node → (move, visits, mean), with results ±1 only; parent → (first child, how many)."""
    tree = new_tree(100, numpy.float64, False, False)
    for node, (move, visits, mean) in nodes.items():
        make_node(tree, node, move, 1, -1.0, 1.0)
        tree.visits[node] = visits
        tree.statistics[node, MEAN], tree.statistics[node, SQUARE] = mean, 1.0
    for parent, (first, count) in parents.items():
        tree.first[parent], tree.branches[parent] = first, count
    return tree


def branch(visits: int, value: float, lower: float = -1.0, upper: float = 1.0) -> RootBranch:
    return RootBranch(0, visits, value, lower, upper, value, value, 0, 1)


def test_children_of_a_node_are_consecutive() -> None:
    tree = tree_of({ROOT: (0, 10, 0.0)}, {ROOT: (4, 3)})
    assert list(children(tree, ROOT)) == [4, 5, 6]


def test_trees_are_merged_by_their_visits() -> None:
    # 30 visits of mean 0.5 and 10 of mean −0.1: (30·0.5 − 10·0.1) / 40 = 0.35, seen by the parent −0.35.
    trees = [tree_of({1: (7, 30, 0.5)}, {}), tree_of({1: (7, 10, -0.1)}, {})]
    found = merged_branch(trees, [1, 1], -1)
    assert (found.move, found.visits) == (7, 40)
    assert found.value == pytest.approx(-0.35)
    error = CONFIDENCE * math.sqrt((1 - 0.35**2) / 40)
    assert (found.low, found.high) == (pytest.approx(-0.35 - error), pytest.approx(-0.35 + error))
    assert (found.lower, found.upper) == (-1.0, 1.0)


def test_an_unvisited_move_has_the_widest_interval() -> None:
    found = merged_branch([tree_of({1: (7, 0, 0.0)}, {})], [1], 1)
    assert (found.visits, found.low, found.high) == (0, -1.0, 1.0)


def test_bounds_proven_in_one_tree_hold_for_all() -> None:
    one, other = tree_of({1: (7, 30, 0.5)}, {}), tree_of({1: (7, 10, 0.5)}, {})
    make_node(other, 1, 7, 1, -1.0, -0.25)
    other.visits[1] = 10
    found = merged_branch([one, other], [1, 1], -1)
    # At most −0.25 for the child's mover is at least 0.25 for the parent.
    assert (found.lower, found.upper) == (0.25, 1.0)
    assert found.value == 0.25
    assert found.lower <= found.low <= found.value <= found.high


def test_the_best_by_visits_and_the_best_by_value() -> None:
    often, good, unknown = branch(50, 0.1), branch(20, 0.4), branch(0, 0.9)
    assert most_visited([often, good, unknown]) is often
    assert most_valued([often, good, unknown]) is good
    proven = branch(0, 0.9, 0.9, 0.9)
    assert most_valued([often, good, proven]) is proven
    assert most_valued([unknown]) is unknown
    assert most_visited([branch(20, 0.1), good]) is good
