"""Each rule against its formula worked out by hand; ln N = 4 means about 54.6 visits of the parent."""

import math
from typing import Any

import numpy
import pytest

from starscout.search.mcts.selection import (
    ERROR,
    HAND,
    LINEAR,
    Child,
    build_score,
    choose_group,
    rave_share,
    rules_compiled_with,
    widest_group,
)
from starscout.search.mcts.settings import Settings
from starscout.search.mcts.tree import LOWER, ROOT, Tree, make_node, new_tree

pytestmark = pytest.mark.plain


def score(child: Child, **settings: Any) -> float:
    return build_score(rules_compiled_with(settings["rule"]))(child, 4.0, Settings(**settings).rules())


def child(
    visits: float, mean: float, variance: float = 0.0, amaf_visits: float = 0.0, amaf_mean: float = 0.0,
    prior: float = 0.0,
) -> Child:  # fmt: skip
    return Child(visits, mean, variance, amaf_visits, amaf_mean, prior)


def test_ucb() -> None:
    # 0.5 + 1.18·√(4/16) = 0.5 + 1.18·0.5
    assert score(child(16.0, 0.5), rule="ucb", c=1.18) == pytest.approx(1.09)


def test_ucb_variance_below_the_cap() -> None:
    # 4/64 = 0.0625, its root 0.25; 0.1 + 0.2·0.25 = 0.15 < 0.25; 0.4 + 2·√(0.0625·0.15)
    found = score(child(64.0, 0.4, 0.1), rule="ucb-variance", c=2.0, c1=0.2, c2=0.25)
    assert found == pytest.approx(0.4 + 2 * math.sqrt(0.009375))


def test_ucb_variance_at_the_cap() -> None:
    # √2·√(4/16) alone is above 0.25, so 0.5 + 1.18·√(0.25·0.25)
    found = score(child(16.0, 0.5, 0.25), rule="ucb-variance", c=1.18, c1=math.sqrt(2), c2=0.25)
    assert found == pytest.approx(0.5 + 1.18 * 0.25)


def test_the_scaled_form_multiplies_the_inner_term_by_c() -> None:
    # b = 2·√(4/64) = 0.5; min(0.1 + 0.2·0.5, 0.25) = 0.2; 0.4 + 0.5·√0.2
    found = score(child(64.0, 0.4, 0.1), rule="ucb-variance-scaled", c=2.0, c1=0.2, c2=0.25)
    assert found == pytest.approx(0.4 + 0.5 * math.sqrt(0.2))


def test_greedy_is_the_mean() -> None:
    assert score(child(16.0, 0.3), rule="greedy") == 0.3


@pytest.mark.parametrize(
    ("schedule", "share"),
    [(LINEAR, 0.75), (HAND, math.sqrt(1000 / 1750)), (ERROR, 400 / (250 + 400 + 4 * 250 * 400 / 1000))],
)
def test_rave_share(schedule: int, share: float) -> None:
    assert rave_share(schedule, 250.0, 400.0, 1000.0) == pytest.approx(share)


def test_rave_mixes_the_means() -> None:
    # β = 1 − 250/1000: 0.25·0.4 + 0.75·0.8 = 0.7, and 0.5·√(4/251)
    found = score(child(250.0, 0.4, 0.0, 9.0, 0.8), rule="rave", k=1000, c=0.5)
    assert found == pytest.approx(0.7 + 0.5 * math.sqrt(4 / 251))


def test_rave_without_other_moves_is_the_mean() -> None:
    assert score(child(250.0, 0.4), rule="rave", k=1000, c=0.0) == 0.4


def test_puct() -> None:
    # √N = e²; 0.5 + 1.5·0.3·e² / (1 + 16)
    found = score(child(16.0, 0.5, prior=0.3), rule="puct", c=1.5)
    assert found == pytest.approx(0.5 + 1.5 * 0.3 * math.exp(2) / 17)


def test_puct_without_a_prior_explores_nothing() -> None:
    assert score(child(16.0, 0.5), rule="puct", c=1.5) == 0.5


def chance_node(groups: list[tuple[int, int, float]]) -> Tree:
    """A root whose children have these weights, visits and lower bounds."""
    tree = new_tree(1000, numpy.float64, False, False)
    make_node(tree, ROOT, 0, 1, -1.0, 1.0)
    tree.first[ROOT], tree.branches[ROOT] = 1, len(groups)
    for node, (weight, visits, lower) in enumerate(groups, start=1):
        make_node(tree, node, node, weight, lower, 1.0)
        tree.visits[node] = visits
        tree.visits[ROOT] += visits
    return tree


def test_enumerated_rolls_follow_the_one_furthest_behind_its_weight() -> None:
    # With the next visit there are 12: the weights 4, 1 and 1 of 6 deserve 8, 2 and 2.
    assert choose_group(chance_node([(4, 7, -1.0), (1, 2, -1.0), (1, 2, -1.0)]), ROOT, 6, numpy.uint64(0), True) == 1
    assert choose_group(chance_node([(4, 9, -1.0), (1, 2, -1.0), (1, 0, -1.0)]), ROOT, 6, numpy.uint64(0), True) == 3


def test_a_proof_needs_the_group_whose_bounds_are_furthest_apart() -> None:
    # Weight times width: 1·2, 2·1.5 and 2·0.
    tree = chance_node([(1, 0, -1.0), (2, 0, -0.5), (2, 0, 1.0)])
    assert tree.statistics[3, LOWER] == 1.0
    assert widest_group(tree, ROOT) == 2
