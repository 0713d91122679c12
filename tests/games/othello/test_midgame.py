"""The midgame search against a definition without any cut; the solver's values have the same scale."""

import numpy
import pytest

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.game import ONGOING
from starscout.games.othello import midgame, solver_search
from starscout.games.othello.patterns import POINTS, pattern_score
from starscout.games.othello.rules import PASS, Position, disc_difference, empty_squares
from starscout.games.othello.solver_search import SolverSwitches
from starscout.kernels.bits import Word
from starscout.search.transposition_table import new_table
from tests.games.othello.definition import defined_difference, late_positions

GAME = games.load("othello")
WEIGHTS = load_evaluation(GAME, "learned").weights


def defined(position: Position, depth: int) -> int:
    """The value by looking at every line; a pass costs no depth."""
    if GAME.outcome(position) != ONGOING:
        return POINTS * disc_difference(GAME, position)
    moves = GAME.legal(position, 1)
    if moves != [PASS] and depth == 0:
        return int(pattern_score()(position.own, position.enemy, WEIGHTS))
    below = depth if moves == [PASS] else depth - 1
    return max(-defined(Position(*GAME.play_position(position, move)), below) for move in moves)


def searched(position: Position, depth: int, alpha: int, beta: int) -> int:
    memory = midgame.new_midgame_memory()
    solver = solver_search.new_solver_memory(SolverSwitches(), shared=False)
    busy = numpy.zeros(solver_search.BUSY_SLOTS, dtype=Word)
    search = midgame.build()
    boards = position.own, position.enemy
    return int(search(*boards, depth, alpha, beta, 1, memory, new_table(10), WEIGHTS, solver, new_table(8), busy))


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_values_and_bounds_equal_the_definition(depth: int):
    for position in late_positions(GAME, 4, 20, 40, seed=depth):
        exact = defined(position, depth)
        assert searched(position, depth, -4096, 4096) == exact
        for alpha in (exact - 100, exact - 1, exact, exact + 100):
            found = searched(position, depth, alpha, alpha + 1)
            assert exact <= found if found <= alpha else exact >= found >= alpha + 1


def test_the_end_of_the_game_is_solved_on_the_same_scale():
    for position in late_positions(GAME, 5, 8, 9, seed=3):
        exact = defined_difference(GAME, position)
        assert searched(position, empty_squares(GAME, position), -4096, 4096) == POINTS * exact


def test_a_node_limit_stops_the_search():
    (position,) = late_positions(GAME, 1, 30, 30, seed=1)
    memory = midgame.new_midgame_memory()
    memory.node_limit = 1000
    solver = solver_search.new_solver_memory(SolverSwitches(), shared=False)
    busy = numpy.zeros(solver_search.BUSY_SLOTS, dtype=Word)
    boards = position.own, position.enemy
    midgame.build()(*boards, 12, -4096, 4096, 1, memory, new_table(10), WEIGHTS, solver, new_table(8), busy)
    assert memory.flag[0] != 0
    assert memory.nodes < 1200
