"""`starscout analyse`: JSON fields and text output."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine

POSITION = "...../.1.../..b../...2./acd.. r"
"""More cubes than the exact tables cover, so the position is searched."""


def test_every_move_after_the_roll(command_line: CommandLine):
    run = command_line("analyse", "ewn", f"{POSITION} 1", "--depth", "3", "--json")
    assert run.returncode == 0, run.stderr
    answer = json.loads(run.stdout)
    assert set(answer) == {"value", "win_probability", "best", "moves", "pv", "depth", "nodes", "seconds"}
    assert {entry["move"] for entry in answer["moves"]} == {"B2C2", "B2B3", "B2C3"}
    assert answer["depth"] == 3
    assert answer["value"] == max(entry["value"] for entry in answer["moves"])
    assert answer["win_probability"] == pytest.approx((answer["value"] + 1) / 2)
    assert answer["pv"][0] == answer["best"]


def test_position_without_a_roll_lists_every_roll(command_line: CommandLine):
    run = command_line("analyse", "ewn", f"{POSITION} -", "--depth", "2", "--json")
    assert run.returncode == 0, run.stderr
    answer = json.loads(run.stdout)
    assert set(answer) == {"value", "win_probability", "rolls", "pv", "depth", "nodes", "seconds"}
    assert [entry["roll"] for entry in answer["rolls"]] == [1, 2, 3, 4, 5, 6]
    # Cube 2 stands beside its goal: every roll from 2 on may move it there.
    assert [entry["best"] for entry in answer["rolls"][1:]] == ["D4E5"] * 5
    assert answer["value"] == pytest.approx(sum(entry["value"] for entry in answer["rolls"]) / 6)


def test_table_output(command_line: CommandLine):
    run = command_line("analyse", "ewn", f"{POSITION} 2", "--depth", "1")
    assert run.returncode == 0, run.stderr
    assert "red wins 100.0% (value +1.0000) with D4E5" in run.stdout
    assert "line: D4E5" in run.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("ewn", "...../.1... r 1"), "rows"),
        (("ewn", "...../...../...../...../a...1 b -"), "there is nothing to analyse"),
        (("ewn", f"{POSITION} 1", "--player", "strnog"), "did you mean 'strong'?"),
        (("go", f"{POSITION} 1"), "there is no game 'go'"),
    ],
)
def test_invalid_input_is_rejected(plain_command_line: CommandLine, arguments: tuple[str, ...], sentence: str):
    run = plain_command_line("analyse", *arguments)
    assert run.returncode == 2
    assert sentence in run.stderr
    assert "Traceback" not in run.stderr
    assert run.stdout == ""


def test_lines_and_plot(command_line: CommandLine, tmp_path: Path):
    plot = tmp_path / "plot.svg"
    words = ("analyse", "ewn", f"{POSITION} 1", "--depth", "2", "--lines", "2", "--plot", str(plot))
    run = command_line(*words, "--json")
    assert run.returncode == 0, run.stderr
    answer = json.loads(run.stdout)
    assert [line["move"] for line in answer["lines"]] == [answer["best"], answer["lines"][1]["move"]]
    assert plot.read_text(encoding="utf-8").count('class="bar"') == 3
    run = command_line(*words[:-1], str(tmp_path / "plot.jpg"))
    assert run.returncode == 2
    assert run.stderr.endswith("plot.jpg: expected a file name ending in .svg, .png, .pdf\n")
