"""The forecast of solving times."""

import pytest

from starscout.games.othello.endgame import FIRST_GROWTH, FIRST_SECONDS, SolveForecast


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
