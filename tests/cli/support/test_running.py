"""Where matches are kept and run: the store, the workers, the pace, and the lengths of time that people read."""

import os
import signal
from pathlib import Path

import pytest

from starscout.arena.director import Bout, Goal
from starscout.arena.plan import MatchPlan
from starscout.arena.store import Store
from starscout.arena.workers import WorkerError
from starscout.cli.support import running
from starscout.cli.support.command_options import RunOptions
from starscout.cli.support.running import Pace, duration, live, opened_runner, opened_store
from starscout.game import WorkError
from tests.arena.pairs import pair

PLAN = MatchPlan("ewn-3x3-3", "random", "random")


def test_the_store_is_the_one_that_is_named_else_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARSCOUT_STORE", str(tmp_path / "mine.sqlite"))
    for path, expected in ((None, tmp_path / "mine.sqlite"), (str(tmp_path / "b.sqlite"), tmp_path / "b.sqlite")):
        with opened_store(path) as store:
            store.open_match(PLAN, {"pairs": 1})
        assert expected.is_file()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (89.4, "89 s"), (90, "2 min"), (5399, "90 min"), (5400, "1.5 h"), (86400, "24.0 h")],
)
def test_lengths_of_time(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_the_pace_of_this_run(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(running.time, "perf_counter", lambda: now)
    with Store(":memory:") as store:
        match = store.open_match(PLAN, {"pairs": 1})
        store.add(match.id, [pair(0, 1.0, 0.0)])
        bout, pace = Bout(store, PLAN, Goal(100)), Pace()
        assert pace.text(bout) == "starting"
        # The first pair of this run starts the watch: the workers' start does not count.
        bout.take(pair(1, 1.0, 0.0))
        assert pace.text(bout) == "starting"
        now = 110.0
        for number in range(2, 12):
            bout.take(pair(number, 1.0, 0.0))
        # Ten pairs in ten seconds, and 88 to come.
        assert pace.text(bout) == "2.0 games per second, 88 s left at most"
        now = 120.0
        for number in range(12, 100):
            bout.take(pair(number, 1.0, 0.0))
        assert pace.text(bout) == "9.8 games per second"


def test_work_that_cannot_be_done_is_passed_on() -> None:
    def work() -> None:
        with opened_runner("ewn-3x3-3", RunOptions(workers=1), ("random",)) as runner:
            assert runner.workers() == 1
            raise WorkerError("pair 3 took down its worker")

    # `main` makes a sentence and exit code 1 of every WorkError.
    with pytest.raises(WorkError, match="pair 3 took down its worker"):
        work()


def test_nothing_is_drawn_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    drawn: list[int] = []
    with live(lambda: drawn.append(1)) as redraw:
        redraw()
    assert drawn == []
    assert capsys.readouterr() == ("", "")


def test_a_termination_ends_as_ctrl_c_does() -> None:
    before = signal.getsignal(signal.SIGTERM)
    try:
        running.leave_nobody_behind()
        with pytest.raises(SystemExit) as ended:
            os.kill(os.getpid(), signal.SIGTERM)
        assert ended.value.code == 143
    finally:
        signal.signal(signal.SIGTERM, before)
