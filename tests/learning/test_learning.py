"""A learning from nothing: it gets stronger, repeats itself bit for bit, and goes on after a kill."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from starscout.arena.workers import LocalRunner
from starscout.evaluate.weights_file import read_learned
from starscout.game import GameError
from starscout.learning.learning import HISTORY, Learning
from starscout.learning.recipe import Generation, Recipe

RECIPE = Recipe(
    (Generation(depth=2, time=1.0, result=1.0, games=400), Generation(depth=2, time=1.0, result=0.2, games=250)),
    units=8,
    epochs=3,
    pairs=20,
    nodes=200,
)


def learn(out: Path, recipe: Recipe = RECIPE, seed: int = 1, workers: int = 1) -> Learning:
    learning = Learning("ewn-3x3-3", out, recipe, seed, None, lambda: None)
    runner = LocalRunner(1)
    try:
        learning.run(runner, workers)
    finally:
        runner.close()
    return learning


def test_it_learns_and_repeats_itself_bit_for_bit(tmp_path: Path) -> None:
    first = learn(tmp_path / "a.weights")
    assert [done.games for done in first.history] == [400, 250]
    # Against the search that knows nothing but wins and losses.
    assert first.history[0].score - first.history[0].score_error > 0.5
    assert 0 < first.history[1].error < first.history[0].error < 1
    weights = read_learned(tmp_path / "a.weights")
    assert weights.learned["seed"] == 1
    assert weights.learned["recipe"] == json.loads(json.dumps(RECIPE.to_json()))
    assert not (tmp_path / "a.weights.learning").exists()
    # The number of threads changes nothing either.
    learn(tmp_path / "b.weights", workers=2)
    assert (tmp_path / "b.weights").read_bytes() == (tmp_path / "a.weights").read_bytes()


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
