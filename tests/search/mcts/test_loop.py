"""The simulation loop: exact values, proofs, seeds, sums, bursts and memory."""

from typing import Any

import numpy
import pytest

from starscout.evaluation.evaluation import zero
from starscout.game import NOT_ROLLED, ONGOING
from starscout.games import load
from starscout.search.exact import exact_moves, exact_value
from starscout.search.mcts.result import TreeResult, children
from starscout.search.mcts.tree import MEAN, ROOT, SCORE, is_proven, refresh_bounds
from tests.search.mcts.monte_carlo import monte_carlo
from tests.search.search_positions import random_positions

EWN = load("ewn-3x3-3")
OTHELLO = load("othello-4x4")
KARI = load("kari")
ZERO = zero()
TO_THE_END = 30
KARI_ENDING = "...c../.a..../....../....../....1./....0. r"

VARIANTS: dict[str, dict[str, Any]] = {
    "ucb": {},
    "variance": {"rule": "ucb-variance"},
    "variance, all children": {"rule": "ucb-variance-scaled", "leaf": 20, "expand": "all"},
    "rave": {"rule": "rave", "c": 0.5, "k": 300},
    "first-play urgency": {"fpu": 0.6, "threshold": 3},
    "enumerated rolls": {"chance": "enumerated"},
    "pruned by visits": {"prune": "visits", "period": 200},
    "in bursts": {"burst": 8},
}
ALWAYS = ("ucb", "pruned by visits")
"""Each variant is compiled separately: these in every run, the others with `make test-all`."""


@pytest.mark.parametrize("variant", [v if v in ALWAYS else pytest.param(v, marks=pytest.mark.slow) for v in VARIANTS])
def test_small_dice_games_are_solved(variant: str) -> None:
    for position in random_positions(EWN, 2, 4, seed=3):
        result = monte_carlo(EWN, **VARIANTS[variant]).run(position, NOT_ROLLED, simulations=200_000)
        assert result.proven
        assert result.value == pytest.approx(exact_value(EWN, ZERO, position, TO_THE_END), abs=1e-12)


def test_moves_after_a_roll_have_exact_values_or_true_bounds() -> None:
    for position in random_positions(EWN, 6, 4, seed=4):
        search = monte_carlo(EWN)
        result = search.run(position, 2, simulations=200_000)
        exact = exact_moves(EWN, ZERO, position, 2, TO_THE_END)
        assert result.proven
        assert exact[search.choose(result).move] == pytest.approx(max(exact.values()), abs=1e-12)
        for branch in result.branches:
            assert branch.lower - 1e-12 <= exact[branch.move] <= branch.upper + 1e-12


@pytest.mark.slow
def test_the_score_that_pruning_compares_is_the_result_or_the_result_by_plies() -> None:
    position, roll = KARI.parse(KARI_ENDING)
    means = {}
    for score in ("result", "plies"):
        search = monte_carlo(KARI, prune="deviation", period=10**6, score=score, playout="classes")
        search.run(position, roll, simulations=400)
        (tree,) = search.trees
        start, end = int(tree.first[ROOT]), int(tree.first[ROOT] + tree.branches[ROOT])
        means[score] = [(float(tree.scores[n, SCORE]), float(tree.statistics[n, MEAN])) for n in range(start, end)]
    for by_result, value in means["result"]:
        assert by_result == pytest.approx(value, abs=1e-9)
    # Games last longer than a ply, so every score is nearer to zero than its result.
    assert any(abs(by_plies) < abs(value) for by_plies, value in means["plies"])
    assert all(abs(by_plies) <= abs(value) + 1e-9 or abs(value) < 0.2 for by_plies, value in means["plies"])


@pytest.mark.slow
def test_a_game_with_draws_and_passes_is_solved() -> None:
    for position in random_positions(OTHELLO, 4, 5, seed=5):
        result = monte_carlo(OTHELLO).run(position, 1, simulations=300_000)
        assert result.proven
        assert result.value == exact_value(OTHELLO, ZERO, position, TO_THE_END)


@pytest.mark.slow
def test_an_endgame_of_kari_is_solved() -> None:
    position, roll = KARI.parse(KARI_ENDING)
    search = monte_carlo(KARI, playout="classes")
    result = search.run(position, roll, simulations=300_000)
    assert result.proven
    assert result.value == exact_value(KARI, ZERO, position, TO_THE_END)


def random_play(position: Any) -> float:
    """The mover's expected result of random play; each side has one cube, so the roll does not matter."""
    result = EWN.outcome(position)
    if result != ONGOING:
        return float(result)
    legal = EWN.legal(position, 1)
    return sum(-random_play(EWN.play_position(position, move)) for move in legal) / len(legal)


def test_a_flat_search_converges_to_the_value_of_random_play() -> None:
    position = EWN.parse("1../.../..a r -")[0]
    result = monte_carlo(EWN, depth=1).run(position, 1, simulations=200_000)
    assert not result.proven
    for branch in result.branches:
        exact = -random_play(EWN.play_position(position, branch.move))
        assert branch.value == pytest.approx(exact, abs=max(branch.high - branch.low, 1e-3))
        assert branch.low <= branch.value <= branch.high


