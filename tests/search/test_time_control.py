"""Budgets of a move, lag, iteration forecasts and the hard stop."""

import time
from types import SimpleNamespace

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starscout.kernels.kernel import kernel
from starscout.search.limits import Limit
from starscout.search.time_control import (
    LAG_SHARE,
    LAG_WINDOW,
    LEAST,
    RAISED,
    RESERVE,
    Budget,
    Forecast,
    Lag,
    budget,
    moves_left,
    new_flag,
    stop_after,
    stop_searches,
    within,
)

pytestmark = pytest.mark.plain

seconds = st.floats(0.0, 1000.0)


@given(seconds, st.floats(0.0, 10.0), st.floats(0.0, 60.0), st.floats(0.0, 100.0))
def test_budget_never_exceeds_the_clock(clock: float, increment: float, moves: float, lag: float) -> None:
    planned = budget(Limit(clock=clock, increment=increment), moves, lag)
    assert planned.share is not None
    assert planned.hard is not None
    assert 0.0 < planned.hard <= max(clock - RESERVE, LEAST)
    assert 0.0 < planned.share <= planned.hard


@given(seconds, seconds)
def test_budget_uses_the_smaller_of_move_time_and_clock(move_time: float, clock: float) -> None:
    both = budget(Limit(time=move_time, clock=clock), 5.0)
    alone = budget(Limit(clock=clock), 5.0)
    assert both.hard is not None
    assert alone.hard is not None
    assert both.hard <= alone.hard
    assert both.hard <= max(move_time - RESERVE, LEAST)


def test_budget_without_time_limits_is_unlimited() -> None:
    assert budget(Limit(depth=3, nodes=100), 5.0) == Budget(None, None)


def test_budget_spends_at_least_nine_tenths_of_a_clock_in_a_game_of_expected_length() -> None:
    clock = 60.0
    for ply in range(0, 20, 2):
        planned = budget(Limit(clock=clock), moves_left(20 - ply))
        assert planned.share is not None
        clock -= planned.share
    assert 0.0 < clock < 6.0


@given(st.lists(st.floats(0.0, 100.0), min_size=LAG_WINDOW), st.floats(0.01, 10.0))
def test_lag_takes_at_most_a_fifth_of_a_move_limit(delays: list[float], limit: float) -> None:
    lag = Lag()
    for delay in delays:
        lag.observe(delay)
    hard = budget(Limit(time=limit), 10.0, lag.seconds).hard
    assert hard is not None
    assert hard >= max((1.0 - LAG_SHARE) * limit - RESERVE, LEAST) - 1e-12


def test_one_stall_does_not_shorten_later_moves() -> None:
    lag = Lag()
    for late in (0.001, 20.0, 0.002, -0.05):
        lag.observe(late)
    assert lag.seconds == 0.002
    lag.observe(0.01)
    assert lag.seconds == 0.01


def test_lag_forgets_after_its_window() -> None:
    lag = Lag()
    for late in (0.3, 0.4, *[0.0] * LAG_WINDOW):
        lag.observe(late)
    assert lag.seconds == 0.0


def test_forecast_averages_the_growth_geometrically() -> None:
    forecast = Forecast(growth=4.0, smoothing=0.5)
    forecast.begin()
    assert forecast.expected == 0.0
    forecast.observe(1.0)
    assert forecast.expected == 4.0
    forecast.observe(9.0)
    assert forecast.growth == pytest.approx(6.0)
    assert forecast.expected == pytest.approx(54.0)
    forecast.begin()
    forecast.observe(2.0)
    assert forecast.expected == pytest.approx(12.0)


def test_forecast_ignores_the_growth_of_unmeasurably_short_iterations() -> None:
    forecast = Forecast(growth=4.0)
    forecast.begin()
    forecast.observe(1e-6)
    forecast.observe(1.0)
    assert forecast.growth == 4.0


def test_targets_make_the_mean_time_of_a_move_its_share() -> None:
    """The last iteration that ends before the target, over all phases of iterations that grow by a factor of 5."""
    forecast = Forecast(growth=5.0)
    target = forecast.target(1.0)
    phases = (numpy.arange(10_000) + 0.5) / 10_000
    ends = target * 5.0**-phases
    assert ends.mean() == pytest.approx(1.0, abs=1e-3)


def test_deepening_stops_before_an_iteration_that_would_miss_the_target(monkeypatch: pytest.MonkeyPatch) -> None:
    started, now = [], [0.0]
    monkeypatch.setattr("starscout.search.time_control.time", SimpleNamespace(monotonic=lambda: now[0]))

    def iterations():
        for number in range(100):
            started.append(number)
            now[0] += 0.01 * 3**number
            yield number

    forecast = Forecast(growth=3.0)
    share = 0.2 / forecast.target(1.0)
    seen = list(within(iterations(), Budget(share=share), forecast))
    assert seen == started
    # After 0.01 + 0.03 s, 0.09 s more are expected to end before 0.2 s; the 0.27 s after them are not.
    assert len(seen) == 3


@kernel
def count_until_raised(flag: numpy.ndarray, limit: int) -> int:
    count = 0
    while flag[0] == 0 and count < limit:
        count += 1
        flag[1 + count % (len(flag) - 1)] = count
    return count


def test_the_flag_is_raised_while_a_kernel_runs():
    flag = numpy.zeros(3, dtype=numpy.int64)
    count_until_raised(flag, 10)
    endless = 10**15
    started = time.monotonic()
    with stop_after(0.05, flag):
        assert count_until_raised(flag, endless) < endless
    assert time.monotonic() - started >= 0.05


def test_the_flag_stays_down_when_the_block_ends_in_time():
    flag = new_flag()
    with stop_after(0.5, flag):
        pass
    time.sleep(0.6)
    assert flag[0] == 0


def test_no_time_left_raises_all_flags_at_once():
    flags = new_flag(), new_flag()
    with stop_after(0.0, *flags):
        assert [int(flag[0]) for flag in flags] == [RAISED, RAISED]


def test_no_time_limit_never_raises():
    flag = new_flag()
    with stop_after(None, flag):
        assert flag[0] == 0
    assert flag[0] == 0


def test_an_error_inside_the_block_disarms_the_flag():
    flag = new_flag()
    with pytest.raises(KeyError), stop_after(0.5, flag):
        raise KeyError
    time.sleep(0.6)
    assert flag[0] == 0


def test_deadlines_of_several_searches_do_not_disturb_each_other():
    long, short = new_flag(), new_flag()
    with stop_after(30.0, long), stop_after(0.02, short):
        deadline = time.monotonic() + 25.0
        while short[0] == 0 and time.monotonic() < deadline:
            time.sleep(0.005)
        assert short[0] == RAISED
        assert long[0] == 0


def test_stop_searches_stops_every_running_search() -> None:
    limited, endless, finished = new_flag(), new_flag(), new_flag()
    with stop_after(60.0, finished):
        pass
    with stop_after(60.0, limited), stop_after(None, endless):
        stop_searches()
    assert [flag[0] for flag in (limited, endless, finished)] == [RAISED, RAISED, 0]


@pytest.mark.parametrize("seconds", [1e10, 1e18, 1e300])
def test_a_deadline_in_a_million_years_does_not_disturb_the_next_one(seconds: float) -> None:
    long, short = new_flag(), new_flag()
    with stop_after(seconds, long):
        # The thread that waits has to see the long deadline alone first.
        time.sleep(0.05)
        with stop_after(0.01, short):
            until = time.monotonic() + 60.0
            while short[0] == 0 and time.monotonic() < until:
                time.sleep(0.005)
        assert short[0] == RAISED
        assert long[0] == 0
