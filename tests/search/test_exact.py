"""The unpruned reference search against hand-computed values and an independent brute force."""

from fractions import Fraction

import pytest

from starscout import games
from starscout.evaluation.evaluation import Evaluation, no_order, zero
from starscout.game import ONGOING, Game, Position
from starscout.game.values import ONE
from starscout.kernels.kernel import PLAIN, kernel
from starscout.search.exact import exact_moves, exact_value

pytestmark = pytest.mark.plain


@kernel
def _material(position: Position) -> int:
    """A quarter for the mover, red or blue."""
    return ONE // 4


def test_by_hand_on_a_three_node_tree():
    # One cube each on 2×2, the mover on A1: every move but the diagonal leaves the enemy next to its goal.
    game = games.load("ewn-2x2-1")
    position, roll = game.parse("1./.a r 1")
    moves = {game.format_move(position, m): v for m, v in exact_moves(game, zero(), position, roll, 1).items()}
    assert moves == {"A1B1": 0.0, "A1A2": 0.0, "A1B2": 1.0}
    # Two plies: blue answers a move to the side by moving to A1.
    moves = {game.format_move(position, m): v for m, v in exact_moves(game, zero(), position, roll, 2).items()}
    assert moves == {"A1B1": -1.0, "A1A2": -1.0, "A1B2": 1.0}
    assert exact_value(game, zero(), position, 2) == 1.0
    # The evaluation is in the view of the side to move at the leaf.
    fixed = Evaluation("fixed", _material, no_order)
    moves = {game.format_move(position, m): v for m, v in exact_moves(game, fixed, position, roll, 1).items()}
    assert moves == {"A1B1": -0.25, "A1A2": -0.25, "A1B2": 1.0}


def brute_force(game: Game, position: Position, known: dict) -> Fraction:
    """The exact value in rational numbers, with memory and without merged rolls."""
    key = position[:2]
    if key not in known:
        total = Fraction(0)
        for roll in range(1, game.faces + 1):
            best = Fraction(-1)
            for move in game.legal(position, roll):
                following = game.play_position(position, move)
                result = game.outcome(following)
                best = max(best, -(Fraction(result) if result != ONGOING else brute_force(game, following, known)))
            total += best
        known[key] = total / game.faces
    return known[key]


def test_two_cubes_on_a_small_board_equal_brute_force():
    game = games.load("ewn-3x3-2")
    for seed in range(game.starts):
        position = game.start_position(seed)
        expected = brute_force(game, position, {})
        depth = 5 if PLAIN else 16
        value = exact_value(game, zero(), position, depth)
        assert PLAIN or value == pytest.approx(float(expected), abs=1e-12)
        assert abs(value) <= 1.0
