"""Engine processes: commands, working directories, exits, and killing all descendants."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import starscout
from starscout.game import GameError
from starscout.players.player import PlayerError
from starscout.protocols.channel import deadline_in
from starscout.protocols.process import Program, check_command, is_program, start_program
from starscout.protocols.sandbox import memory_limit
from tests.patience import PATIENCE


def wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.005)


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, mode in (("agent", 0o755), ("letter", 0o644)):
        (tmp_path / name).write_text("#!/bin/sh\npwd\n")
        (tmp_path / name).chmod(mode)
    return tmp_path


def test_valid_commands_are_split(folder: Path) -> None:
    assert check_command("sh -c 'a b'") == ["sh", "-c", "a b"]
    assert check_command("./agent --fast", str(folder)) == ["./agent", "--fast"]
    assert check_command(f"{folder}/agent") == [f"{folder}/agent"]


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("", "the command is missing: write PROTOCOL:COMMAND, for example lab:./engine"),
        ("'agent", 'cannot parse the command "\'agent": No closing quotation'),
        ("./nobody", "the program './nobody' does not exist in {folder}"),
        ("./letter", "the program './letter' is not executable in {folder}"),
        ("no-such-program-anywhere", "the program 'no-such-program-anywhere' does not exist in {folder}"),
    ],
)
def test_invalid_commands_raise(command: str, sentence: str, folder: Path) -> None:
    with pytest.raises(GameError) as wrong:
        check_command(command, str(folder))
    assert str(wrong.value) == sentence.format(folder=folder)


def test_a_program_in_the_folder_needs_a_path(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = "the program 'agent' is not on the PATH: for the file {place} write ./agent"
    with pytest.raises(GameError) as wrong:
        check_command("agent --fast", str(folder))
    assert str(wrong.value) == sentence.format(place=f"in {folder}")
    monkeypatch.chdir(folder)
    with pytest.raises(GameError) as wrong:
        check_command("agent")
    assert str(wrong.value) == sentence.format(place="in this folder")
    with pytest.raises(GameError, match="the program 'letter' is not executable"):
        check_command("letter")


def test_is_program_distinguishes_paths_from_specs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for text in ("./agent", "agent --fast", "/bin/false", "../agent x=1", "sh letter", "sh -e letter"):
        assert is_program(text)
    for text in (
        "",
        "random",
        "random letter",
        "sh",
        "sh missing",
        "letter",
        "lab:./agent",
        "negascout depth=3",
        "nboard[cwd=./x]:./agent",
    ):
        assert not is_program(text)


def test_a_program_runs_in_its_folder_each_time_it_is_opened(folder: Path) -> None:
    program = Program("agent", "./agent", str(folder))
    for _ in range(2):
        channel = program.open()
        assert channel.line(deadline_in(PATIENCE)) == str(folder.resolve())
        channel.close()


@pytest.mark.parametrize(
    ("script", "detail"),
    [
        ("exit 3", "agent exited with exit code 3"),
        ("kill -9 $$", "agent was killed by SIGKILL"),
        ("echo 'no weights' >&2; exit 1", "agent exited with exit code 1; last error output: no weights"),
    ],
)
def test_the_exit_of_a_program_is_reported(script: str, detail: str) -> None:
    channel = start_program("agent", ["sh", "-c", script])
    with pytest.raises(PlayerError) as failure:
        channel.line(deadline_in(PATIENCE))
    assert (failure.value.reason, failure.value.detail) == ("crash", detail)
    channel.close()


def test_a_program_that_cannot_be_started_has_crashed() -> None:
    with pytest.raises(PlayerError, match="crash: agent cannot be started: "):
        start_program("agent", ["/no/such/program"])


ESCAPES = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    sys.stdout.write(f"{os.getpid()}\\n")
    sys.stdout.flush()
    time.sleep(3600)
time.sleep(3600)
"""


def test_descendants_outside_the_group_are_killed() -> None:
    channel = start_program("agent", [sys.executable, "-c", ESCAPES])
    child = int(channel.line(deadline_in(PATIENCE)))
    assert alive(child)
    channel.close(at_once=True)
    wait_for(lambda: not alive(child))


def test_a_program_gets_a_grace_period_to_exit(tmp_path: Path) -> None:
    channel = start_program("agent", ["sh", "-c", f"echo ready; cat; touch {tmp_path}/left"])
    assert channel.line(deadline_in(PATIENCE)) == "ready"
    channel.close()
    assert (tmp_path / "left").exists()


def test_the_memory_limit_of_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    variable = "STARSCOUT_ENGINE_MEMORY"
    monkeypatch.delenv(variable, raising=False)
    assert memory_limit() is None
    monkeypatch.setenv(variable, "512")
    assert memory_limit() == 512 << 20
    channel = start_program("agent", ["sh", "-c", "ulimit -v; read line"])
    assert int(channel.line(deadline_in(PATIENCE))) == 512 << 10
    channel.close(at_once=True)
    for wrong in ("0", "-1", "much", "1.5"):
        monkeypatch.setenv(variable, wrong)
        with pytest.raises(GameError, match=f"{variable}: expected a whole number of megabytes, got '{wrong}'"):
            memory_limit()


def test_an_exiting_interpreter_kills_its_programs(tmp_path: Path) -> None:
    import subprocess

    script = (
        "from starscout.protocols.process import start_program\n"
        "from starscout.protocols.channel import deadline_in\n"
        "print(start_program('agent', ['sh', '-c', 'echo $$; sleep 3600']).line(deadline_in(300)))\n"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True)
    wait_for(lambda: not alive(int(done.stdout)))


TERMINATED = """
import os, signal, sys
from starscout.protocols.process import start_program

os.environ["REFEREE"] = str(os.getpid())

signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
start_program("engine", sys.argv[1:])
signal.pause()
"""


def test_a_program_is_killed_if_its_start_is_interrupted(tmp_path: Path) -> None:
    """The program sends the signal at once, before it is registered."""
    environment = {**os.environ, "PYTHONPATH": str(Path(starscout.__file__).parents[1])}
    for _ in range(8):
        engine = ["/bin/sh", "-c", f"kill -TERM $REFEREE; echo $$ >> {tmp_path}/pids; sleep 3600"]
        ended = subprocess.run(
            [sys.executable, "-c", TERMINATED, *engine], env=environment, timeout=PATIENCE, check=False
        )
        assert ended.returncode == 128 + signal.SIGTERM
    pids = tmp_path / "pids"
    wait_for(lambda: not pids.exists() or not any(alive(int(word)) for word in pids.read_text().split()))