@pytest.mark.parametrize("burst", [1, 7])
def test_visits_and_results_add_up(burst: int) -> None:
    game = load("ewn")
    search = monte_carlo(game, burst=burst)
    result = search.run(game.start_position(0), NOT_ROLLED, simulations=5000)
    tree = search.trees[0]
    assert result.simulations == result.playouts == 5000
    assert tree.visits[ROOT] == 5000
    assert sum(branch.visits for branch in result.branches) == 5000
    # The rolls of an unrolled start are all different and come equally often.
    assert [branch.weight for branch in result.branches] == [1] * 6
    assert min(branch.visits for branch in result.branches) > 700
    # The parent passed on all its visits but one: its own playout as a leaf.
    for child in children(tree, ROOT):
        grandchildren = children(tree, child)
        assert sum(tree.visits[grandchild] for grandchild in grandchildren) == tree.visits[child] - 1
        won = sum(-tree.visits[grandchild] * tree.statistics[grandchild, MEAN] for grandchild in grandchildren)
        own_playout = tree.visits[child] * tree.statistics[child, MEAN] - won
        assert abs(own_playout) == pytest.approx(1.0)


@pytest.mark.parametrize("burst", [1, 4])
def test_bounds_and_visits_follow_from_the_childrens_at_every_node(burst: int) -> None:
    position = EWN.start_position(4)
    search = monte_carlo(EWN, burst=burst)
    result = search.run(position, NOT_ROLLED, simulations=4000)
    assert not result.proven
    tree, proven = search.trees[0], 0
    level = [ROOT]
    while level:
        for node in (node for node in level if tree.branches[node] > 0):
            assert not refresh_bounds(tree, node, tree.chance[node] == 0, regular=False)
            if is_proven(tree, node):
                proven += 1
                continue
            # All visits but the first playout went to children; simulations for a proof are not counted at the parent.
            assert sum(tree.visits[child] for child in children(tree, node)) >= tree.visits[node] - 1
        level = [child for node in level for child in children(tree, node)]
    assert proven > 100


def fingerprint(result: TreeResult) -> list[tuple[int, int, float]]:
    return [(branch.move, branch.visits, branch.value) for branch in result.branches]


def test_equal_seeds_build_equal_trees() -> None:
    game = load("ewn")
    position = game.start_position(5)
    first, second, third = (monte_carlo(game, seed=seed) for seed in (7, 7, 8))
    results = [fingerprint(search.run(position, 3, simulations=3000)) for search in (first, second, third)]
    assert results[0] == results[1]
    assert results[0] != results[2]
    assert numpy.array_equal(first.trees[0].visits[:1000], second.trees[0].visits[:1000])


@pytest.mark.slow
def test_bursts_start_below_nodes_with_many_visits() -> None:
    game = load("ewn-cyclic")
    position = game.start_position(0)
    # With 128 simulations no node but the root has 32 bursts of 4 visits, with 1,000 some have.
    for simulations, alike in ((128, True), (1001, False)):
        trees = []
        for burst in (1, 4):
            search = monte_carlo(game, burst=burst)
            trees.append(fingerprint(search.run(position, 1, simulations=simulations)))
            # The limit ends a burst, and the visits that it counted in advance are taken back.
            assert search.trees[0].visits[ROOT] == simulations
        assert (trees[0] == trees[1]) == alike


def test_search_continues_when_the_tree_is_full() -> None:
    game = load("ewn")
    search = monte_carlo(game, nodes=1000)
    result = search.run(game.start_position(0), 1, simulations=20_000)
    assert result.nodes <= 1000
    assert result.simulations == 20_000
    assert search.memory == 2 * (1000 * 64 + 40)


def test_huge_visit_counts_do_not_overflow() -> None:
    game = load("ewn")
    search = monte_carlo(game, nodes=5000)
    position = game.start_position(0)
    search.run(position, 1, simulations=2000)
    tree = search.trees[0]
    # As many visits as after years of searching: no sums are stored, so nothing overflows.
    tree.visits[:] = tree.visits * 10**12
    means = tree.statistics[:4, 0].copy()
    search.run(position, 1, simulations=1000)
    assert tree.visits[ROOT] == 2000 * 10**12 + 1000
    assert tree.statistics[:4, 0] == pytest.approx(means, abs=1e-9)


@pytest.mark.slow
def test_a_minute_with_a_small_tree_neither_fails_nor_grows() -> None:
    game = load("othello")
    search = monte_carlo(game, nodes=2000)
    result = search.run(game.start_position(0), 1, seconds=60.0)
    assert result.nodes <= 2000
    assert search.trees[0].visits[ROOT] == result.simulations > 10_000
    assert all(-1.0 <= branch.value <= 1.0 for branch in result.branches)


@pytest.mark.slow
def test_uneven_trials_give_first_class_moves_double() -> None:
    # Only one of six moves is first class: cube 0 captures diagonally and cannot be recaptured.
    position, roll = KARI.parse("....../.0..../..a.../....../.1..../.....b r")
    search = monte_carlo(KARI, playout="classes", expand="all", total=700)
    result = search.run(position, roll, simulations=1)
    visits = {KARI.format_move(position, branch.move): branch.visits for branch in result.branches}
    assert sorted(visits.values()) == [100, 100, 100, 100, 100, 200]
    assert visits["B2C3"] == 200


@pytest.mark.slow
def test_float32_statistics_reach_the_value_too() -> None:
    position = random_positions(EWN, 6, 4, seed=3)[1]
    result = monte_carlo(EWN, precision=32).run(position, NOT_ROLLED, simulations=200_000)
    assert result.value == pytest.approx(exact_value(EWN, ZERO, position, TO_THE_END), abs=1e-5)


def test_pruned_moves_report_when_and_get_no_more_visits() -> None:
    game = load("ewn")
    search = monte_carlo(game, prune="visits", period=100, reuse=True)
    early = search.run(game.start_position(0), 1, simulations=150)
    gone = {branch.move: branch.visits for branch in early.branches if branch.pruned}
    assert gone
    assert all(branch.pruned == 100 for branch in early.branches if branch.pruned)
    late = search.run(game.start_position(0), 1, simulations=2000)
    assert {branch.move: branch.visits for branch in late.branches if branch.move in gone} == gone
