"""Workflows, exit codes and scripts of engine authors, from an installed wheel in a folder without the sources."""

import json
import math
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import wheel
from tests.blocks import ROOT

pytestmark = pytest.mark.slow

ENGINE = ROOT / "benchmarks" / "tuning_engine.py"
WORKFLOW = ROOT / "examples" / "engine-test.yml"
MAKEFILE = "engine: engine.py\n\tcp engine.py engine\n\tchmod +x engine\n"
AGENT = '''"""A class with parameters."""


class Agent:
    def __init__(self, last: bool = False):
        self.last = last

    def choose(self, state, limit):
        return state.legal[-1 if self.last else 0]
'''
QUICK = ("--pairs", "1", "--workers", "0", "--luck", "off", "--store", ":memory:")


def run_steps(workflow: Path) -> list[str]:
    """Return the commands of the `run` steps of a workflow; folded blocks are one line."""
    steps: list[str] = []
    lines = workflow.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        found = re.fullmatch(r"( +)- run: (.+)", line)
        if found and found[2] == ">":
            inside = lines[number + 1 :]
            end = next((n for n, text in enumerate(inside) if not text.startswith(f"{found[1]}    ")), len(inside))
            steps.append(" ".join(text.strip() for text in inside[:end]))
        elif found:
            steps.append(found[2])
    return steps


def write_engine(folder: Path, own: int, enemy: int, first_line: str = "") -> None:
    """Write the repository of an engine whose strength depends on two numbers."""
    folder.mkdir()
    source = ENGINE.read_text().replace('{"own": 5, "enemy": 15,', f'{{"own": {own}, "enemy": {enemy},')
    assert f'"own": {own}, "enemy": {enemy}' in source
    (folder / "engine.py").write_text(f"#!/usr/bin/env python3\n{first_line}\n{source}")
    (folder / "Makefile").write_text(MAKEFILE)


@pytest.mark.parametrize(
    ("new", "old", "first_line", "code"),
    [
        ((14, 6), (0, 20), "", 0),
        ((0, 20), (14, 6), "", 3),
        ((14, 6), (0, 20), "import sys; sys.exit('no licence')", 3),
    ],
    ids=["better", "worse", "crashes"],
)
def test_the_example_workflow(
    tmp_path: Path, new: tuple[int, int], old: tuple[int, int], first_line: str, code: int
) -> None:
    steps = run_steps(WORKFLOW)
    assert [step.split()[0] for step in steps] == ["pip", "make", "starscout"]
    write_engine(tmp_path / "new", *new, first_line)
    write_engine(tmp_path / "old", *old)
    (package,) = wheel.build().glob("*.whl")
    shutil.copy(package, tmp_path / "new")
    # Each step runs in a shell of its own, as on GitHub; nothing is downloaded, because the wheel is installed already.
    variables = {**wheel.environment(), "PIP_NO_INDEX": "1"}
    variables["PATH"] = f"{wheel.installed()}{os.pathsep}{variables['PATH']}"
    codes: list[int] = []
    output = ""
    for step in steps:
        ended = subprocess.run(
            ["bash", "-e", "-c", step], cwd=tmp_path, env=variables, capture_output=True, text=True, check=False
        )
        codes.append(ended.returncode)
        output += ended.stdout + ended.stderr
    assert codes == [0, 0, code], output
    assert (tmp_path / "match.sqlite").exists()
    assert "<html" in (tmp_path / "match.html").read_text(encoding="utf-8")


