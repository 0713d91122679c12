"""Output, the Python API and TCP engines, from an installed wheel in a folder without the sources."""

import json
import shutil
from pathlib import Path

import pytest

from tests import wheel
from tests.blocks import ROOT
from tests.protocols.test_tcp_program import RULES

pytestmark = pytest.mark.slow

QUICK = ("--workers", "0", "--luck", "off", "--store", "mine.sqlite")
AGENT = '''"""Choose the first move, and print."""


print("imported")


class Agent:
    def __init__(self):
        print("created")

    def choose(self, state, limit):
        print("thinking")
        return state.legal[0]
'''


def run(folder: Path, *words: str, code: int = 0) -> str:
    """Run a program of the installed wheel; return its standard output."""
    ended = wheel.run(*words, folder=folder)
    assert ended.returncode == code, ended.stdout + ended.stderr
    return ended.stdout if code == 0 else ended.stderr


def script(folder: Path, text: str, code: int = 0) -> str:
    """Run a Python script with the installed wheel."""
    (folder / "script.py").write_text(text)
    return run(folder, "python", "script.py", code=code)


def test_engines_that_only_connect_over_tcp(tmp_path: Path) -> None:
    assert RULES is not None
    (tmp_path / "reversi.py").write_text(RULES[1])
    shutil.copy(ROOT / "tests" / "protocols" / "tcp_engine.py", tmp_path)
    spec = "otp:python3 tcp_engine.py {port}"
    value = json.loads(run(tmp_path, "starscout", "match", "othello", spec, "random", "--pairs", "1", *QUICK, "--json"))
    assert (value["games"], value["forfeits"]) == (2, {"A": {}, "B": {}})
    words = ("--round-robin", "--pairs", "1", *QUICK)
    value = json.loads(run(tmp_path, "starscout", "tournament", "othello", spec, "random", *words, "--json"))
    assert sorted(row["games"] for row in value["table"]) == [2, 2]
    assert not any(row["forfeits"] for row in value["rounds"])


def test_review_in_the_terminal(tmp_path: Path) -> None:
    run(tmp_path, "starscout", "match", "ewn", "random", "negascout depth=1 eval=race", "--pairs", "2", *QUICK)
    shown = run(tmp_path, "starscout", "results", "1", "--game", "3", "--store", "mine.sqlite")
    assert "error rate" in shown
    boards = run(tmp_path, "starscout", "results", "1", "--game", "3", "--boards", "--store", "mine.sqlite")
    assert boards.count("to move") > 5
    for name in ("games.json", "games.csv"):
        run(tmp_path, "starscout", "results", "1", "--export", name, "--store", "mine.sqlite")
        value = json.loads(run(tmp_path, "starscout", "replay", name, "--json"))
        assert (value["games"], value["illegal"]) == (4, [])
        assert run(tmp_path, "starscout", "export", name, "--format", "text")
        value = json.loads(run(tmp_path, "starscout", "review", name, "--game", "2", "--json"))
        assert {side["player"] for side in value["summary"]} == {"random", "negascout depth=1 eval=race"}
        assert all({"move", "event", "value", "loss", "luck"} <= set(ply) for ply in value["plies"])
    printed = script(tmp_path, "import starscout\nprint(starscout.replay('games.json').records[0])\n")
    assert "random" in printed
    assert len(printed.splitlines()) > 5


def test_output(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(AGENT)
    spec = "python:agent.py:Agent"
    plots = [tmp_path / f"plot{suffix}" for suffix in (".png", ".pdf", ".svg")]
    for plot in plots:
        words = ("match", "ewn", spec, "random", "--pairs", "2", *QUICK)
        ended = wheel.run("starscout", *words, "--plot", plot.name, folder=tmp_path)
        assert ended.returncode == 0, ended.stderr
        assert spec not in ended.stdout
        assert "A: Agent" in ended.stdout
    starts = [plot.read_bytes()[:4] for plot in plots]
    assert starts == [b"\x89PNG", b"%PDF", b"<svg"]
    # What a class prints is labelled with its name, and --json prints one object.
    ended = wheel.run(
        "starscout", "match", "ewn", spec, "random", "--pairs", "1", "--seed", "2", *QUICK, "--json", folder=tmp_path
    )
    assert json.loads(ended.stdout)["players"]["A"] == spec
    for word in ("imported", "created", "thinking"):
        lines = [line for line in ended.stderr.splitlines() if word in line]
        assert lines
        assert all(line == f"Agent: {word}" for line in lines)
    # A match that ends early says when and why.
    words = ("match", "ewn", "negascout depth=2 eval=race", "random", "--sprt", "0", "30", *QUICK)
    assert "of 20,000 pairs: the sequential test accepted H1" in run(tmp_path, "starscout", *words)
    printed = script(
        tmp_path,
        "import starscout\n"
        "for result in (starscout.results(store='mine.sqlite'), starscout.results(store='mine.sqlite').matches[0]):\n"
        "    frame = result.frame()\n"
        "    nested = [c for c in frame if frame[c].map(lambda cell: isinstance(cell, (dict, list, tuple))).any()]\n"
        "    print(len(frame) > 1, nested)\n",
    )
    assert printed == "True []\nTrue []\n"
    error = script(tmp_path, "import starscout\n\nstarscout.match('ewn', 'rndom', 'random')\n", code=1)
    assert error.count("  File ") == 2
    assert 'script.py", line 3' in error
    assert error.splitlines()[-1].startswith("starscout.errors.GameError: there is no player 'rndom'")


API = """
import starscout

state = starscout.parse("ewn", "123../45.../6...f/...ed/..cba r 4")
print([info.depth for info in starscout.analysis(state, "negascout eval=race", depth=3)])
for info in starscout.analysis(state, "strong"):
    if info.depth and info.depth >= 2:
        break
print(len(starscout.analyse(state, "negascout eval=race", depth=2, lines=3).lines))
with starscout.player("lab[own=3]:python3 engine.py", "ewn") as engine:
    engine.configure({"own": 7})
    print(engine.choose(state, starscout.Limit(time=5)).move in state.legal)
    try:
        engine.configure({"own": 70})
    except starscout.GameError as error:
        print(error)
after = state.play(state.moves[0])
print(after.undo() == state)
game = starscout.GameTree(state)
game.root.play("A2B3", event=4, comment="capture later")
game.root.play("A2A3", event=4)
game.save("game.json")
print(starscout.GameTree.load("game.json"))
"""


def test_api(tmp_path: Path) -> None:
    shutil.copy(ROOT / "benchmarks" / "tuning_engine.py", tmp_path / "engine.py")
    lines = script(tmp_path, API).splitlines()
    assert lines[:3] == ["[1, 2, 3]", "3", "True"]
    assert "own: expected a whole number from 0 to 20, got '70'" in lines[3]
    assert lines[4] == "True"
    assert "{capture later}" in lines[5]
    assert "A2A3" in lines[5]
    words = ("analyse", "ewn", "123../45.../6...f/...ed/..cba r 4", "--player", "negascout eval=race", "--depth", "2")
    value = json.loads(run(tmp_path, "starscout", *words, "--lines", "3", "--json"))
    assert len(value["lines"]) == 3
