"""`starscout solve`: exact values and timeouts."""

import json

import pytest

from tests.cli.conftest import CommandLine


def test_a_small_board_is_solved(command_line: CommandLine):
    run = command_line("solve", "ewn-3x3-3", "12./3.c/.ba r -", "--json")
    assert run.returncode == 0, run.stderr
    answer = json.loads(run.stdout)
    assert set(answer) == {"value", "win_probability", "best", "exact", "method", "nodes", "seconds"}
    assert answer["exact"] is True
    assert answer["best"] is None
    assert answer["value"] == pytest.approx(97 / 243, abs=1e-12)


# Compiling the search takes seconds; the start of Othello times out below.
@pytest.mark.slow
def test_start_of_a_full_game_times_out(command_line: CommandLine):
    position = "123../45.../6...f/...ed/..cba r 3"
    run = command_line("solve", "ewn", position, "--time", "0.2", "--json")
    assert run.returncode == 1
    assert json.loads(run.stdout)["exact"] is False
    assert run.stderr.startswith("starscout: not solved: after 0.2 s")


LATE = "XXXXXX-OXXXXXXO--OOOOOX-XOOOOOX-OOXOOOXX-OOOOOXXXOOO-OXX---OXXXX X"
LATE_DISCS = 42
"""By the unpruned definition of tests/games/othello/definition.py."""


def test_discs_and_the_line(command_line: CommandLine):
    run = command_line("solve", "othello", LATE, "--json")
    assert run.returncode == 0, run.stderr
    answer = json.loads(run.stdout)
    assert answer["discs"] == LATE_DISCS
    assert answer["value"] == 1.0
    assert answer["best"] == answer["pv"][0]
    assert answer["nodes"] > 0
    quick = json.loads(command_line("solve", "othello", LATE, "--wld", "--json").stdout)
    assert quick["value"] == 1.0
    assert quick["exact"] is True


def test_text_output_shows_discs(command_line: CommandLine):
    run = command_line("solve", "othello", LATE, "--threads", "2")
    assert run.returncode == 0, run.stderr
    assert f"black wins by {LATE_DISCS:+d} discs" in run.stdout
    assert "line: " in run.stdout


def test_too_little_time_gives_bounds(command_line: CommandLine):
    start = f"{'-' * 27}OX{'-' * 6}XO{'-' * 27} X"
    run = command_line("solve", "othello", start, "--time", "0.1", "--json")
    assert run.returncode == 1
    answer = json.loads(run.stdout)
    assert answer["exact"] is False
    assert answer["bounds"] == [-64, 64]
    assert "black ends between -64 and +64 discs" in run.stderr


def test_wld_needs_a_score(plain_command_line: CommandLine):
    run = plain_command_line("solve", "ewn-3x3-3", "12./3.c/.ba r -", "--wld")
    assert run.returncode == 2
    assert run.stderr.startswith("starscout: --wld: ewn-3x3-3 has no score")
