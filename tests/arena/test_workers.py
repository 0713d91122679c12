"""Worker processes: a pair that kills its worker again and again ends the work with a sentence; errors come through."""

from pathlib import Path

import pytest

from starscout.arena.batch import Batch
from starscout.arena.plan import MatchPlan
from starscout.arena.workers import LocalRunner, WorkerError
from starscout.game import GameError

DEADLY = """
import os
from dataclasses import replace
from starscout.games import ewn

GAME = replace(ewn.build(3, 3, 3), name="deadly", reason=lambda position: os._exit(7))
"""


def collect_all(runner: LocalRunner) -> None:
    for _ in range(300):
        runner.collect(0.5)


def test_a_deadly_pair_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starscout.arena.workers.MOST_DEATHS", 2)
    game = tmp_path / "deadly.py"
    game.write_text(DEADLY)
    runner = LocalRunner(1)
    try:
        runner.submit(Batch(1, MatchPlan(str(game), "random", "random"), (5,)))
        with pytest.raises(WorkerError, match=r"pair 5 of random against random .* 2 times \(last exit code 7\)"):
            collect_all(runner)
    finally:
        runner.close()


def test_errors_of_the_work_come_through() -> None:
    runner = LocalRunner(1)
    try:
        runner.submit(Batch(1, MatchPlan("ewn-3x3-3", "nobody", "random"), (0,)))
        with pytest.raises(GameError, match="nobody"):
            collect_all(runner)
        assert runner.capacity() == 2
    finally:
        runner.close()
