"""Failing Python agents forfeit only their games; Ctrl-C and SIGTERM still work."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import starscout
from tests.command_line import run as run_command
from tests.patience import PATIENCE

ROOT = Path(starscout.__file__).parents[1]
QUICK = ("--pairs", "1", "--store", ":memory:", "--json", "--workers")
PLAIN = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_DISABLE_JIT": "1"}


def written(folder: Path, method: str, text: str) -> str:
    """The SPEC of an agent that plays the first move and has one more method with this source."""
    first = (
        "" if method.startswith("choose") else "    def choose(self, state, limit):\n        return state.moves[0]\n"
    )
    (folder / "agent.py").write_text(f"import sys, time\n\nclass A:\n{first}    def {method}:\n        {text}\n")
    return f"python:{folder / 'agent.py'}:A"


def run(*words: str, said: str = "") -> "subprocess.CompletedProcess[str]":
    return run_command(words, environment={"NUMBA_DISABLE_JIT": "1"}, given=said)


@pytest.mark.parametrize(
    ("method", "text", "workers", "told"),
    [
        ("choose(self, state, limit)", "sys.exit(3)", "0", "SystemExit: 3 (choose, line 5 of "),
        ("choose(self, state, limit)", "sys.exit(3)", "1", "SystemExit: 3 (choose, line 5 of "),
        ("choose(self, state, limit)", "raise KeyboardInterrupt", "1", "KeyboardInterrupt (choose, line 5 of "),
        ("observe(self, state, move)", "raise GeneratorExit", "0", "GeneratorExit (observe, line 7 of "),
        ("new_game(self, game, seed)", "sys.exit()", "0", "SystemExit (new_game, line 7 of "),
        ("new_game(self, game, seed)", "1 / 0", "1", "ZeroDivisionError: division by zero (new_game, line 7 of "),
    ],
)
def test_whatever_an_agent_raises_is_its_forfeit(
    tmp_path: Path, method: str, text: str, workers: str, told: str
) -> None:
    done = run("match", "ewn-3x3-3", written(tmp_path, method, text), "random", *QUICK, workers)
    assert done.stdout, done.stderr
    result = json.loads(done.stdout)
    assert result["forfeits"] == {"A": {"crash": 2}, "B": {}}
    assert told in result["first_forfeit"]


@pytest.mark.parametrize("workers", ["0", "1", pytest.param("1 --cluster local", marks=pytest.mark.slow)])
def test_what_an_agent_prints_goes_to_standard_error(tmp_path: Path, workers: str) -> None:
    agent = written(tmp_path, "choose(self, state, limit)", "print('chosen'); return state.moves[0]")
    with (tmp_path / "agent.py").open("a") as file:
        file.write("\nprint('imported')\n")
    done = run("match", "ewn-3x3-3", agent, "random", *QUICK, *workers.split())
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["games"] == 2
    # Every line names the class.
    assert {"A: imported", "A: chosen"} <= set(done.stderr.splitlines())


def test_printing_engine_keeps_standard_output_for_the_protocol(tmp_path: Path) -> None:
    agent = written(tmp_path, "choose(self, state, limit)", "print('chosen'); return state.moves[0]")
    done = run("engine", agent, "--protocol", "gtp", said="genmove b\nquit\n")
    assert done.returncode == 0, done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines() if line] == ["=", "="]
    assert "A: chosen" in done.stderr.splitlines()


@pytest.mark.parametrize("method", ["end(self, winner, reason, detail)", "close(self)"])
def test_agent_that_fails_after_a_game_does_not_forfeit_it(tmp_path: Path, method: str) -> None:
    done = run("match", "ewn-3x3-3", written(tmp_path, method, "sys.exit(3)"), "random", *QUICK, "0")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["forfeits"] == {"A": {}, "B": {}}


@pytest.mark.parametrize(
    ("text", "told"),
    [("sys.exit()", "crash: SystemExit (choose, line 5 of "), ("return 'Z9Z9'", "illegal move: 'Z9Z9' is not a legal")],
)
def test_failing_agent_in_analyse_and_play_is_reported(tmp_path: Path, text: str, told: str) -> None:
    agent, position = written(tmp_path, "choose(self, state, limit)", text), "12./3.a/.cb r 2"
    done = run("analyse", "ewn-3x3-3", position, "--player", agent)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert done.stderr.startswith(f"starscout: {agent} fails in {position!r}: {told}")
    done = run("play", "ewn-3x3-3", "--against", agent, "--seed", "1", said="1\n1\n")
    assert f"{agent} forfeited by {told}" in done.stdout.replace("\n", " ")


def test_agent_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    done = run("match", "ewn-3x3-3", written(tmp_path, "__init__(self)", "sys.exit('no')"), "random", *QUICK, "1")
    told = f"starscout: {tmp_path}/agent.py:A cannot be created: SystemExit: no (__init__, line "
    assert (done.returncode, done.stdout, done.stderr.startswith(told)) == (2, "", True), done.stderr


@pytest.mark.parametrize(("command", "number", "code"), [("match", signal.SIGINT, 130), ("game", signal.SIGTERM, 143)])
def test_agent_in_this_process_is_interrupted(tmp_path: Path, command: str, number: signal.Signals, code: int) -> None:
    begun = tmp_path / "begun"
    agent = written(tmp_path, "choose(self, state, limit)", f"open({str(begun)!r}, 'w').close(); time.sleep(3600)")
    words = ("match", "ewn", agent, "random", *QUICK, "0")
    if command == "game":
        words = ("game", "--game", "ewn", "-p0", agent, "-p1", "random", "--store", ":memory:")
    process = subprocess.Popen(
        [sys.executable, "-m", "starscout", *words],
        env={**PLAIN, "STARSCOUT_SANDBOX": "off"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A test run in the background may ignore Ctrl-C, and a process inherits that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    with process:
        deadline = time.monotonic() + PATIENCE
        while not begun.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(number)
        try:
            process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert process.returncode == code
