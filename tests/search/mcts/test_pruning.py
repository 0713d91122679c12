"""Pruning against examples worked out by hand, on a root and its children."""

import numpy
import pytest

from starscout.search.mcts.pruning import prune, prune_by_deviation, prune_by_visits, score_interval
from starscout.search.mcts.settings import Settings
from starscout.search.mcts.tree import ROOT, Tree, make_node, new_tree

pytestmark = pytest.mark.plain


def family(visits: list[int], scores: list[tuple[float, float]] | None = None) -> Tree:
    """A root and its children with these visits and these (mean, mean square) of the score for the root's mover."""
    tree = new_tree(1000, numpy.float64, True, False)
    make_node(tree, ROOT, 0, 1, -1.0, 1.0)
    tree.first[ROOT], tree.branches[ROOT], tree.visits[ROOT] = 1, len(visits), sum(visits)
    for index, number in enumerate(visits):
        make_node(tree, 1 + index, index, 1, -1.0, 1.0)
        tree.visits[1 + index] = number
        if scores:
            mean, square = scores[index]
            tree.scores[1 + index] = -mean, square
    return tree


def pruned(tree: Tree) -> list[int]:
    return [int(number) for number in tree.pruned[1 : 1 + tree.branches[ROOT]]]


def test_by_visits_prunes_below_the_average() -> None:
    # 1,000 visits over 4 branches: 250 stays, 249 is pruned.
    tree = family([401, 250, 249, 100])
    prune_by_visits(tree, ROOT, 1000)
    assert pruned(tree) == [0, 0, 1000, 1000]


def test_by_visits_keeps_the_simulation_that_pruned_a_child() -> None:
    tree = family([900, 100])
    prune_by_visits(tree, ROOT, 1000)
    prune_by_visits(tree, ROOT, 2000)
    assert pruned(tree) == [0, 1000]


def test_score_interval() -> None:
    # µ = 0.3, σ = √(0.13 − 0.09) = 0.2, r_d = 1.5
    low, high, deviation = score_interval(family([100], [(0.3, 0.13)]), 1, 1.5)
    assert (low, high, deviation) == pytest.approx((0.0, 0.6, 0.2))


SCORES = [(0.5, 0.26), (0.1, 0.02), (0.35, 0.1325)]
"""σ = 0.1, 0.1 and 0.1: intervals [0.4, 0.6], [0.0, 0.2] and [0.25, 0.45] with r_d = 1."""


def test_by_deviation_prunes_an_interval_below_that_of_a_sibling() -> None:
    tree = family([100, 100, 100], SCORES)
    prune_by_deviation(tree, ROOT, 7, 1.0, 2.0, 100)
    assert pruned(tree) == [0, 7, 0]


def test_by_deviation_waits_for_trials() -> None:
    tree = family([100, 99, 100], SCORES)
    prune_by_deviation(tree, ROOT, 7, 1.0, 2.0, 100)
    assert pruned(tree) == [0, 0, 0]


def test_by_deviation_needs_small_deviations_of_both() -> None:
    tree = family([100, 100, 100], SCORES)
    prune_by_deviation(tree, ROOT, 7, 1.0, 0.09, 100)
    assert pruned(tree) == [0, 0, 0]


def test_a_smaller_factor_prunes_more() -> None:
    tree = family([100, 100, 100], SCORES)
    prune_by_deviation(tree, ROOT, 7, 0.5, 2.0, 100)
    # Half the width: [0.45, 0.55], [0.05, 0.15] and [0.3, 0.4].
    assert pruned(tree) == [0, 7, 7]


@pytest.mark.parametrize(("added", "expected"), [(1, [0, 0]), (3, [0, 0]), (4, [0, 9]), (1500, [0, 9])])
def test_pruning_is_due_when_the_visits_pass_a_multiple_of_the_period(added: int, expected: list[int]) -> None:
    # 1,003 visits: the last three came after the multiple.
    tree = family([900, 103])
    prune(tree, ROOT, added, 9, Settings(prune="visits", period=1000).rules())
    assert pruned(tree) == expected
