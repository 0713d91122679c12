"""The search of the solver: every window is right, and no switch, thread or table size changes a value."""

import dataclasses

import numpy
import pytest

from starscout import games
from starscout.evaluation.weights import NO_WEIGHTS
from starscout.game import Game
from starscout.games.othello import solver_search
from starscout.games.othello.rules import Position, empty_squares
from starscout.games.othello.solver import OthelloSolver
from starscout.games.othello.solver_search import SolverSwitches
from starscout.kernels.bits import Word
from starscout.search.transposition_table import new_table
from tests.games.othello.definition import defined_difference, late_positions

OFF = [SolverSwitches(**{field.name: False}) for field in dataclasses.fields(SolverSwitches)]
ALL_OFF = SolverSwitches(fastest_first=False, parity=False, stability=False, enhanced=False, evaluated=False)


def value(solver: OthelloSolver, position: Position) -> int:
    solver.begin()
    *_, solution = solver.solve(position)
    assert solution.exact
    return solution.lower


def searched(game: Game, position: Position, alpha: int, beta: int) -> int:
    memory = solver_search.new_solver_memory(SolverSwitches(), shared=False)
    memory.empties = empty_squares(game, position)
    busy = numpy.zeros(solver_search.BUSY_SLOTS, dtype=Word)
    search = solver_search.build(game.rows, solver_search.no_score)
    return int(search(position.own, position.enemy, alpha, beta, memory, new_table(10), busy, NO_WEIGHTS))


def test_a_value_outside_its_window_is_a_bound():
    game = games.load("othello")
    for position in late_positions(game, 10, 9, 10, seed=4):
        exact = defined_difference(game, position)
        for alpha in range(-64, 64, 7):
            found = searched(game, position, alpha, alpha + 7)
            if found <= alpha:
                assert exact <= found
            elif found >= alpha + 7:
                assert exact >= found
            else:
                assert exact == found


@pytest.mark.parametrize("switches", [*OFF, ALL_OFF], ids=str)
def test_no_switch_changes_a_value(switches: SolverSwitches):
    game = games.load("othello")
    usual, other = OthelloSolver(game), OthelloSolver(game, switches)
    for position in late_positions(game, 8, 11, 13, seed=7):
        assert value(usual, position) == value(other, position)


@pytest.mark.parametrize(("bits", "threads"), [(0, 1), (6, 1), (12, 2), (16, 3)])
def test_no_table_size_and_no_thread_changes_a_value(bits: int, threads: int):
    game = games.load("othello")
    usual, other = OthelloSolver(game), OthelloSolver(game, table_bits=bits, threads=threads)
    for position in late_positions(game, 8, 13, 15, seed=11):
        assert value(usual, position) == value(other, position)
