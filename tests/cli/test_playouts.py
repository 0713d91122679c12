"""`starscout playouts`: random games on one or more threads, and Ctrl-C."""

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys

import pytest


@pytest.mark.parametrize("threads", ["1", "2"])
def test_json(command_line, threads: str):
    done = command_line("playouts", "ewn", "--seconds", "0.3", "--threads", threads, "--seed", "5", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert set(answer) == {"playouts", "seconds", "per_second", "mean_plies", "first_mover_wins"}
    # The number of games depends on the machine, and the error of their mean on that number.
    error = 4 / answer["playouts"] ** 0.5
    assert answer["playouts"] > 100
    assert answer["per_second"] == pytest.approx(answer["playouts"] / answer["seconds"])
    assert answer["mean_plies"] == pytest.approx(21.58, abs=0.05 + 5 * error)
    assert answer["first_mover_wins"] == pytest.approx(0.532, abs=0.005 + 0.5 * error)


def test_people_get_a_sentence(command_line):
    done = command_line("playouts", "othello-4x4", "--seconds", "0.05")
    assert done.returncode == 0, done.stderr
    assert "random games of othello-4x4" in done.stdout
    assert "draws" in done.stdout


@pytest.mark.parametrize("option", ["--threads=0", "--seconds=-1", "--seed=-1"])
def test_bad_options(plain_command_line, option: str):
    done = plain_command_line("playouts", "ewn", option)
    assert done.returncode == 2
    assert option.split("=")[0] in done.stderr
    assert "Traceback" not in done.stderr


def test_progress_on_a_terminal_and_control_c():
    """The progress bar shows that the games have started; Ctrl-C then ends them with a message and exit code 130."""
    terminal, standard_error = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "starscout", "playouts", "ewn", "--seconds", "100", "--threads", "2"],
        stdout=subprocess.PIPE,
        stderr=standard_error,
        text=True,
    )
    os.close(standard_error)
    errors = ""
    while "playing" not in errors:
        errors += os.read(terminal, 1000).decode()
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=120)
    with contextlib.suppress(OSError):  # a terminal without a writer ends with an error
        while text := os.read(terminal, 1000).decode():
            errors += text
    os.close(terminal)
    assert process.returncode == 130
    assert output == ""
    assert "interrupted" in errors
    assert "Traceback" not in errors
