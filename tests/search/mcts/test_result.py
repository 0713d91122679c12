"""The final choice, the principal line and merged trees, on branches and trees made by hand."""

from typing import Any

import numpy
import pytest

from starscout.search.mcts.result import RootBranch, final_choice, merged_branch, principal_line
from starscout.search.mcts.tree import ROOT, Tree, make_node, new_tree

pytestmark = pytest.mark.plain


def branch(move: int, visits: int, value: float, **changes: Any) -> RootBranch:
    fields = {"lower": -1.0, "upper": 1.0, "low": value, "high": value, "pruned": 0, "weight": 1, **changes}
    return RootBranch(move=move, visits=visits, value=value, **fields)


def chosen(*branches: RootBranch, proven: bool = False) -> tuple[int, int]:
    """The moves that are chosen by visits and by value."""
    return final_choice(branches, proven, False).move, final_choice(branches, proven, True).move


def test_a_pruned_move_is_not_chosen_while_another_is_left() -> None:
    often, good = branch(1, 900, 0.5, pruned=7), branch(2, 300, 0.6, pruned=8)
    assert chosen(often, good, branch(3, 200, 0.1)) == (3, 3)
    assert chosen(often, good, branch(3, 200, -1.0, lower=-1.0, upper=-1.0)) == (1, 2)
    assert chosen(often, good) == (1, 2)


def test_a_proof_outranks_pruning() -> None:
    # The pruned move guarantees more than the other one can reach, or is the only exact value of a proven root.
    assert chosen(branch(1, 10, 0.5, lower=0.5, upper=0.5, pruned=7), branch(2, 90, 0.1, upper=0.4)) == (1, 1)
    sure = branch(1, 10, 1.0, lower=1.0, upper=1.0, pruned=7)
    assert chosen(sure, branch(2, 90, 0.1), proven=True) == (1, 1)


def test_a_proven_loss_is_not_chosen_while_another_is_left() -> None:
    assert chosen(branch(1, 900, -1.0, upper=-1.0), branch(2, 30, -0.9)) == (2, 2)


def family(*children: tuple[int, int]) -> Tree:
    """A root whose children have these visits and were pruned by these simulations; moves are node numbers."""
    tree = new_tree(1000, numpy.float64, False, False)
    make_node(tree, ROOT, 0, 1, -1.0, 1.0)
    tree.first[ROOT], tree.branches[ROOT] = 1, len(children)
    for node, (visits, pruned) in enumerate(children, start=1):
        make_node(tree, node, node, 1, -1.0, 1.0)
        tree.visits[node], tree.pruned[node] = visits, pruned
    return tree


def test_a_move_is_pruned_when_every_tree_has_pruned_it() -> None:
    trees = family((90, 0), (10, 50), (10, 50)), family((10, 70), (90, 0), (10, 70))
    assert [merged_branch(trees, (node, node), -1).pruned for node in (1, 2, 3)] == [0, 0, 70]


def test_the_line_starts_with_the_choice_and_leaves_pruned_moves_out() -> None:
    tree = family((40, 0), (60, 0))
    tree.first[1], tree.branches[1] = 3, 2
    for node, visits, pruned in ((3, 30, 20), (4, 9, 0)):
        make_node(tree, node, node, 1, -1.0, 1.0)
        tree.visits[node], tree.pruned[node] = visits, pruned
    assert principal_line(tree, 1) == (1, 4)
    assert principal_line(tree, 2) == (2,)
