"""Flags: when they are raised, and when not."""

import time

import numpy
import pytest

from starscout.kernels.kernel import kernel
from starscout.search.time_control import RAISED, new_flag, stop_after, stop_searches

pytestmark = pytest.mark.plain


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
