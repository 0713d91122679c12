"""A learning from nothing: it gets stronger, repeats itself bit for bit, and goes on after a kill."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from starscout.arena.workers import LocalRunner
from starscout.evaluation.weights import read_learned
from starscout.game import GameError
from starscout.learning import training as learning
from starscout.learning.recipe import Generation, Recipe, recipe_from_json
from starscout.learning.training import HISTORY, Learning

RECIPE = Recipe(
    (Generation(depth=2, time=1.0, result=1.0, games=400), Generation(depth=2, time=1.0, result=0.2, games=250)),
    units=8,
    epochs=3,
    pairs=20,
    nodes=200,
)


def learn(
    out: Path, recipe: Recipe = RECIPE, seed: int = 1, workers: int = 1, minutes: float | None = None
) -> Learning:
    under_way = Learning("ewn-3x3-3", out, recipe, seed, minutes, lambda: None)
    runner = LocalRunner(1)
    try:
        under_way.run(runner, workers)
    finally:
        runner.close()
    return under_way


def test_it_learns(tmp_path: Path) -> None:
    first = learn(tmp_path / "a.weights")
    assert [done.games for done in first.history] == [400, 250]
    # Against the search that knows nothing but wins and losses.
    assert first.history[0].score - first.history[0].score_error > 0.5
    assert 0 < first.history[1].error < first.history[0].error < 1
    weights = read_learned(tmp_path / "a.weights")
    assert weights.learned["seed"] == 1
    assert weights.learned["recipe"] == json.loads(json.dumps(RECIPE.to_json()))
    assert not (tmp_path / "a.weights.learning").exists()


@pytest.mark.slow
def test_the_number_of_threads_changes_nothing(tmp_path: Path) -> None:
    learn(tmp_path / "a.weights")
    learn(tmp_path / "b.weights", workers=2)
    assert (tmp_path / "b.weights").read_bytes() == (tmp_path / "a.weights").read_bytes()


def test_all_of_the_time_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = (Generation(depth=1, time=1.0, result=1.0), Generation(depth=1, time=1.0, result=0.2))
    recipe = Recipe(steps, units=8, epochs=1)
    # A clock that every look at it moves on; no matches; each generation ends after its first chunk, as if its sample
    # filled the memory.
    ticks = itertools.count()
    monkeypatch.setattr(learning, "time", SimpleNamespace(monotonic=lambda: 0.03 * next(ticks)))
    monkeypatch.setattr(Learning, "_match", lambda self, number, runner: (0.5, 0.1))
    monkeypatch.setattr(learning, "SAMPLE_BYTES", 1)
    seconds = 1.0
    timed = learn(tmp_path / "timed.weights", recipe, minutes=seconds / 60)
    assert len(timed.history) > len(steps)
    assert seconds * (1 - learning.WORTHWHILE) <= timed.seconds < 1.5 * seconds
    # The header has all of them, so that the recipe repeats them without a clock.
    whole = recipe_from_json(read_learned(tmp_path / "timed.weights").learned["recipe"])
    assert [step.games for step in whole.generations] == [learning.CHUNK_GAMES] * len(timed.history)
    learn(tmp_path / "again.weights", whole)
    assert (tmp_path / "again.weights").read_bytes() == (tmp_path / "timed.weights").read_bytes()


def test_time_that_is_left_goes_to_the_next_generations(tmp_path: Path) -> None:
    steps = tuple(Generation(depth=1, time=share, result=1.0) for share in (1.0, 2.0, 2.0))
    planned = Learning("ewn-3x3-3", tmp_path / "a.weights", Recipe(steps), 1, 10.0, lambda: None)
    assert planned._seconds(0) == pytest.approx(learning.PLAYING_SHARE * 600 / 5)
    # The first generation has used 100 seconds, its share was 120.
    planned.seconds = 100.0
    assert planned._seconds(1) == pytest.approx(learning.PLAYING_SHARE * 500 / 2)
    planned.seconds = 700.0
    assert planned._seconds(2) == learning.LEAST_SECONDS


SCRIPT = """
import sys
from pathlib import Path
from tests.learning.test_learning import learn
if __name__ == "__main__":
    learn(Path(sys.argv[1]))
"""


@pytest.mark.slow
def test_a_killed_learning_goes_on(tmp_path: Path) -> None:
    whole = tmp_path / "whole.weights"
    learn(whole)
    out = tmp_path / "killed.weights"
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    root = str(Path(__file__).parent.parent.parent)
    process = subprocess.Popen(
        [sys.executable, str(script), str(out)], env={**os.environ, "PYTHONPATH": root}, start_new_session=True
    )
    folder = tmp_path / "killed.weights.learning"
    deadline = time.monotonic() + 200
    while not (folder / HISTORY).exists() and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not out.exists()
    with pytest.raises(GameError, match="another learning that was interrupted"):
        Learning("ewn-3x3-3", out, RECIPE, 2, None, lambda: None)
    learn(out)
    assert out.read_bytes() == whole.read_bytes()


def test_a_path_with_a_space_is_refused(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="without one"):
        Learning("ewn-3x3-3", tmp_path / "my file.weights", RECIPE, 1, None, lambda: None)
