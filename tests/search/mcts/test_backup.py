"""Backed-up sums and means against hand-computed values."""

import numpy
import pytest

from starscout.search.mcts.tree import (
    MEAN,
    SQUARE,
    Sums,
    Tree,
    add_sums,
    exact_sums,
    make_node,
    merge,
    negate,
    new_tree,
    no_sums,
)

pytestmark = pytest.mark.plain


def test_exact_values_repeat_and_scores_are_divided_by_the_root_of_the_plies() -> None:
    assert exact_sums(-1.0, 3, 4) == (3, -3.0, 3.0, -1.5, 0.75)


def test_merge_and_negate() -> None:
    one, other = Sums(2, 1.0, 2.0, 0.5, 0.25), Sums(3, -3.0, 3.0, -1.0, 1.0)
    assert merge(no_sums(), one) == one
    assert merge(one, other) == (5, -2.0, 5.0, -0.5, 1.25)
    assert negate(one) == (2, -1.0, 2.0, -0.5, 0.25)


def node(visits: int, mean: float, square: float) -> Tree:
    tree = new_tree(1000, numpy.float64, False, False)
    make_node(tree, 0, 0, 1, -1.0, 1.0)
    tree.visits[0] = visits
    tree.statistics[0, MEAN], tree.statistics[0, SQUARE] = mean, square
    return tree


def test_add_sums_updates_the_means() -> None:
    tree = node(6, 0.5, 1.0)
    add_sums(tree, 0, Sums(2, -1.0, 0.5, 0.0, 0.0), 0, False)
    # (6·0.5 − 1) / 8 and (6·1 + 0.5) / 8
    assert tree.visits[0] == 8
    assert tree.statistics[0, :2].tolist() == pytest.approx([0.25, 0.8125])


def test_virtual_visits_are_counted_once() -> None:
    tree = node(10, 0.5, 1.0)
    add_sums(tree, 0, Sums(2, -1.0, 0.5, 0.0, 0.0), 4, False)
    assert tree.visits[0] == 8
    # Another thread has overwritten the virtual visits: the node has at least the visits of these sums.
    tree = node(1, 0.5, 1.0)
    add_sums(tree, 0, Sums(2, -1.0, 0.5, 0.0, 0.0), 4, False)
    assert tree.visits[0] == 2
