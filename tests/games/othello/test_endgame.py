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
