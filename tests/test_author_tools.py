"""Tools for engine authors, used from an installed wheel in a folder without the sources."""

import json
import os
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