def test_exit_codes_and_normalised_elo(tmp_path: Path) -> None:
    def match(*words: str) -> "subprocess.CompletedProcess[str]":
        return wheel.run("starscout", "match", "ewn-3x3-3", *words, folder=tmp_path)

    ended = match("lab:false", "random", "--pairs", "2", "--workers", "0")
    assert (ended.returncode, "never made a move" in ended.stderr) == (1, True), ended.stderr
    assert match("lab:false", "random", *QUICK, "--fail-on-forfeit").returncode == 3
    assert match("lab:./missing", "random", *QUICK, "--fail-on-forfeit").returncode == 125
    ended = match("negascout depth=2 eval=zero", "random", "--pairs", "50", "--workers", "0", "--json")
    value = json.loads(ended.stdout)
    # Fastchess's formula: (score − ½) / √(2 · variance of the pairs) · 800 / ln 10, and its error bar.
    pairs = [float(score) for score, count in value["pair_counts"].items() for _ in range(count)]
    mean = sum(pairs) / len(pairs)
    deviation = math.sqrt(2 * sum((score - mean) ** 2 for score in pairs) / len(pairs))
    scale = 800 / math.log(10)
    assert value["normalised_elo"] == pytest.approx((mean - 0.5) / deviation * scale, rel=1e-12)
    assert value["normalised_elo_error"] == pytest.approx(1.959964 / math.sqrt(2 * len(pairs)) * scale, rel=1e-9)
    low, high = value["normalised_elo_interval"]
    assert low < value["normalised_elo"] < high


def test_classes_with_parameters_and_placeholders(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(AGENT)
    shutil.copy(ENGINE, tmp_path / "engine.py")
    (tmp_path / "script.py").write_text(
        "import functools\n\nimport starscout\nfrom agent import Agent\n\n\n"
        'if __name__ == "__main__":\n'
        "    last = functools.partial(Agent, last=True)\n"
        '    result = starscout.match("ewn-3x3-3", last, Agent, pairs=2, store=":memory:", workers=1)\n'
        "    print(result.names, result.games)\n"
    )
    ended = wheel.run("python", "script.py", folder=tmp_path)
    assert ended.stdout.splitlines()[-1] == "('Agent last=on', 'Agent') 4", ended.stdout + ended.stderr
    tune = ("starscout", "tune", "ewn", "--steps", "1", "--pairs", "1", "--luck", "off", "--store", ":memory:")
    ended = wheel.run(*tune, "lab:python3 engine.py {own}", "--parameters", "own=5:0:20", folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert re.search(r"starscout match ewn 'lab:python3 engine\.py \d+' 'lab:python3 engine\.py 5'", ended.stdout)
    ended = wheel.run(*tune, "tcg-ewn:python3 engine.py", "--parameters", "own=5:0:20", folder=tmp_path)
    assert (ended.returncode, "write {own} there" in ended.stderr) == (2, True)
    ended = wheel.run("starscout", "check", "ewn", "python:agent.py:Agent last=on", "--json", folder=tmp_path)
    assert json.loads(ended.stdout)["ok"], ended.stdout
    ended = wheel.run("starscout", "match", "ewn", "./engine.py", "random", folder=tmp_path)
    assert (ended.returncode, "write lab:./engine.py or tcg-ewn:./engine.py" in ended.stderr) == (2, True)


def test_opening_books_in_tournaments_and_sequential_tests(tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_text("# one opening\n123../45.../6...f/...ed/..cba r -\n")
    book = ("--openings", "book.txt", "--workers", "0", "--luck", "off", "--store", "mine.sqlite", "--json")
    players = ("random", "negascout depth=1 eval=race")
    ended = wheel.run(
        "starscout", "tournament", "ewn", *players, "--round-robin", "--pairs", "1", *book, folder=tmp_path
    )
    assert ended.returncode == 0, ended.stderr
    words = ("match", "ewn", "negascout depth=2 eval=race", "random", "--sprt", "0", "30")
    ended = wheel.run("starscout", *words, *book, folder=tmp_path)
    assert json.loads(ended.stdout)["sprt"]["verdict"] == "elo1", ended.stderr
    ended = wheel.run("starscout", "results", "2", "--export", "games.json", "--store", "mine.sqlite", folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    starts = {game["start"] for game in json.loads((tmp_path / "games.json").read_text())["games"]}
    assert starts == {"123../45.../6...f/...ed/..cba r -"}
