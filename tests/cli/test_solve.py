"""`starscout solve`: the exact value or a clear no."""

import json

import pytest

from tests.cli.conftest import CommandLine


def test_a_small_board_is_solved(command_line: CommandLine):
    run = command_line("solve", "ewn-3x3-3", "12./3.c/.ba r -", "--json")
    assert run.returncode == 0, run.stderr
    answer = json.loads(run.stdout)
    assert set(answer) == {"value", "win_probability", "best", "exact", "method"}
    assert answer["exact"] is True
    assert answer["best"] is None
    assert answer["value"] == pytest.approx(97 / 243, abs=1e-12)


def test_the_start_of_a_real_game_is_a_clear_no(command_line: CommandLine):
    position = "123../45.../6...f/...ed/..cba r 3"
    run = command_line("solve", "ewn", position, "--time", "0.2", "--json")
    assert run.returncode == 1
    assert json.loads(run.stdout)["exact"] is False
    assert run.stderr.startswith("starscout: no: after 0.2 s")
