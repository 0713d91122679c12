"""Exact endgames of players: tables and the Othello solver."""

import random
from pathlib import Path

import pytest

from starscout import games
from starscout.game.state import State, from_position, start
from starscout.games.ewn import endgame_table as ewn
from starscout.games.ewn.endgame_table import find_table, random_position
from starscout.games.othello.endgame import SolverEndgame
from starscout.games.othello.solver import OthelloSolver
from starscout.players.negascout import NegascoutPlayer, Options, exact_endgame
from starscout.search.endgame import TableEndgame
from starscout.search.limits import Limit
from starscout.search.time_control import Budget
from tests.games.othello.definition import late_positions


@pytest.fixture
def small_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ewn.EwnTable:
    monkeypatch.setattr(ewn, "table_path", lambda game, cubes: tmp_path / f"{game.name}-{cubes}.table")
    find_table.cache_clear()
    table = find_table(games.load("ewn-3x3-3"))
    assert table is not None
    return table


@pytest.mark.plain
@pytest.mark.slow_compiled
@pytest.mark.parametrize("limit", [Limit(time=0.001), Limit(depth=1), Limit(nodes=1)])
def test_player_plays_optimally_inside_a_table(small_table: ewn.EwnTable, limit: Limit):
    game = small_table.game
    player = NegascoutPlayer(game, Options(endgame=True), "negascout")
    player.new_game(game, 0)
    generator = random.Random(8)
    for _ in range(30):
        position = random_position(small_table, generator)
        state = from_position(game, position, generator.randint(1, 3))
        values = small_table.move_values(position, state.roll)
        assert values[player.choose(state, limit).move] == max(values.values())
        decision = player.analyse(state, limit)
        assert {report.move: report.value for report in decision.moves} == values


def test_table_does_not_decide_other_positions(small_table: ewn.EwnTable):
    state = start(small_table.game).rolled(1)
    assert TableEndgame(small_table).decide(state, Limit(), Budget(), every_move=False) == (None, Budget())


def othello_state(empties: int, seed: int = 1) -> State:
    game = games.load("othello")
    return from_position(game, late_positions(game, 1, empties, empties, seed)[0])


@pytest.fixture(scope="module")
def endings() -> SolverEndgame:
    made = SolverEndgame(games.load("othello"), threads=1)
    made.warm()
    return made


def test_solver_decides_late_positions(endings: SolverEndgame):
    for seed in range(5):
        state = othello_state(10, seed)
        decision, _ = endings.decide(state, Limit(time=5.0), Budget(hard=5.0), every_move=False)
        solver = OthelloSolver(state.game)
        solver.begin()
        *_, exact = solver.solve(state.position)
        assert decision is not None
        assert decision.value == exact.outcome
        assert decision.depth == 10
        assert {solved.move: solved.lower for solved in exact.moves}[decision.move] == exact.lower
        assert decision.line[0] == decision.move


def test_every_move_is_proven(endings: SolverEndgame):
    state = othello_state(9)
    decision, _ = endings.decide(state, Limit(time=5.0), Budget(hard=5.0), every_move=True)
    assert decision is not None
    assert set(decision.moves) == set(state.legal)
    assert set(decision.moves.values()) <= {-1.0, 0.0, 1.0}


def test_solving_depends_on_the_time_limit(endings: SolverEndgame):
    far, near = othello_state(26), othello_state(8)
    none, left = endings.decide(far, Limit(time=0.01), Budget(hard=0.01), every_move=False)
    assert (none, left.hard) == (None, 0.01)
    assert endings.decide(near, Limit(time=1.0), Budget(hard=1.0), every_move=False)[0] is not None
    affordable = [
        max((e for e in range(1, 60) if endings._affordable(e, Limit(), Budget(hard=t), 1) is False), default=0)
        for t in (0.01, 0.1, 1.0, 10.0)
    ]
    assert affordable == sorted(set(affordable))


def test_node_and_depth_limits_are_deterministic(endings: SolverEndgame):
    state = othello_state(12)
    assert endings.decide(state, Limit(depth=11), Budget(), every_move=False)[0] is None
    assert endings.decide(state, Limit(depth=12), Budget(), every_move=False)[0] is not None
    assert endings.decide(state, Limit(nodes=100), Budget(), every_move=False)[0] is None
    assert endings.decide(state, Limit(nodes=1_000_000), Budget(), every_move=False)[0] is not None


def test_search_gets_the_time_left_by_the_solver():
    player = NegascoutPlayer(games.load("othello"), Options(endgame=True), "negascout")
    player.new_game(games.load("othello"), 0)
    state = othello_state(34)
    endings = player._endgame
    assert isinstance(endings, SolverEndgame)
    # A forecast that is far too optimistic.
    for _ in range(50):
        endings._forecast.observe(34, 2e-4)
        endings._forecast.observe(30, 1.5e-4)
    decision = player.choose(state, Limit(time=1.0))
    assert decision.move in state.legal
    assert decision.depth is not None
    assert 1 <= decision.depth < 34


def test_solver_proves_wins_after_a_selective_search():
    game = games.load("othello")
    player = NegascoutPlayer(game, Options(endgame=True, probcut=1.0, table=14), "negascout")
    player.new_game(game, 0)
    solver, proven = OthelloSolver(game), 0
    for seed in range(6):
        state = othello_state(16, seed)
        solver.begin()
        *_, exact = solver.solve(state.position, wld=True)
        # With so few nodes the solver does not begin, and the search that goes to the end has most of them left.
        decision = player.choose(state, Limit(nodes=150_000))
        assert decision.nodes is not None
        assert decision.nodes <= 150_100
        if decision.value == 1.0:
            proven += 1
            assert exact.outcome == 1
    assert proven > 0


def test_game_without_an_exact_endgame():
    assert exact_endgame(games.load("kari"), 1) is None
