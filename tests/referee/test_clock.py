"""Clocks: the time for a move, and the time left."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import starscout
from starscout import games
from starscout.game import state
from starscout.players.spec import make_player
from starscout.referee import game_in_progress
from starscout.referee.clock import MARGIN, MAX_OWN_WITHHELD, MAX_WITHHELD, Clock, time_allowed
from starscout.referee.game_in_progress import GameInProgress
from starscout.search.limits import Limit


def test_a_node_limit_never_times_out() -> None:
    clock = Clock(Limit(nodes=100))
    assert clock.limit() == Limit(nodes=100)
    assert clock.charge(10_000.0)


def test_time_per_move_is_renewed_and_the_margin_is_granted() -> None:
    clock = Clock(Limit(time=1.0))
    assert clock.charge(1.0 + MARGIN)
    assert clock.limit() == Limit(time=1.0)
    assert not clock.charge(1.0 + MARGIN + 0.01)


def test_the_game_clock_counts_down_and_the_increment_is_added() -> None:
    clock = Clock(Limit(clock=10.0, increment=0.5, depth=4))
    assert clock.charge(3.0)
    assert clock.limit() == Limit(clock=7.5, increment=0.5, depth=4)
    assert not clock.charge(7.5 + MARGIN + 0.01)


def test_the_margin_grows_by_withheld_time() -> None:
    late = 1.0 + MARGIN + 0.2
    assert not Clock(Limit(time=1.0)).charge(late)
    assert Clock(Limit(time=1.0)).charge(late, withheld=0.21)
    assert Clock(Limit(time=1.0)).charge(1.0 + MARGIN + MAX_OWN_WITHHELD, withheld=60.0)
    assert not Clock(Limit(time=1.0)).charge(1.0 + MARGIN + MAX_OWN_WITHHELD + 0.1, withheld=60.0)


@pytest.mark.parametrize(("local", "counted"), [(True, 5.0), (False, MAX_WITHHELD)])
def test_withheld_time_is_bounded_for_programs(monkeypatch: pytest.MonkeyPatch, local: bool, counted: float) -> None:
    """Regression: at a load of 50, one of our searches waited 1.6 s for a processor and lost on time."""
    waits = iter((0.0, 5.0))
    monkeypatch.setattr(game_in_progress, "time_withheld", lambda: next(waits))
    player = make_player("random", games.load("ewn-3x3-3"))
    player.local = local
    game = GameInProgress(state.start(games.load("ewn-3x3-3")), (player, player), (Limit(time=9.0), Limit(time=9.0)))
    game.begin()
    assert game.think()[2] == counted


def test_waiting_for_a_processor_is_measured() -> None:
    if not Path("/proc/thread-self/schedstat").exists():
        pytest.skip("this system does not report how long a thread waited")
    script = MEASURED.format(core=min(os.sched_getaffinity(0)))
    measured = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert float(measured.stdout) > 0.1


ROOT = Path(starscout.__file__).parents[1]
MEASURED = """
import os, signal, time
from starscout.referee.clock import time_withheld
os.sched_setaffinity(0, [{core}])
busy = []
for _ in range(3):
    busy.append(os.fork())
    if busy[-1] == 0:
        while True: pass
before, until = time_withheld(), time.perf_counter() + 0.5
while time.perf_counter() < until: pass
print(time_withheld() - before)
for process in busy:
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
"""
"""Three busy processes on the same core."""


def test_a_move_within_the_margin_leaves_an_empty_clock() -> None:
    clock = Clock(Limit(clock=1.0))
    assert clock.charge(1.0 + MARGIN / 2)
    assert clock.left == 0.0


@pytest.mark.parametrize(
    ("limit", "allowed"),
    [
        (Limit(), None),
        (Limit(time=2.0), 2.0),
        (Limit(clock=3.0), 3.0),
        (Limit(time=2.0, clock=3.0), 2.0),
        (Limit(time=2.0, clock=1.0), 1.0),
    ],
)
def test_the_shorter_limit_applies(limit: Limit, allowed: float | None) -> None:
    assert time_allowed(limit) == allowed


STOPPED = """
import sys
from starscout.referee.clock import stop_monitor
print(stop_monitor.stops(), flush=True)
for line in sys.stdin:
    print(stop_monitor.stops(), flush=True)
"""


def test_a_stopped_process_notices_it_and_a_busy_one_does_not() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(starscout.__file__).parents[1])}
    script = subprocess.Popen(
        [sys.executable, "-c", STOPPED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
    )
    assert script.stdin is not None
    assert script.stdout is not None
    try:
        assert script.stdout.readline() == "0\n"
        # The processors are busy: it waits for them, but is not stopped.
        busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(6)]
        time.sleep(0.5)
        for process in busy:
            process.kill()
            process.wait()
        script.stdin.write("\n")
        script.stdin.flush()
        assert script.stdout.readline() == "0\n"
        script.send_signal(signal.SIGSTOP)
        time.sleep(0.5)
        script.send_signal(signal.SIGCONT)
        script.stdin.write("\n")
        script.stdin.flush()
        assert script.stdout.readline() == "1\n"
    finally:
        script.kill()
        script.communicate()
