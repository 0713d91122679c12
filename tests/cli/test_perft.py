"""`starscout perft`: counts, positions, errors, and equal output of a compiling and a loading process."""

import json
from pathlib import Path

import pytest

EWN_POSITION = "1..../...../...../...../....a r 1"


def test_counts_othello(command_line):
    done = command_line("perft", "othello", "6", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["nodes"] == 8200
    assert answer["seconds"] > 0
    assert set(answer) == {"nodes", "seconds"}


def test_text_output(command_line):
    done = command_line("perft", "othello", "5")
    assert "1,396 leaves" in done.stdout


def test_position_with_a_roll_has_a_best_move(command_line):
    """Red's only cube has three steps, then blue's six rolls with three steps each."""
    done = command_line("perft", "ewn", "2", "--position", EWN_POSITION, "--json")
    assert json.loads(done.stdout)["nodes"] == 3 * 6 * 3


@pytest.mark.slow
def test_compiling_and_loading_processes_print_the_same(command_line, tmp_path: Path):
    runs = [command_line("perft", "othello-4x4", "9", "--json", STARSCOUT_CACHE=str(tmp_path)) for _ in range(2)]
    assert [run.stderr for run in runs] == ["", ""]
    first, second = (json.loads(run.stdout)["nodes"] for run in runs)
    assert first == second == 20044
    assert list((tmp_path / "kernels").glob("*.kernel"))


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("othelo", "3"), "did you mean othello?"),
        (("./nowhere.py", "3"), "nowhere.py"),
        (("ewn", "--", "-1"), "DEPTH"),
        (("ewn", "3", "--position", "1..../...../...../....."), "position"),
    ],
)
def test_invalid_input_exits_with_2(plain_command_line, arguments: tuple[str, ...], word: str):
    done = plain_command_line("perft", *arguments)
    assert done.returncode == 2
    assert word in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
