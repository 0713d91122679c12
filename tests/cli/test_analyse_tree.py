"""`starscout analyse` with a Monte-Carlo player: intervals, pruning, and the tree as a file."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine

POSITION = "1.3/.../.cb r"


def test_moves_have_intervals_and_the_tree_is_written(command_line: CommandLine, tmp_path: Path):
    file = tmp_path / "tree.json"
    options = ("--player", "mcts nodes=5000", "--simulations", "30", "--tree", str(file), "--json")
    run = command_line("analyse", "ewn-3x3-3", f"{POSITION} 1", *options)
    assert run.returncode == 0, run.stderr
    answer = json.loads(run.stdout)
    for entry in answer["moves"]:
        assert entry["interval"][0] <= entry["value"] <= entry["interval"][1]
        assert entry["pruned"] is None
    tree = json.loads(file.read_text(encoding="utf-8"))
    assert tree["kind"] == "decision"
    assert {child["move"]: child["visits"] for child in tree["children"]} == {
        entry["move"]: entry["visits"] for entry in answer["moves"]
    }


def test_proven_moves_and_tree_export(command_line: CommandLine, tmp_path: Path):
    file = tmp_path / "tree.dot"
    options = ("--player", "mcts nodes=5000", "--simulations", "5000", "--tree", str(file), "--tree-depth", "1")
    run = command_line("analyse", "ewn-3x3-3", f"{POSITION} 1", *options)
    assert run.returncode == 0, run.stderr
    assert "95 % interval" in run.stdout
    assert "proven" in run.stdout
    assert "peripheries=2" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("player", "die", "file", "sentence"),
    [
        ("mcts nodes=5000", "1", "tree.png", "--tree: expected a file name ending in .dot, .gv, .json"),
        ("negascout depth=1", "1", "tree.dot", "has no Monte-Carlo tree"),
        ("mcts nodes=5000", "-", "tree.dot", "--tree: the position needs a roll"),
        ("mcts nodes=5000", "1", "missing/tree.dot", "cannot be written"),
    ],
)
def test_invalid_tree_options_are_rejected(
    plain_command_line: CommandLine, tmp_path: Path, player: str, die: str, file: str, sentence: str
):
    options = ("--player", player, "--simulations", "20", "--tree", str(tmp_path / file))
    run = plain_command_line("analyse", "ewn-3x3-3", f"{POSITION} {die}", *options)
    assert run.returncode == 2
    assert sentence in run.stderr
    assert "Traceback" not in run.stderr
