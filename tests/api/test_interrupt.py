"""Ctrl-C stops a running kernel in a script, and previous signal listeners are notified too."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import starscout
from starscout.api.progress import NO_DESCRIPTOR, Interrupted, interruptible_kernels
from starscout.kernels.stop_flags import announced, new_flag
from tests.patience import PATIENCE

SCRIPT = """
import starscout

state = starscout.start("ewn").rolled(3)
starscout.analyse(state, "negascout eval=zero", depth=1)
print("searching", flush=True)
starscout.analyse(state, "negascout eval=zero", time=600)
"""


@pytest.mark.slow
def test_a_long_search_is_interrupted() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(starscout.__file__).parents[1])}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", SCRIPT], env=environment, **pipes)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "searching\n"
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert "KeyboardInterrupt" in errors


EXPERIMENT = """
import starscout


class Endless:
    def choose(self, state, limit):
        print("searching", flush=True)
        while True:
            pass


if __name__ == "__main__":
    try:
        starscout.experiment("mine.toml", workers=0, store="mine.sqlite")
    except starscout.Interrupted as stop:
        print([row["games"] for row in stop.result.rows()], stop.result.verdict)
"""
QUESTION = """
question = "Does chance beat chance?"
game = "ewn-3x3-3"
pairs = 2

[[duel]]
first = "random"
second = "random"
name = "chance"

[[duel]]
first = "python:./script.py:Endless"
second = "random"
name = "endless"

[[claim]]
says = "chance wins"
better = "chance"
"""


def test_an_interrupted_experiment_returns_its_result_so_far(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(EXPERIMENT, encoding="utf-8")
    (tmp_path / "mine.toml").write_text(QUESTION, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(Path(starscout.__file__).parents[1])}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "script.py"], cwd=tmp_path, env=environment, **pipes)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "Endless: searching\n"
        process.send_signal(signal.SIGINT)
        shown, errors = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == 0, errors
    assert shown.startswith("[4, 0] ")
    assert ": chance wins (" in shown
    assert " points, 95 % interval " in shown


def test_stop_flags_are_raised_and_signals_are_forwarded() -> None:
    earlier, heard = socket.socketpair()
    earlier.setblocking(False)
    handler = signal.signal(signal.SIGINT, lambda number, frame: None)
    before, flag = signal.set_wakeup_fd(earlier.fileno()), new_flag()
    try:
        with interruptible_kernels(), announced(flag):
            signal.raise_signal(signal.SIGINT)
            deadline = time.monotonic() + PATIENCE
            while flag[0] == 0 and time.monotonic() < deadline:
                time.sleep(0.01)
        assert flag[0] != 0
        heard.settimeout(30)
        assert heard.recv(1) == bytes([signal.SIGINT])
    finally:
        signal.set_wakeup_fd(before)
        signal.signal(signal.SIGINT, handler)
        earlier.close()
        heard.close()
    assert before == NO_DESCRIPTOR


def test_interrupted_is_a_keyboard_interrupt_with_a_result() -> None:
    with pytest.raises(KeyboardInterrupt) as stopped:
        raise Interrupted("three pairs")
    assert stopped.value.result == "three pairs"  # pyright: ignore[reportAttributeAccessIssue]
