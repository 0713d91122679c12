"""The search as players use it: limits, threads, reuse of the tree, the final choice."""

import dataclasses

import pytest

from starscout.evaluation.evaluation import zero
from starscout.game import NOT_ROLLED, GameError, state
from starscout.games import load
from starscout.players.spec import make_player
from starscout.search.exact import exact_value
from starscout.search.limits import Limit
from starscout.search.mcts import Settings
from starscout.search.mcts.result import children
from starscout.search.mcts.tree import ROOT
from tests.search.mcts.monte_carlo import monte_carlo
from tests.search.search_positions import random_positions

EWN = load("ewn-3x3-3")
TO_THE_END = 30


def test_time_ends_the_search() -> None:
    game = load("ewn")
    search = monte_carlo(game)
    search.run(game.start_position(0), 1, simulations=1)
    # The search has no other limit, so only the time ends it.
    assert search.run(game.start_position(1), 1, seconds=0.05).simulations > 0
    # Time counts from the call: when the root has been set, a microsecond has passed.
    assert search.run(game.start_position(3), 1, seconds=1e-6).simulations == 1
    # Without any time, all moves are listed and one has a visit.
    none = search.run(game.start_position(2), 1, seconds=0.0)
    assert none.simulations == 1
    assert len(none.branches) == len(game.legal(game.start_position(2), 1))


def test_too_many_nodes_are_rejected() -> None:
    with pytest.raises(ValueError, match="nodes: expected a whole number from 1000 to 2147483647, got 2147483648"):
        Settings(nodes=1 << 31)


def test_a_search_without_a_limit_is_rejected() -> None:
    with pytest.raises(GameError, match="expected a limit"):
        monte_carlo(EWN).run(EWN.start_position(0), 1)


@pytest.mark.parametrize("scheme", ["tree", "root"])
def test_threads_share_the_simulations_and_agree_with_the_exact_value(scheme: str) -> None:
    position = random_positions(EWN, 6, 4, seed=3)[0]
    search = monte_carlo(EWN, threads=2, scheme=scheme)
    result = search.run(position, NOT_ROLLED, simulations=200_000)
    assert result.value == pytest.approx(exact_value(EWN, zero(), position, TO_THE_END), abs=1e-12)
    game = load("ewn")
    search = monte_carlo(game, threads=2, scheme=scheme)
    result = search.run(game.start_position(0), 1, simulations=4000)
    assert result.simulations == 4000
    if scheme == "root":
        assert [int(tree.visits[ROOT]) for tree in search.trees] == [2000, 2000]
        assert sum(branch.visits for branch in result.branches) == 4000
    else:
        # Threads write without locks: some updates are lost.
        (tree,) = search.trees
        assert 3000 <= tree.visits[ROOT] <= 4000
        assert all(-1.0 <= branch.value <= 1.0 for branch in result.branches)
    again = search.run(game.start_position(0), 1, simulations=1000)
    assert again.simulations == 1000
    assert again.nodes >= result.nodes


def test_the_subtree_of_the_game_is_reused() -> None:
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


def test_an_unrelated_position_starts_a_new_tree() -> None:
    game = load("ewn")
    search = monte_carlo(game)
    search.choose(search.run(game.start_position(0), 1, simulations=500))
    search.run(game.start_position(9), 1, simulations=50)
    assert search.trees[0].visits[ROOT] == 50


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
    # A move that cannot reach what another one guarantees is not chosen, however many visits it has.
    sure = dataclasses.replace(branches[0], lower=0.3, upper=0.3, value=0.3)
    poor = dataclasses.replace(branches[1], upper=0.25)
    assert monte_carlo(game).choose(dataclasses.replace(open_result, branches=(sure, poor))).move == first.move


def test_the_robust_maximum_stops_early_when_visits_and_value_agree() -> None:
    game = load("ewn")
    results = [
        monte_carlo(game, seed=seed, choose="robust").run(game.start_position(seed), 1, simulations=3000)
        for seed in range(12)
    ]
    assert any(result.simulations == 2000 for result in results)
    assert all(2000 <= result.simulations <= 3000 for result in results)


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec",
    [
        "uct-pruned period=200",
        "mcts prune=deviation period=20 rd=0.2 trials=20",
        "mcts prune=visits period=200 choose=robust",
        "mcts prune=visits period=100 choose=value threads=2 scheme=root",
    ],
)
def test_no_game_sees_a_pruned_move(spec: str) -> None:
    game = load("othello")
    player = make_player(f"{spec} nodes=20000", game)
    player.new_game(game, 1)
    there, pruned = state.start(game, 1), 0
    while not there.over:
        decision = player.choose(there, Limit(simulations=800))
        reports = {report.move: report for report in decision.moves}
        alive = [report for report in decision.moves if report.pruned is None and report.value != -1.0]
        pruned += len(alive) < len(reports)
        assert reports[decision.move].pruned is None or reports[decision.move].proven or not alive
        assert decision.line[0] == game.format_move(there.position, decision.move)
        there = there.play(decision.move)
    assert pruned > 10
