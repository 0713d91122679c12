"""Shares of the clock and the forecast of the next iteration."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starscout.search.limits import Limit
from starscout.search.time_control import LEAST, RESERVE, Budget, Forecast, budget, within

seconds = st.floats(0.0, 1000.0)


@given(seconds, st.floats(0.0, 10.0), st.floats(0.0, 60.0))
def test_a_clock_is_never_overdrawn(clock: float, increment: float, moves_left: float):
    share = budget(Limit(clock=clock, increment=increment), moves_left)
    assert share.aim is not None
    assert share.hard is not None
    assert 0.0 < share.aim <= max(clock - RESERVE, LEAST)
    assert 0.0 < share.hard <= max(clock - RESERVE, LEAST)
    assert share.aim <= share.hard + 1e-12


@given(seconds, seconds)
def test_the_tighter_of_time_and_clock_counts(move_time: float, clock: float):
    both = budget(Limit(time=move_time, clock=clock), 5.0)
    alone = budget(Limit(clock=clock), 5.0)
    assert both.hard is not None
    assert alone.hard is not None
    assert both.hard <= alone.hard
    assert both.hard <= max(move_time - RESERVE, LEAST)


def test_no_time_is_no_budget():
    assert budget(Limit(depth=3, nodes=100), 5.0) == Budget(None, None)


def test_the_clock_of_a_game_is_used_but_lasts():
    clock = 60.0
    for ply in range(0, 40, 2):
        share = budget(Limit(clock=clock), max(4.0, (22 - ply) / 2))
        assert share.aim is not None
        clock -= share.aim
        assert clock > 0.0
    assert clock < 6.0


def test_forecast_averages_the_growth():
    forecast = Forecast(growth=4.0, smoothing=0.5)
    forecast.begin()
    assert forecast.expected == 0.0
    forecast.observe(1.0)
    assert forecast.expected == 4.0
    forecast.observe(6.0)
    assert forecast.growth == 5.0
    assert forecast.expected == 30.0
    forecast.begin()
    forecast.observe(2.0)
    assert forecast.expected == 10.0


def test_no_iteration_starts_that_would_miss_the_aim(monkeypatch: pytest.MonkeyPatch):
    started, now = [], [0.0]
    monkeypatch.setattr("starscout.search.limits.time", SimpleNamespace(monotonic=lambda: now[0]))

    def iterations():
        for number in range(100):
            started.append(number)
            now[0] += 0.01 * 3**number
            yield number

    seen = list(within(iterations(), Budget(aim=0.2, hard=None), Forecast(growth=3.0)))
    assert seen == started
    # 0.01 + 0.03 seconds are over, and 0.09 more are expected; then 0.27 more, which are too many.
    assert len(seen) == 3


def test_a_limit_for_people() -> None:
    assert str(Limit(time=0.1, depth=8)) == "0.1 s per move, 8 plies"
    assert str(Limit(clock=60.0, depth=1, nodes=1_000_000, simulations=1)) == (
        "60 s per game, 1 ply, 1000000 nodes, 1 simulation"
    )
    assert str(Limit()) == ""
