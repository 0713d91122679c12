"""The Monte-Carlo search against exact values, and its promises: proofs, seeds, limits, memory, threads, reuse."""

import dataclasses
import time
from typing import Any

import numpy
import pytest

from starscout.evaluate.evaluation import zero
from starscout.game import NOT_ROLLED, ONGOING, GameError
from starscout.games import load
from starscout.search.exact import exact_moves, exact_value
from starscout.search.mcts import MonteCarlo
from starscout.search.mcts_loop import refresh_bounds
from starscout.search.mcts_report import Result, children
from starscout.search.mcts_settings import Settings
from starscout.search.mcts_tree import MEAN, ROOT, is_proven
from tests.search.monte_carlo import monte_carlo
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


@pytest.mark.parametrize("variant", VARIANTS)
def test_small_dice_games_are_solved(variant: str) -> None:
    for position in random_positions(EWN, 6, 4, seed=3):
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


def test_a_game_with_draws_and_passes_is_solved() -> None:
    for position in random_positions(OTHELLO, 4, 5, seed=5):
        result = monte_carlo(OTHELLO).run(position, 1, simulations=300_000)
        assert result.proven
        assert result.value == exact_value(OTHELLO, ZERO, position, TO_THE_END)


def test_a_cut_game_of_kari_is_solved() -> None:
    position, roll = KARI.parse(KARI_ENDING)
    search = monte_carlo(KARI, playout="classes")
    result = search.run(position, roll, simulations=300_000)
    assert result.proven
    assert result.value == exact_value(KARI, ZERO, position, TO_THE_END)


def random_play(position: Any) -> float:
    """The mover's expected result when both sides play at random; each side has one cube, so the roll says nothing."""
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


def fingerprint(search: MonteCarlo, result: Result) -> list[tuple[int, int, float]]:
    return [(branch.move, branch.visits, branch.value) for branch in result.branches]


def test_equal_seeds_give_equal_trees() -> None:
    game = load("ewn")
    position = game.start_position(5)
    first, second, third = (monte_carlo(game, seed=seed) for seed in (7, 7, 8))
    results = [fingerprint(search, search.run(position, 3, simulations=3000)) for search in (first, second, third)]
    assert results[0] == results[1]
    assert results[0] != results[2]
    assert numpy.array_equal(first.trees[0].visits[:1000], second.trees[0].visits[:1000])


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
    # A child's visits are those its parent gave it: all but the playouts from the parent as a leaf.
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
    level, decision = [ROOT], False
    while level:
        for node in (node for node in level if tree.branches[node] > 0):
            assert not refresh_bounds(tree, node, decision, EWN.faces)
            if is_proven(tree, node):
                proven += 1
                continue
            # All visits but that of the first playout went to children; simulations for a proof go there uncounted.
            assert sum(tree.visits[child] for child in children(tree, node)) >= tree.visits[node] - 1
        level, decision = [child for node in level for child in children(tree, node)], not decision
    assert proven > 100


def test_bursts_begin_below_nodes_that_know_much() -> None:
    game = load("ewn-cyclic")
    position = game.start_position(0)
    # With 128 simulations no node but the root has 32 bursts of 4 visits, with 1,000 some have.
    for simulations, alike in ((128, True), (1001, False)):
        trees = []
        for burst in (1, 4):
            search = monte_carlo(game, burst=burst)
            trees.append(fingerprint(search, search.run(position, 1, simulations=simulations)))
            # The limit ends a burst, and the visits that it had counted in advance are given back.
            assert search.trees[0].visits[ROOT] == simulations
        assert (trees[0] == trees[1]) == alike


def test_the_tree_stops_at_its_limit_and_the_search_goes_on() -> None:
    game = load("ewn")
    search = monte_carlo(game, nodes=1000)
    result = search.run(game.start_position(0), 1, simulations=20_000)
    assert result.nodes <= 1000
    assert result.simulations == 20_000
    assert search.memory == 2 * (1000 * 64 + 32)


def test_huge_counts_do_no_harm() -> None:
    game = load("ewn")
    search = monte_carlo(game, nodes=5000)
    position = game.start_position(0)
    search.run(position, 1, simulations=2000)
    tree = search.trees[0]
    # As if it had searched for some years: no sum is kept, so nothing can overflow.
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


def test_time_ends_the_search() -> None:
    game = load("ewn")
    search = monte_carlo(game)
    search.run(game.start_position(0), 1, simulations=1)
    started = time.monotonic()
    result = search.run(game.start_position(1), 1, seconds=0.05)
    assert result.simulations > 0
    assert time.monotonic() - started < 5.0
    # The seconds count from the call: when the root is planted, a microsecond is over.
    assert search.run(game.start_position(3), 1, seconds=1e-6).simulations == 1
    # No time at all still gives every move a place and one of them a visit.
    none = search.run(game.start_position(2), 1, seconds=0.0)
    assert none.simulations == 1
    assert len(none.branches) == len(game.legal(game.start_position(2), 1))


def test_more_than_a_row_can_number_is_refused() -> None:
    with pytest.raises(ValueError, match="nodes must be between 1000 and 2147483647, not 2147483648"):
        Settings(nodes=1 << 31)
    with pytest.raises(GameError, match="room for 32,767 moves or faces, huge has more"):
        monte_carlo(dataclasses.replace(EWN, name="huge", max_moves=40_000))


