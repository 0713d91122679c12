"""Training from random weights: it improves play, is reproducible bit for bit, and resumes after a kill."""

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

from starscout.api.learn import arena_match
from starscout.arena.workers import LocalRunner
from starscout.evaluation.weights import read_learned
from starscout.game import GameError
from starscout.learning import training
from starscout.learning.recipe import Generation, Recipe, recipe_from_json
from starscout.learning.training import HISTORY, Training
from tests.patience import PATIENCE

RECIPE = Recipe(
    (Generation(depth=2, time=1.0, result=1.0, games=400), Generation(depth=2, time=1.0, result=0.2, games=250)),
    units=8,
    epochs=3,
    pairs=20,
    nodes=200,
)


def learn(
    out: Path, recipe: Recipe = RECIPE, seed: int = 1, workers: int = 1, minutes: float | None = None
) -> Training:
    training_run = Training("ewn-3x3-3", out, recipe, seed, minutes, lambda: None)
    runner = LocalRunner(1)
    try:
        training_run.run(arena_match("ewn-3x3-3", runner), workers)
    finally:
        runner.close()
    return training_run


def test_training_improves(tmp_path: Path) -> None:
    first = learn(tmp_path / "a.weights")
    assert [done.games for done in first.history] == [400, 250]
    # Against the evaluation `zero`.
    assert first.history[0].score - first.history[0].score_error > 0.5
    assert 0 < first.history[1].error < first.history[0].error < 1
    weights = read_learned(tmp_path / "a.weights")
    assert weights.learned["seed"] == 1
    assert weights.learned["recipe"] == json.loads(json.dumps(RECIPE.to_json()))
    assert not (tmp_path / "a.weights.learning").exists()


@pytest.mark.slow
def test_weights_do_not_depend_on_threads(tmp_path: Path) -> None:
    learn(tmp_path / "a.weights")
    learn(tmp_path / "b.weights", workers=2)
    assert (tmp_path / "b.weights").read_bytes() == (tmp_path / "a.weights").read_bytes()


def test_training_uses_all_of_the_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = (Generation(depth=1, time=1.0, result=1.0), Generation(depth=1, time=1.0, result=0.2))
    recipe = Recipe(steps, units=8, epochs=1)
    # Every reading advances the clock; there are no matches; each generation ends after its first chunk because its
    # sample exceeds SAMPLE_BYTES.
    ticks = itertools.count()
    monkeypatch.setattr(training, "time", SimpleNamespace(monotonic=lambda: 0.03 * next(ticks)))
    monkeypatch.setattr(Training, "_match", lambda self, number, match: (0.5, 0.1))
    monkeypatch.setattr(training, "SAMPLE_BYTES", 1)
    seconds = 1.0
    timed = learn(tmp_path / "timed.weights", recipe, minutes=seconds / 60)
    assert len(timed.history) > len(steps)
    assert seconds * (1 - training.WORTHWHILE) <= timed.seconds < 1.5 * seconds
    # The header lists all generations, so its recipe reproduces them without a clock.
    whole = recipe_from_json(read_learned(tmp_path / "timed.weights").learned["recipe"])
    assert [step.games for step in whole.generations] == [training.CHUNK_GAMES] * len(timed.history)
    learn(tmp_path / "again.weights", whole)
    assert (tmp_path / "again.weights").read_bytes() == (tmp_path / "timed.weights").read_bytes()


def test_unused_time_goes_to_the_next_generations(tmp_path: Path) -> None:
    steps = tuple(Generation(depth=1, time=share, result=1.0) for share in (1.0, 2.0, 2.0))
    planned = Training("ewn-3x3-3", tmp_path / "a.weights", Recipe(steps), 1, 10.0, lambda: None)
    assert planned._seconds(0) == pytest.approx(training.PLAYING_SHARE * 600 / 5)
    # The first generation has used 100 seconds, its share was 120.
    planned.seconds = 100.0
    assert planned._seconds(1) == pytest.approx(training.PLAYING_SHARE * 500 / 2)
    planned.seconds = 700.0
    assert planned._seconds(2) == training.LEAST_SECONDS


SCRIPT = """
import sys
from pathlib import Path
from tests.learning.test_training import learn
if __name__ == "__main__":
    learn(Path(sys.argv[1]))
"""


@pytest.mark.slow
def test_killed_training_resumes(tmp_path: Path) -> None:
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
    deadline = time.monotonic() + PATIENCE
    while not (folder / HISTORY).exists() and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not out.exists()
    with pytest.raises(GameError, match="another interrupted run"):
        Training("ewn-3x3-3", out, RECIPE, 2, None, lambda: None)
    learn(out)
    assert out.read_bytes() == whole.read_bytes()


def test_path_with_a_space_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="out: expected a path without spaces"):
        Training("ewn-3x3-3", tmp_path / "my file.weights", RECIPE, 1, None, lambda: None)
