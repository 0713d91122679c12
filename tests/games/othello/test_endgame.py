"""The forecast of solving times."""

import time
from collections.abc import Iterator

import pytest

from starscout import games
from starscout.game.state import parse
from starscout.games.othello.endgame import FIRST_GROWTH, FIRST_SECONDS, SolveForecast, SolverEndgame
from starscout.games.othello.rules import Position
from starscout.search.limits import Limit
from starscout.search.time_control import Budget


def test_initial_forecast():
    assert SolveForecast().seconds(10) == pytest.approx(FIRST_SECONDS * FIRST_GROWTH**10)


@pytest.mark.parametrize(("growth", "scale"), [(1.6, 1e-5), (2.4, 1e-6)])
def test_growth_is_learned(growth: float, scale: float):
    forecast = SolveForecast()
    for _ in range(30):
        for empties in (12, 14, 16, 18):
            forecast.observe(empties, scale * growth**empties)
    assert forecast.growth == pytest.approx(growth, rel=0.02)
    assert forecast.seconds(20) == pytest.approx(scale * growth**20, rel=0.2)


def test_short_times_are_ignored():
    forecast = SolveForecast()
    forecast.observe(4, 1e-6)
    assert forecast.seconds(20) == SolveForecast().seconds(20)


def test_a_stopped_solution_is_expected_to_take_twice_as_long():
    forecast = SolveForecast()
    forecast.observe_stop(24, 100.0)
    assert forecast.seconds(24) == pytest.approx(200.0)
    # A shorter attempt that failed adds no information.
    forecast.observe_stop(24, 10.0)
    assert forecast.seconds(24) == pytest.approx(200.0)


def test_a_failed_solution_is_not_tried_again_with_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise failed attempts use up a clock."""
    game = games.load("othello-4x4")
    endgame = SolverEndgame(game, threads=1)
    endgame.warm()
    monkeypatch.setattr(type(endgame._solver), "stopped", property(lambda solver: True))
    state, seconds = parse(game, "-XXX-XXOOOXO---O X"), Budget(hard=0.01)
    assert endgame._affordable(5, Limit(clock=1.0), seconds, 1) is False
    began = time.perf_counter
    monkeypatch.setattr(time, "perf_counter", lambda: 100.0 * began())
    found, _ = endgame.decide(state, Limit(clock=1.0), seconds, every_move=False)
    assert found is None
    assert endgame._forecast.seconds(5) > SolveForecast().seconds(5)


def test_solutions_that_the_table_knows_do_not_change_the_forecast() -> None:
    game = games.load("othello-4x4")
    endgame = SolverEndgame(game, threads=1)
    endgame.warm()
    observed: list[int] = []
    endgame._forecast.observe = lambda empties, seconds: observed.append(empties)
    state, unlimited = parse(game, "-XXX-XXOOOXO---O X"), Budget(hard=60.0)
    for _ in range(2):
        now = state
        while not now.over:
            found, _ = endgame.decide(now, Limit(time=60.0), unlimited, every_move=False)
            assert found is not None
            now = now.play(found.move)
    assert observed == [5, 5]


def test_the_line_of_a_solved_position_ends_with_the_time_of_the_move(monkeypatch: pytest.MonkeyPatch) -> None:
    game = games.load("othello-4x4")
    endgame = SolverEndgame(game, threads=1)
    endgame.warm()
    solver, patience = endgame._solver, 60.0

    def endless(position: Position, score: int) -> Iterator[int]:
        began = time.monotonic()
        while not solver.stopped and time.monotonic() < began + patience:
            time.sleep(0.001)
        assert solver.stopped
        yield from ()

    monkeypatch.setattr(solver, "line", endless)
    state = parse(game, "-XXX-XXOOOXO---O X")
    found, _ = endgame.decide(state, Limit(time=0.2), Budget(hard=0.2), every_move=False)
    assert found is not None
    assert found.line == (found.move,)
