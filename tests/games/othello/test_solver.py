"""The Othello solver against the unpruned definition, known results and the FFO endgame suite."""

from pathlib import Path

import pytest

from starscout import games
from starscout.game import ONGOING, Game
from starscout.games.othello.rules import Position, disc_difference
from starscout.games.othello.solver import OthelloSolver
from starscout.kernels.stop_flags import RAISED
from starscout.search.endgame import ScoreSolution
from starscout.search.time_control import stop_after
from tests.games.othello.definition import defined_difference, late_positions

FFO = Path(__file__).parents[3] / "shared" / "data" / "ffo-40-59.obf"


def solved(solver: OthelloSolver, position: Position, *, wld: bool = False, every_move: bool = False) -> ScoreSolution:
    solver.begin()
    *_, solution = solver.solve(position, wld=wld, every_move=every_move)
    return solution


def compare(game: Game, positions: list[Position]) -> None:
    solver = OthelloSolver(game, table_bits=14)
    for position in positions:
        solution = solved(solver, position)
        assert (solution.lower, solution.upper) == (defined_difference(game, position),) * 2, game.format(position, 1)


def test_random_positions_equal_the_definition():
    compare(games.load("othello"), late_positions(games.load("othello"), 60, 8, 9))


@pytest.mark.slow
def test_random_positions_of_a_smaller_board_equal_the_definition():
    compare(games.load("othello-6x6"), late_positions(games.load("othello-6x6"), 40, 7, 9))


@pytest.mark.slow
def test_five_thousand_random_positions_equal_the_definition():
    compare(games.load("othello"), late_positions(games.load("othello"), 5000, 8, 12, seed=2))


def test_4x4_is_lost_by_ten():
    game = games.load("othello-4x4")
    start = Position(*game.start_position(0))
    assert solved(OthelloSolver(game), start).lower == -10
    assert solved(OthelloSolver(game), start, wld=True).outcome == -1


@pytest.mark.plain
def test_in_plain_python_too():
    game = games.load("othello-4x4")
    for position in late_positions(game, 5, 4, 6):
        assert solved(OthelloSolver(game, table_bits=4), position).lower == defined_difference(game, position)


def test_slack_leaves_bounds_of_bad_moves():
    game = games.load("othello")
    solver = OthelloSolver(game, table_bits=14)
    bounded = 0
    for position in late_positions(game, 10, 8, 9, seed=5):
        exact = {one.move: one.lower for one in solved(solver, position, every_move=True).moves}
        solver.begin()
        *_, solution = solver.solve(position, every_move=True, slack=6)
        assert solution.lower == max(exact.values())
        for one in solution.moves:
            if exact[one.move] >= solution.lower - 6:
                assert one.lower == one.upper == exact[one.move]
            elif one.lower != one.upper:
                bounded += 1
                assert exact[one.move] <= one.upper < solution.lower - 6
    assert bounded > 10


def test_every_move_and_the_line():
    game = games.load("othello")
    solver = OthelloSolver(game, table_bits=14)
    for position in late_positions(game, 10, 8, 9, seed=5):
        solution = solved(solver, position, every_move=True)
        values = {}
        for move in game.legal(position, 1):
            child = Position(*game.play_position(position, move))
            over = game.outcome(child) != ONGOING
            values[move] = -(disc_difference(game, child) if over else defined_difference(game, child))
        assert {one.move: one.lower for one in solution.moves} == values
        assert all(one.lower == one.upper for one in solution.moves)
        assert solution.lower == max(values.values())
        assert solution.best is not None
        assert values[solution.best] == solution.lower
        state = position
        for move in solver.line(position, solution.lower):
            assert move in game.legal(state, 1)
            state = Position(*game.play_position(state, move))
        assert game.outcome(state) != ONGOING
        sign = 1 if state.mover == position.mover else -1
        assert sign * disc_difference(game, state) == solution.lower


def test_line_of_a_wrong_difference_is_rejected():
    game = games.load("othello")
    (position,) = late_positions(game, 1, 8, 8)
    with pytest.raises(ValueError, match="no move reaches"):
        list(OthelloSolver(game).line(position, defined_difference(game, position) + 2))


def test_win_loss_draw():
    game = games.load("othello")
    solver = OthelloSolver(game, table_bits=14)
    for position in late_positions(game, 30, 8, 9, seed=6):
        exact = defined_difference(game, position)
        assert solved(solver, position, wld=True).outcome == (exact > 0) - (exact < 0)


def test_a_won_move_that_ends_the_game_is_no_upper_bound():
    """The first move wins by 62 at once; another one, which is not searched, wins by 64."""
    game, solver = games.load("othello"), OthelloSolver(games.load("othello"))
    text = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX---XXXX----OXX----O-XX X"
    position = Position(*game.parse(text)[0])
    proven, exact = solved(solver, position, wld=True), solved(solver, position)
    assert (exact.lower, exact.upper) == (64, 64)
    assert proven.lower <= 64 <= proven.upper
    assert proven.outcome == 1


def test_stopped_solver_returns_bounds():
    game = games.load("othello")
    (position,) = late_positions(game, 1, 14, 14, seed=9)
    exact = solved(OthelloSolver(game), position).lower
    seen = set()
    for nodes in (1, 30, 300, 3000):
        solver = OthelloSolver(game)
        solver.begin(nodes)
        *_, solution = solver.solve(position)
        assert solver.stopped or solution.exact
        assert solution.lower <= exact <= solution.upper
        seen.add(solution.exact)
    assert False in seen


def test_time_limit_stops_threads():
    game = games.load("othello")
    (position,) = late_positions(game, 1, 30, 30, seed=9)
    solver = OthelloSolver(game, threads=2)
    solver.compile()
    solver.begin()
    with stop_after(0.2, *solver.flags):
        *_, solution = solver.solve(position)
    assert solver.stopped
    assert not solution.exact
    assert all(flag[0] == RAISED for flag in solver.flags)


def ffo_problems(first: int, last: int) -> list[tuple[Position, dict[str, int]]]:
    game = games.load("othello")
    found = []
    for line in FFO.read_text(encoding="utf-8").splitlines()[first - 40 : last - 39]:
        text, *moves = (part.strip() for part in line.split(";") if part.strip())
        scores = {name.lower(): int(score) for name, score in (move.split(":") for move in moves)}
        found.append((Position(*game.parse(text)[0]), scores))
    return found


@pytest.mark.slow
@pytest.mark.skipif(not FFO.exists(), reason="the FFO endgame suite is not here")
def test_ffo_40_to_49():
    game = games.load("othello")
    solver = OthelloSolver(game, table_bits=20)
    for position, scores in ffo_problems(40, 49):
        solution = solved(solver, position)
        assert solution.exact
        assert solution.lower == max(scores.values())
        assert solution.best is not None
        assert scores[game.format_move(position, solution.best)] == solution.lower


@pytest.mark.slow
@pytest.mark.skipif(not FFO.exists(), reason="the FFO endgame suite is not here")
@pytest.mark.parametrize("number", range(40, 45))
def test_every_move_of_ffo(number: int):
    game = games.load("othello")
    ((position, scores),) = ffo_problems(number, number)
    solution = solved(OthelloSolver(game, table_bits=20), position, every_move=True)
    found = {game.format_move(position, one.move): one.lower for one in solution.moves}
    assert found == scores
