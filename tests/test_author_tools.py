"""Tools for engine authors, used from an installed wheel in a folder without the sources."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import wheel

pytestmark = pytest.mark.slow

GOOD = '''"""Win if possible, else move at random."""

import random


class Agent:
    def __init__(self):
        self.generator = random.Random(1)

    def choose(self, state, limit):
        moves = state.moves
        wins = [move for move in moves if state.play(move).over]
        return (wins or [self.generator.choice(moves)])[0]
'''
BAD = GOOD.replace(
    "return (wins or [self.generator.choice(moves)])[0]", "return ([m for m in moves if m not in wins] or moves)[0]"
)
BROKEN = GOOD.replace("def choose(self, state, limit):", "def choose(self, state, limit)")


def git(folder: Path, *words: str) -> str:
    identity = {
        f"GIT_{who}_{what}": "author@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    variables = {**wheel.environment(), **identity, "GIT_CONFIG_GLOBAL": os.devnull}
    variables["PATH"] = f"{wheel.installed()}{os.pathsep}{variables['PATH']}"
    ended = subprocess.run(["git", *words], cwd=folder, env=variables, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_git_bisect_finds_the_commit_that_made_an_engine_weaker(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    commits = []
    # The fourth commit is untestable, the sixth is the first bad one.
    for number, source in enumerate((GOOD, GOOD, GOOD, BROKEN, GOOD, BAD, BAD, BAD)):
        (tmp_path / "agent.py").write_text(f"{source}\n# {number}\n")
        git(tmp_path, "add", "agent.py")
        git(tmp_path, "commit", "--quiet", "--message", f"commit {number}")
        commits.append(git(tmp_path, "rev-parse", "HEAD").strip())
    git(tmp_path, "bisect", "start", commits[-1], commits[0])
    said = git(
        tmp_path, "bisect", "run", "starscout", "match", "ewn-3x3-3", "python:agent.py:Agent", "random",
        "--sprt", "0", "30", "--fail-unless", "elo1", "--workers", "0", "--store", ":memory:",
    )  # fmt: skip
    assert f"{commits[5]} is the first bad commit" in said


def test_match_json_describes_the_match(tmp_path: Path) -> None:
    ended = wheel.run(
        "starscout", "match", "ewn-3x3-3", "random", "random depth=2", "--pairs", "1", "--workers", "0", "--json",
        folder=tmp_path,
    )  # fmt: skip
    assert ended.returncode == 2, ended.stdout
    ended = wheel.run(
        "starscout", "match", "ewn-3x3-3", "random", "random", "--pairs", "1", "--workers", "0", "--json",
        folder=tmp_path,
    )  # fmt: skip
    value = json.loads(ended.stdout)
    assert (value["game"], value["players"]) == ("ewn-3x3-3", {"A": "random", "B": "random"})


ENGINE = Path(__file__).parents[1] / "benchmarks" / "tuning_engine.py"
AGENT = GOOD.replace("def __init__(self):", "def __init__(self, own: int = 5):\n        self.own = own")


def match(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run a short match of the installed command in a folder."""
    options = ("--pairs", "1", "--workers", "0", "--luck", "off", "--json")
    return wheel.run("starscout", "match", *words, *options, folder=folder)


def test_options_of_engines_and_parameters_of_classes(tmp_path: Path) -> None:
    shutil.copy(ENGINE, tmp_path / "engine.py")
    (tmp_path / "agent.py").write_text(AGENT)
    log = tmp_path / "log.txt"
    done = match(tmp_path, "ewn", "lab[own=7]:python3 engine.py", "python:agent.py:Agent own=3", "--log", str(log))
    assert done.returncode == 0, done.stderr
    value = json.loads(done.stdout)
    assert value["players"] == {"A": "lab[own=7]:python3 engine.py", "B": "python:agent.py:Agent own=3"}
    assert value["forfeits"] == {"A": {}, "B": {}}
    assert "setoption name own value 7" in log.read_text()
    for a, expected in (
        ("lab[owm=7]:python3 engine.py", "no option 'owm'; did you mean 'own'?"),
        ("lab[own=21]:python3 engine.py", "own: expected a whole number from 0 to 20, got '21'"),
        ("python:agent.py:Agent owm=3", "no parameter 'owm'; did you mean 'own'?"),
    ):
        done = match(tmp_path, "ewn", a, "random")
        assert (done.returncode, expected in done.stderr) == (2, True), done.stderr
    done = match(tmp_path, "ewn", "lab:python3 engine.py", "lab:python3 engine.py", "--each", "own=9 enemy=1")
    assert json.loads(done.stdout)["players"]["A"] == "lab[own=9 enemy=1]:python3 engine.py"


def test_own_limits_openings_and_adjudication(tmp_path: Path) -> None:
    shutil.copy(ENGINE, tmp_path / "engine.py")
    (tmp_path / "book.txt").write_text("123../45.../6...f/...ed/..cba r -\n")
    done = match(
        tmp_path, "ewn", "lab[clock=60]:python3 engine.py", "random", "--time", "5", "--openings", "book.txt",
        "--opening-order", "sequential", "--max-plies", "4",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    value = json.loads(done.stdout)
    assert value["limits"] == {"A": {"clock": 60.0}, "B": {"time": 5.0}}
    assert value["adjudications"] == {"ply limit": 2}
    (tmp_path / "book.txt").write_text("123../45.../6...f/...ed/..cba r -\nnonsense\n")
    done = match(tmp_path, "ewn", "random", "random", "--openings", "book.txt")
    assert done.returncode == 2
    assert "book.txt:2: " in done.stderr


def test_tune_reports_an_interval_and_refuses_unknown_parameters(tmp_path: Path) -> None:
    shutil.copy(ENGINE, tmp_path / "engine.py")
    words = (
        "starscout",
        "tune",
        "ewn",
        "lab:python3 engine.py",
        "--steps",
        "3",
        "--pairs",
        "2",
        "--json",
        "--luck",
        "off",
    )
    done = wheel.run(*words, "--parameters", "own=5:0:20,enemy=15:0:20", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    value = json.loads(done.stdout)
    assert set(value["intervals"]) == {"own", "enemy"}
    assert all(low <= value["parameters"][name] <= high for name, (low, high) in value["intervals"].items())
    done = wheel.run(*words, "--parameters", "oven=5:0:20", folder=tmp_path)
    assert done.returncode == 2
    assert "no option 'oven'" in done.stderr
