"""Worker processes: crashes, start failures, errors of a batch, and leftover engines."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from starscout import games
from starscout.arena import workers
from starscout.arena.batch import Batch, close_players, play_batch, warm
from starscout.arena.plan import MatchPlan
from starscout.arena.workers import LocalRunner, Runner, SameProcessRunner, WorkerError, default_workers
from starscout.game import GameError
from starscout.players.spec import describe
from tests.patience import PATIENCE

DEADLY = """
import os
from dataclasses import replace
from starscout.games.ewn import rules

GAME = replace(rules.build(3, 3, 3), name="deadly", reason=lambda position: os._exit(7))
"""


def collect_all(runner: LocalRunner) -> None:
    """Collect until it raises; `collect` may return early while a worker exits."""
    end = time.monotonic() + 600
    while time.monotonic() < end:
        runner.collect(0.5)


def test_pair_that_kills_workers_ends_the_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starscout.arena.workers.MAX_DEATHS", 2)
    game = tmp_path / "deadly.py"
    game.write_text(DEADLY)
    runner = LocalRunner(1)
    try:
        runner.submit(Batch(1, MatchPlan(str(game), "random", "random"), (5,)))
        with pytest.raises(WorkerError, match=r"pair 5 of random against random .* 2 times \(last exit code 7\)"):
            collect_all(runner)
    finally:
        runner.close()


UNGUARDED = """
from starscout.arena.batch import Batch
from starscout.arena.plan import MatchPlan
from starscout.arena.workers import LocalRunner

runner = LocalRunner(1)
runner.submit(Batch(1, MatchPlan("ewn-3x3-3", "random", "random"), (5,)))
while not (played := runner.collect(0.5)):
    pass
runner.close()
print(played[0].match)
"""


def test_workers_do_not_import_main() -> None:
    """Also for scripts from standard input and scripts without `if __name__ == "__main__":`."""
    script = subprocess.run([sys.executable], input=UNGUARDED, capture_output=True, text=True, timeout=600, check=False)
    assert (script.stdout, script.stderr) == ("1\n", "")


def test_workers_that_cannot_start_end_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "MAX_DEATHS", 2)
    # A function with a wrong signature: the process exits with code 1.
    monkeypatch.setattr(workers, "_serve", os.abort)
    runner = LocalRunner(1)
    try:
        runner.submit(Batch(1, MatchPlan("ewn-3x3-3", "random", "random"), (5,)))
        with pytest.raises(WorkerError, match=r"2 workers in a row .* \(last exit code 1\); run with --workers 0"):
            collect_all(runner)
    finally:
        runner.close()


def test_errors_of_a_batch_are_raised() -> None:
    runner = LocalRunner(1)
    try:
        runner.submit(Batch(1, MatchPlan("ewn-3x3-3", "nobody", "random"), (0,)))
        with pytest.raises(GameError, match="nobody"):
            collect_all(runner)
        assert runner.capacity() == 2
    finally:
        runner.close()


ENGINE = """
import os, pathlib, sys
pathlib.Path(sys.argv[1], str(os.getpid())).touch()
os.execv(sys.executable, [sys.executable, "-m", "starscout", "engine", "random", "--protocol", "lab"])
"""


@pytest.mark.parametrize("end", [pytest.param(signal.SIGINT, marks=pytest.mark.slow), signal.SIGKILL])
@pytest.mark.usefixtures("trusted")
def test_no_engine_outlives_the_director(tmp_path: Path, end: signal.Signals) -> None:
    engine, seen = tmp_path / "engine.py", tmp_path / "seen"
    engine.write_text(ENGINE)
    seen.mkdir()
    match = ("match", "ewn-3x3-3", f"lab:{sys.executable} {engine} {seen}", "random", "--luck", "off")
    director = subprocess.Popen(
        [sys.executable, "-m", "starscout", *match, "--pairs", "100000", "--workers", "1", "--store", ":memory:"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_for(lambda: len(list(seen.iterdir())) >= 1)
    director.send_signal(end)
    director.wait(PATIENCE)
    engines = [int(path.name) for path in seen.iterdir()]
    wait_for(lambda: not any(Path(f"/proc/{process}").exists() for process in engines))


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 600
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_engine_that_cannot_start_forfeits_its_games() -> None:
    plan = MatchPlan("ewn-3x3-3", "lab:/bin/false", "random")
    warm(plan)
    (record,) = play_batch(Batch(1, plan, (0,))).records
    close_players()
    assert record.scores == (0.0, 0.0)
    assert [record.forfeiter(half) for half in (0, 1)] == ["A", "A"]


def test_default_workers_divides_cores_by_threads() -> None:
    game = games.load("ewn")
    specs = ("negascout depth=3 threads=4", "strong threads=2", "random", "mcts")
    assert [describe(spec, game).threads for spec in specs] == [4, 2, 1, 1]
    assert default_workers(default_workers()) == 1


PLAN = MatchPlan("ewn-3x3-3", "random", "random", seed=4)


def test_same_process_runner_plays_one_batch_at_a_time() -> None:
    runner: Runner = SameProcessRunner()
    assert (runner.workers(), runner.capacity(), runner.collect(0.0)) == (1, 1, [])
    runner.submit(Batch(1, PLAN, (0, 1)))
    assert runner.capacity() == 0
    (result,) = runner.collect(0.0)
    assert runner.capacity() == 1
    assert [record.scores for record in result.records] == [
        record.scores for record in play_batch(Batch(1, PLAN, (0, 1))).records
    ]
    runner.close()
