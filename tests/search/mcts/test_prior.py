"""Priors and leaf values: PUCT against a plain reference, and leaf values in place of playouts."""

import math
from collections.abc import Callable

import numpy
import pytest

from starscout.evaluation.evaluation import zero
from starscout.evaluation.weights import NO_WEIGHTS, Weights
from starscout.game import ONGOING, Position
from starscout.game.values import ONE
from starscout.games import load
from starscout.kernels.bits import Word, integer
from starscout.kernels.kernel import kernel
from starscout.search.exact import exact_moves
from starscout.search.mcts import MctsKnowledge, MctsSearch, Settings
from starscout.search.mcts.result import children
from starscout.search.mcts.tree import ROOT
from tests.search.search_positions import random_positions

OTHELLO, SMALL = load("othello"), load("othello-4x4")
C = 1.5


@kernel
def prior_by_square(
    position: Position, roll: int, moves: numpy.ndarray, count: int, priors: numpy.ndarray, weights: Weights
) -> None:
    """Some distribution that differs from move to move; its sum is not 1."""
    for index in range(count):
        priors[index] = 1.0 + moves[index] % 5


@kernel
def equal_priors(
    position: Position, roll: int, moves: numpy.ndarray, count: int, priors: numpy.ndarray, weights: Weights
) -> None:
    for index in range(count):
        priors[index] = 7.0


@kernel
def no_preference(
    position: Position, roll: int, moves: numpy.ndarray, count: int, priors: numpy.ndarray, weights: Weights
) -> None:
    for index in range(count):
        priors[index] = 0.0


