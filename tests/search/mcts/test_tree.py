"""The arrays of the tree: nodes, memory, and copying a subtree."""

import numpy
import pytest

from starscout.search.mcts.tree import (
    CACHE_LINE,
    ROOT,
    Tree,
    clamped_mean,
    copy_subtree,
    is_proven,
    make_node,
    new_tree,
    tree_bytes,
)

pytestmark = pytest.mark.plain


def grown() -> Tree:
    """0 → 1 2 3, 2 → 4 5, 5 → 6; the move of each node is its number."""
    tree = new_tree(1000, numpy.float64, True, True)
    for node in range(7):
        make_node(tree, node, node, 1, -1.0, 1.0)
        tree.visits[node] = 100 + node
        tree.amaf[node] = node / 10, node
    for node, first, branches in ((0, 1, 3), (2, 4, 2), (5, 6, 1)):
        tree.first[node], tree.branches[node] = first, branches
    return tree


def test_the_kept_subtree_is_the_old_one_renumbered() -> None:
    source, target = grown(), new_tree(1000, numpy.float64, True, True)
    assert copy_subtree(source, 2, target) == 4
    assert target.move[:4].tolist() == [2, 4, 5, 6]
    assert target.visits[:4].tolist() == [102, 104, 105, 106]
    assert target.branches[:4].tolist() == [2, 0, 1, 0]
    assert target.first[ROOT] == 1
    assert target.first[2] == 3
    assert target.amaf[:4, 1].tolist() == [2, 4, 5, 6]


def test_a_leaf_with_equal_bounds_is_proven_and_has_its_value() -> None:
    tree = new_tree(1000, numpy.float64, False, False)
    make_node(tree, 0, 0, 1, -1.0, 1.0)
    make_node(tree, 1, 0, 1, 1.0, 1.0)
    assert not is_proven(tree, 0)
    assert is_proven(tree, 1)
    assert clamped_mean(tree, 1) == 1.0


def test_the_mean_is_clamped_to_the_bounds() -> None:
    tree = new_tree(1000, numpy.float64, False, False)
    make_node(tree, 0, 0, 1, 0.25, 1.0)
    tree.statistics[0, 0] = -0.5
    assert clamped_mean(tree, 0) == 0.25


def test_a_node_is_a_cache_line() -> None:
    trees = [new_tree(nodes, numpy.float64, False, False) for nodes in (1000, 1001, 100_000, 100_001)]
    tree = trees[0]
    assert [tree.statistics.ctypes.data % CACHE_LINE for tree in trees] == [0, 0, 0, 0]
    assert {tree.statistics.strides[0], tree.visits.strides[0], tree.weight.strides[0]} == {CACHE_LINE}


def test_the_bytes_include_optional_arrays_only_when_they_are_used() -> None:
    bare = tree_bytes(new_tree(1000, numpy.float64, False, False))
    assert bare == 1000 * 64 + 2 * 16 + 8
    assert tree_bytes(new_tree(1000, numpy.float32, False, False)) < bare
    assert tree_bytes(new_tree(1000, numpy.float64, True, True)) == bare + 2 * 999 * 16