def test_a_search_without_a_limit_is_refused() -> None:
    with pytest.raises(GameError, match="needs a limit"):
        monte_carlo(EWN).run(EWN.start_position(0), 1)


@pytest.mark.parametrize("scheme", ["tree", "root"])
def test_threads_share_the_simulations_and_agree_with_the_exact_value(scheme: str) -> None:
    position = random_positions(EWN, 6, 4, seed=3)[0]
    search = monte_carlo(EWN, threads=2, scheme=scheme)
    result = search.run(position, NOT_ROLLED, simulations=200_000)
    assert result.value == pytest.approx(exact_value(EWN, ZERO, position, TO_THE_END), abs=1e-12)
    game = load("ewn")
    search = monte_carlo(game, threads=2, scheme=scheme)
    result = search.run(game.start_position(0), 1, simulations=4000)
    assert result.simulations == 4000
    if scheme == "root":
        assert [int(tree.visits[ROOT]) for tree in search.trees] == [2000, 2000]
        assert sum(branch.visits for branch in result.branches) == 4000
    else:
        # Threads write without locks: now and then an update is lost, never more than that.
        (tree,) = search.trees
        assert 3000 <= tree.visits[ROOT] <= 4000
        assert all(-1.0 <= branch.value <= 1.0 for branch in result.branches)
    again = search.run(game.start_position(0), 1, simulations=1000)
    assert again.simulations == 1000
    assert again.nodes >= result.nodes


def test_the_tree_is_kept_where_the_game_goes_on() -> None:
    game = load("ewn")
    search = monte_carlo(game)
    position = game.start_position(0)
    move = search.choose(search.run(position, 1, simulations=5000)).move
    tree = search.trees[0]
    chosen = next(child for child in children(tree, ROOT) if tree.move[child] == move)
    after = game.play_position(position, move)
    answer = next(child for child in children(tree, chosen) if tree.move[child] == 4)
    reply = max(children(tree, answer), key=lambda child: tree.visits[child])
    reached = game.play_position(after, int(tree.move[reply]))
    known = next(child for child in children(tree, reply) if tree.move[child] == 2)
    visits = int(tree.visits[known])
    assert visits > 0
    result = search.run(reached, 2, simulations=100)
    assert search.trees[0].visits[ROOT] == visits + 100
    assert result.simulations == 100


def test_a_position_from_elsewhere_starts_a_new_tree() -> None:
    game = load("ewn")
    search = monte_carlo(game)
    search.choose(search.run(game.start_position(0), 1, simulations=500))
    search.run(game.start_position(9), 1, simulations=50)
    assert search.trees[0].visits[ROOT] == 50


def test_pruned_moves_say_when_and_get_no_more_visits() -> None:
    game = load("ewn")
    search = monte_carlo(game, prune="visits", period=100, reuse=True)
    early = search.run(game.start_position(0), 1, simulations=150)
    gone = {branch.move: branch.visits for branch in early.branches if branch.pruned}
    assert gone
    assert all(branch.pruned == 100 for branch in early.branches if branch.pruned)
    late = search.run(game.start_position(0), 1, simulations=2000)
    assert {branch.move: branch.visits for branch in late.branches if branch.move in gone} == gone


def test_uneven_trials_give_first_class_moves_double() -> None:
    # Red may capture with the diagonal step of cube 0 and is not recaptured: one special move among six.
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


def test_final_choices() -> None:
    game = load("ewn")
    result = monte_carlo(game).run(game.start_position(0), 1, simulations=400)
    first, second, third = (dataclasses.replace(result.branches[index], lower=-1.0, upper=1.0) for index in range(3))
    branches = (
        dataclasses.replace(first, visits=100, value=0.2),
        dataclasses.replace(second, visits=150, value=0.1),
        dataclasses.replace(third, visits=0, value=0.9),
    )
    open_result = dataclasses.replace(result, branches=branches, proven=False)
    assert monte_carlo(game, choose="visits").choose(open_result).move == second.move
    assert monte_carlo(game, choose="value").choose(open_result).move == first.move
    # What is guaranteed beats what cannot reach it, however often that was visited.
    sure = dataclasses.replace(branches[0], lower=0.3, upper=0.3, value=0.3)
    poor = dataclasses.replace(branches[1], upper=0.25)
    assert monte_carlo(game).choose(dataclasses.replace(open_result, branches=(sure, poor))).move == first.move


def test_the_robust_maximum_stops_early_when_both_agree() -> None:
    game = load("ewn")
    results = [
        monte_carlo(game, seed=seed, choose="robust").run(game.start_position(seed), 1, simulations=3000)
        for seed in range(12)
    ]
    assert any(result.simulations == 2000 for result in results)
    assert all(2000 <= result.simulations <= 3000 for result in results)


@pytest.mark.parametrize(
    ("field", "value"),
    [("rule", "ucbv"), ("leaf", 0), ("c", -1.0), ("precision", 16), ("total", 100), ("nodes", 10), ("k", 0.0)],
)
def test_bad_settings_are_refused_by_name(field: str, value: Any) -> None:
    with pytest.raises(ValueError, match=field):
        Settings(**{field: value})
