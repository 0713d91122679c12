"""Budgets of a move, lag, iteration forecasts and the hard stop."""

import time
from collections.abc import Iterator
from types import SimpleNamespace

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starscout.kernels.kernel import kernel
from starscout.search.deepening import Iteration
from starscout.search.limits import Limit
from starscout.search.time_control import (
    LAG_SHARE,
    LAG_WINDOW,
    LEAST,
    LEAST_MOVES,
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
from tests.patience import PATIENCE

pytestmark = pytest.mark.plain

DEEPENING = 0.4

seconds = st.floats(0.0, 1000.0)


plies = st.floats(1.0, 120.0)


@given(seconds, st.floats(0.0, 10.0), plies, st.floats(0.0, 100.0), st.integers(0, 100))
def test_budget_never_exceeds_the_clock(clock: float, increment: float, left: float, lag: float, depth: int) -> None:
    planned = budget(Limit(clock=clock, increment=increment), left, DEEPENING, lag)
    assert planned.hard is not None
    assert 0.0 < planned.hard <= max(clock - RESERVE, LEAST)
    share = planned.share(depth)
    assert share is None or 0.0 < share < planned.hard


@given(seconds, seconds, st.integers(0, 30))
def test_budget_uses_the_smaller_of_move_time_and_clock(move_time: float, clock: float, depth: int) -> None:
    both = budget(Limit(time=move_time, clock=clock), 9.0)
    alone = budget(Limit(clock=clock), 9.0)
    assert both.hard is not None
    assert alone.hard is not None
    assert both.hard <= alone.hard
    assert both.hard <= max(move_time - RESERVE, LEAST)
    # A move's limit that is shorter than the share is used in full.
    share = alone.share(depth)
    assert both.share(depth) == (share if share is not None and share < both.hard else None)


def test_budget_without_time_limits_is_unlimited() -> None:
    unlimited = budget(Limit(depth=3, nodes=100), 5.0)
    assert (unlimited.hard, unlimited.share(), unlimited.share(7)) == (None, None, None)


def test_budget_spends_at_least_nine_tenths_of_a_clock_before_the_end_is_in_sight() -> None:
    """A game of 40 plies whose searches see 10 plies ahead, and further by DEEPENING with each ply."""
    clock, ply = 60.0, 0
    while ply + 10 + DEEPENING * ply < 40:
        planned = budget(Limit(clock=clock), 40 - ply, DEEPENING)
        spent = planned.share(int(10 + DEEPENING * ply)) or planned.hard
        assert spent is not None
        clock, ply = clock - spent, ply + 2
    assert 0.0 < clock < 6.0


@given(plies, st.integers(0, 99))
def test_deeper_searches_leave_fewer_moves(left: float, depth: int) -> None:
    deeper, shallower = (moves_left(left, number, DEEPENING) for number in (depth + 1, depth))
    assert LEAST_MOVES <= deeper <= shallower <= moves_left(left, depth) <= max((left + 1.0) / 2.0, LEAST_MOVES)


def test_a_search_deeper_than_the_expected_game_leaves_time_for_later_moves() -> None:
    """The game is longer than expected if such a search does not see its end."""
    assert moves_left(12.0, 12) == moves_left(12.0, 30) == LEAST_MOVES > 1.0
    assert moves_left(12.0, 5, DEEPENING) == pytest.approx((7.0 / (1.0 + DEEPENING) + 1.0) / 2.0)


def test_shares_grow_with_the_depth_of_a_search_unless_it_is_selective() -> None:
    full, selective = (budget(Limit(clock=60.0), 40.0, sees_end=sees_end) for sees_end in (True, False))
    assert [full.share(depth) for depth in (10, 20)] == [pytest.approx(59.97 / n) for n in (15.5, 10.5)]
    assert selective.share(10) == selective.share(30) == pytest.approx(59.97 / 15.5)


@given(seconds, plies)
def test_a_search_is_stopped_after_four_shares_of_a_clock(clock: float, left: float) -> None:
    planned = budget(Limit(clock=clock), left, DEEPENING)
    share = planned.share()
    assert planned.hard is not None
    assert share is None or planned.hard <= 4.0 * share
    # A limit per move is used in full.
    assert budget(Limit(time=1.0), left, DEEPENING).hard == 1.0 - RESERVE


@given(st.lists(st.floats(0.0, 100.0), min_size=LAG_WINDOW), st.floats(0.01, 10.0))
def test_lag_takes_at_most_a_fifth_of_a_move_limit(delays: list[float], limit: float) -> None:
    lag = Lag()
    for delay in delays:
        lag.observe(delay)
    hard = budget(Limit(time=limit), 10.0, lag=lag.seconds).hard
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


@pytest.mark.parametrize(("plies_left", "completed"), [(100.0, 2), (10.0, 5)])
def test_deepening_stops_before_an_iteration_that_would_miss_the_target(
    plies_left: float, completed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Iterations end after 0.01, 0.04, 0.13, 0.40, 1.21 and 3.64 s.

    The target is 0.1 s if 100 plies are left. If 10 are left, it is 0.87 s at a depth of 0, 1.34 at 4 and 1.55 at 5.
    """
    started, now = [], [0.0]
    monkeypatch.setattr("starscout.search.time_control.time", SimpleNamespace(monotonic=lambda: now[0]))

    def iterations() -> Iterator[Iteration]:
        for depth in range(1, 100):
            started.append(depth)
            now[0] += 0.01 * 3 ** (depth - 1)
            yield Iteration(depth, (), 0, complete=True)

    forecast = Forecast(growth=3.0)
    clock = 0.1 / forecast.target(1.0) * moves_left(100.0, 2, DEEPENING)
    seen = list(within(iterations(), Budget(100.0, clock, plies_left=plies_left, deepening=DEEPENING), forecast))
    assert [iteration.depth for iteration in seen] == started
    assert len(seen) == completed


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
    with stop_after(2 * PATIENCE, long), stop_after(0.02, short):
        deadline = time.monotonic() + PATIENCE
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
        # The waiting thread must first see the long deadline alone.
        time.sleep(0.05)
        with stop_after(0.01, short):
            until = time.monotonic() + PATIENCE
            while short[0] == 0 and time.monotonic() < until:
                time.sleep(0.005)
        assert short[0] == RAISED
        assert long[0] == 0
