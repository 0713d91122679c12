"""`starscout game -p0 A -p1 B -r N`, with the options of the course's referee."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import starscout
from starscout.cli import matches as commands
from tests.command_line import run as run_command
from tests.patience import PATIENCE

ROOT = Path(starscout.__file__).parents[1]


@pytest.fixture(autouse=True)
def quick_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run child processes in plain Python: they start faster, and random players need no kernels."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return run_command(["game", *words], folder=ROOT)


@pytest.fixture
def agent(tmp_path: Path) -> str:
    """A program like those of the course: tcg-raw without options."""
    path = tmp_path / "agent"
    path.write_text(f"#!/bin/sh\ncd {ROOT} && exec {sys.executable} -m starscout engine random --protocol tcg-raw\n")
    path.chmod(0o755)
    return str(path)


def test_a_course_program_plays_and_the_records_replay(agent: str, tmp_path: Path) -> None:
    records = tmp_path / "games.jsonl"
    done = run("-p0", agent, "-p1", "random", "-r", "3", "--time", "60", "--records", str(records))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith(f"p0 {agent}: ")
    assert lines[1].startswith("p1 random: ")
    assert done.stderr.count("round ") == 3
    games = [json.loads(line) for line in records.read_text().splitlines()]
    assert len(games) == 3
    assert len({game["start"] for game in games}) == 3
    assert {game["reason"] for game in games} <= {"corner", "captured all"}


def test_json_and_the_store(capsys: pytest.CaptureFixture[str]) -> None:
    done = run("-p0", "random", "-p1", "random", "-r", "3", "--game", "ewn", "--json")
    result = json.loads(done.stdout)
    # The third game has no partner.
    assert (result["games"], result["pairs"]) == (3, 1)
    assert result["wins"] + result["losses"] + result["draws"] == 3
    assert result["forfeits"] == {"A": {}, "B": {}}
    commands.results(json=True)
    (stored,) = json.loads(capsys.readouterr().out)["matches"]
    assert (stored["match"], stored["a"], stored["b"]) == (result["match"], "random", "random (2)")
    assert stored["finished"]
    assert {name: stored[name] for name in result if name != "seconds"} == {
        name: value for name, value in result.items() if name != "seconds"
    }


def test_a_program_that_crashes_loses_every_round(tmp_path: Path) -> None:
    done = run("-p0", "/bin/false", "-p1", "random", "-r", "2")
    assert done.returncode == 0, done.stderr
    assert "p0 /bin/false: 0 wins, 2 losses, 0 draws" in done.stdout


def test_invalid_input_is_reported() -> None:
    done = run("-p0", "./no-such-agent", "-p1", "random")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "starscout: the program './no-such-agent' does not exist\n"
    assert run("-p0", "random", "-p1", "random", "--game", "ewn-3x3-3").returncode == 2


def state_of(process: str) -> str:
    try:
        return "ended" if Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z" else "running"
    except FileNotFoundError:
        return "gone"


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ctrl_c_and_termination_leave_no_engine(number: signal.Signals, code: int, tmp_path: Path) -> None:
    path = tmp_path / "sleeper"
    path.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nsleep 60\n")
    path.chmod(0o755)
    words = ["game", "-p0", str(path), "-p1", "random", "--time", "60"]
    referee = subprocess.Popen([sys.executable, "-m", "starscout", *words], cwd=ROOT, stderr=subprocess.DEVNULL)
    until = time.monotonic() + PATIENCE
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text().strip():
        assert time.monotonic() < until
        time.sleep(0.05)
    referee.send_signal(number)
    assert referee.wait(PATIENCE) == code
    until = time.monotonic() + PATIENCE
    # A killed process may take a moment to exit.
    while state_of((tmp_path / "pid").read_text().strip()) == "running":
        assert time.monotonic() < until
        time.sleep(0.05)