@kernel
def value_by_discs(position: Position, weights: Weights) -> int:
    """Some value that differs from position to position."""
    return integer(position.own % Word(1009)) * (ONE // 1024) - ONE // 2


@kernel
def always_winning(position: Position, weights: Weights) -> int:
    return ONE


class ReferenceNode:
    """A node of the reference search."""

    def __init__(self, prior: float) -> None:
        self.prior, self.visits, self.mean = prior, 0, 0.0
        self.children: dict[int, ReferenceNode] = {}


def reference_puct(position: Position, simulations: int) -> ReferenceNode:
    """PUCT without any optimisation, for games without dice and positions far from the end."""
    root = ReferenceNode(1.0)
    for _ in range(simulations):
        reference_simulation(root, position, is_root=True)
    return root


def reference_simulation(node: ReferenceNode, position: Position, is_root: bool = False) -> float:
    """Add one simulation below a node; returns its value for the mover."""
    if not node.children and (is_root or node.visits >= 1):
        legal = OTHELLO.legal(position, 1)
        priors = numpy.zeros(len(legal))
        prior_by_square(position, 1, numpy.array(legal), len(legal), priors, NO_WEIGHTS)
        node.children = {move: ReferenceNode(prior / priors.sum()) for move, prior in zip(legal, priors, strict=True)}
    if node.children:

        def score(child: ReferenceNode) -> float:
            mean = -child.mean if child.visits else node.mean
            return 0.5 * (1.0 + mean) + C * child.prior * math.sqrt(max(node.visits, 1)) / (1 + child.visits)

        move, child = max(node.children.items(), key=lambda item: score(item[1]))
        value = -reference_simulation(child, OTHELLO.play_position(position, move))
    else:
        value = int(value_by_discs(position, NO_WEIGHTS)) / ONE
    node.visits += 1
    node.mean += (value - node.mean) / node.visits
    return value


def root_visits(search: MctsSearch, position: Position, simulations: int) -> dict[int, int]:
    result = search.run(position, 1, simulations)
    return {branch.move: branch.visits for branch in result.branches}


@pytest.mark.plain
@pytest.mark.slow_compiled
@pytest.mark.parametrize("simulations", [1, 2, 30, 500])
def test_puct_selects_as_the_reference_does(simulations: int) -> None:
    knowledge = MctsKnowledge(prior=prior_by_square, leaf_value=value_by_discs)
    search = MctsSearch(OTHELLO, Settings(c=C, nodes=100_000), knowledge)
    for position in random_positions(OTHELLO, 2, 10, seed=1):
        reference = reference_puct(position, simulations)
        search.reset(1)
        found = root_visits(search, position, simulations)
        assert found == {move: child.visits for move, child in reference.children.items()}
        (tree,) = search.trees
        for node in children(tree, ROOT):
            child = reference.children[int(tree.move[node])]
            assert tree.prior[node] == pytest.approx(child.prior)
            below = {int(tree.move[other]): int(tree.visits[other]) for other in children(tree, node)}
            assert below == {move: grandchild.visits for move, grandchild in child.children.items()}


@pytest.mark.slow
@pytest.mark.parametrize("prior", [equal_priors, no_preference])
def test_equal_priors_are_the_rule_puct_without_a_prior(prior: Callable[..., None]) -> None:
    (position,) = random_positions(OTHELLO, 1, 10, seed=2)
    with_prior = MctsSearch(OTHELLO, Settings(nodes=10_000), MctsKnowledge(prior=prior))
    without = MctsSearch(OTHELLO, Settings(nodes=10_000, rule="puct"))
    assert root_visits(with_prior, position, 300) == root_visits(without, position, 300)


@pytest.mark.slow
def test_a_reused_tree_keeps_its_priors() -> None:
    search = MctsSearch(OTHELLO, Settings(nodes=10_000), MctsKnowledge(prior=prior_by_square))
    position = OTHELLO.start_position(0)
    chosen = search.choose(search.run(position, 1, 500)).move
    after = OTHELLO.play_position(position, chosen)
    search.run(OTHELLO.play_position(after, OTHELLO.legal(after, 1)[0]), 1, 1)
    (tree,) = search.trees
    moves = [int(tree.move[node]) for node in children(tree, ROOT)]
    total = sum(1.0 + move % 5 for move in moves)
    assert [tree.prior[node] for node in children(tree, ROOT)] == pytest.approx([(1.0 + m % 5) / total for m in moves])


@pytest.mark.slow
def test_a_perfect_leaf_value_finds_the_exact_value_of_every_move() -> None:
    outcome, moves, play, most = SMALL.outcome, SMALL.moves, SMALL.play, SMALL.max_moves + 1

    @kernel
    def perfect(position: Position, weights: Weights) -> int:
        result = integer(outcome(position))
        if result != ONGOING:
            return ONE * result
        row = numpy.empty(most, numpy.int64)
        best = -ONE
        for index in range(moves(position, 1, row)):
            best = max(best, -perfect(play(position, row[index]), weights))
        return best

    search = MctsSearch(SMALL, Settings(nodes=10_000, choose="value"), MctsKnowledge(leaf_value=perfect))
    for position in random_positions(SMALL, 4, 5, seed=3):
        exact = exact_moves(SMALL, zero(), position, 1, 20)
        search.reset(1)
        result = search.run(position, 1, simulations=len(exact))
        assert {branch.move: branch.value for branch in result.branches} == exact
        assert exact[search.choose(result).move] == max(exact.values())


@pytest.mark.slow
def test_a_leaf_value_blends_with_the_playout() -> None:
    position = OTHELLO.start_position(0)
    values = {}
    for share in (0.0, 0.25, 1.0):
        knowledge = MctsKnowledge(leaf_value=always_winning, leaf_share=share)
        # A flat search with one visit per move: the same playouts whatever their results.
        search = MctsSearch(OTHELLO, Settings(depth=1, nodes=1000), knowledge)
        values[share] = numpy.array([branch.value for branch in search.run(position, 1, 4).branches])
    plain = MctsSearch(OTHELLO, Settings(depth=1, nodes=1000)).run(position, 1, 4)
    assert list(values[0.0]) == [branch.value for branch in plain.branches]
    # A leaf is a win for the opponent, who moves there.
    assert list(values[1.0]) == [-1.0] * 4
    assert values[0.25] == pytest.approx(0.75 * values[0.0] - 0.25)


def test_a_leaf_share_outside_0_to_1_is_rejected() -> None:
    with pytest.raises(ValueError, match="leaf_share: expected a number from 0 to 1, got 2"):
        MctsKnowledge(leaf_share=2)
