"""Ctrl-C at any time: message `interrupted`, exit code 130, no traceback, no long wait."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import starscout
from starscout.cli.interrupt import kill_child_processes

PACKAGE = Path(starscout.__file__).parent
ROOT = PACKAGE.parent
SCRIPT = Path(sys.executable).with_name("starscout")
MODULE = [sys.executable, "-m", "starscout"]
SOON = 30.0
"""Seconds in which a command has to end on a busy machine; the workers of a match have three of them."""


def started(command: list[str], **changes: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        command,
        env={**os.environ, "PYTHONPATH": str(ROOT), **changes},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A test run in the background may ignore Ctrl-C, and a process inherits that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def interrupted(command: list[str], seconds: float, **changes: str) -> tuple[int, str, float]:
    """Exit code and standard error of a command that is interrupted after so many seconds, and how long it took."""
    with started(command, **changes) as process:
        time.sleep(seconds)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        try:
            _, said = process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        return process.returncode, said, time.monotonic() - sent


@pytest.mark.parametrize(
    "command", [pytest.param(MODULE, marks=pytest.mark.slow), [str(SCRIPT)]], ids=["module", "script"]
)
def test_interrupt_at_any_time(command: list[str]) -> None:
    if command == [str(SCRIPT)] and not SCRIPT.is_file():
        pytest.skip("the command is not installed")
    began = time.monotonic()
    subprocess.run([*command, "perft", "othello", "1"], env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True)
    startup = time.monotonic() - began
    ends = []
    for number in range(6):
        code, said, _ = interrupted([*command, "perft", "othello", "14"], 1.5 * startup * number / 5)
        # Before our first line the interpreter answers in its own way.
        if code == 130 or str(PACKAGE) in said:
            ends.append((code, said))
    assert set(ends) == {(130, "interrupted\n")}


@pytest.mark.parametrize("seconds", [1.5, pytest.param(2.5, marks=pytest.mark.slow)])
def test_while_kernels_are_compiled(seconds: float, tmp_path: Path) -> None:
    code, said, _ = interrupted([*MODULE, "perft", "othello", "14"], seconds, STARSCOUT_CACHE=str(tmp_path))
    assert (code, said) == (130, "interrupted\n")


LONG = {
    "perft": ("perft", "othello", "14"),
    "playouts": ("playouts", "ewn", "--seconds", "600", "--threads", "2"),
    "laws": ("laws", "othello", "--games", "100000"),
    "bench": ("bench",),
    "analyse": ("analyse", "ewn", "123../45.../6...f/...ed/..cba r 4", "--depth", "30"),
    "analyse mcts": ("analyse", "ewn", "123../45.../6...f/...ed/..cba r 4", "--player", "mcts", "--time", "600"),
    "solve": ("solve", "ewn", "123../45.../6...f/...ed/..cba r 4", "--time", "600"),
    "match": ("match", "othello", "random", "negascout depth=6", "--pairs", "100000", "--store", ":memory:"),
}
ALWAYS = ("perft", "analyse mcts", "match")
"""A kernel that counts, one that searches by the clock, and worker processes; the others with `make test-all`."""


@pytest.mark.parametrize("name", [n if n in ALWAYS else pytest.param(n, marks=pytest.mark.slow) for n in LONG])
def test_long_commands_are_interrupted(name: str) -> None:
    """While kernels run or, with an empty cache, while they are compiled."""
    code, said, seconds = interrupted([*MODULE, *LONG[name]], 1.5)
    assert (code, said) == (130, "interrupted\n")
    assert seconds < SOON


INSIDE_EXEC = """
import sys
from starscout.cli import games, main

def interrupted() -> None:
    exec("raise KeyboardInterrupt")

games.games = interrupted
sys.argv = ["starscout", "games"]
main.main()
"""


def test_interrupt_while_a_named_tuple_is_built(tmp_path: Path) -> None:
    """Imports build named tuples by `exec`, after which `python -m` would end by SIGINT instead of code 130."""
    (tmp_path / "command.py").write_text(INSIDE_EXEC)
    ended = subprocess.run(
        [sys.executable, "-m", "command"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (130, "interrupted\n")


LOST_ONCE = """
import signal, time
from starscout.cli import interrupt

class Fragile:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
        time.sleep(0)

interrupt.exit_on_interrupt()
try:
    with interrupt.raising():
        Fragile()
        time.sleep(20)
except KeyboardInterrupt:
    interrupt.print_message()
"""


def test_lost_interrupt_is_repeated() -> None:
    """The compiler's callbacks and destructors swallow exceptions."""
    done = subprocess.run(
        [sys.executable, "-c", LOST_ONCE],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "interrupted\n")


@pytest.mark.slow
def test_interrupted_solver_reports_bounds() -> None:
    start = f"{'-' * 27}OX{'-' * 6}XO{'-' * 27} X"
    command = [*MODULE, "solve", "othello", start, "--time"]
    with started([*command, "0.1"]) as compiling:
        compiling.communicate()
    code, said, seconds = interrupted([*command, "600"], 12.0)
    proven, word = said.splitlines()[-2:]
    assert (code, word) == (130, "interrupted")
    assert proven == "black ends between -64 and +64 discs when it was interrupted"
    assert seconds < SOON


def test_endless_rules_end_at_the_second_interrupt(tmp_path: Path) -> None:
    file = tmp_path / "endless.py"
    text = (ROOT / "examples" / "connect_four.py").read_text(encoding="utf-8")
    # Writes memory, so that the compiler does not drop the loop.
    endless = "    count = 0\n    while out[0] != -7:\n        out[1] = out[1] + 1\n"
    file.write_text(text.replace("    count = 0\n", endless, 1), encoding="utf-8")
    with started([*MODULE, "laws", str(file)]) as process:
        time.sleep(4)
        for _ in range(2):
            process.send_signal(signal.SIGINT)
            time.sleep(0.5)
        _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (130, "interrupted\n")


def test_process_that_ignores_sigint_continues() -> None:
    ignoring = (
        "import signal, os, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); "
        "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    )
    command = [sys.executable, "-c", ignoring, *MODULE[1:], "perft", "othello-4x4", "4"]
    code, said, _ = interrupted(command, 0.5)
    assert (code, said) == (0, "")


def test_termination_exits_with_143() -> None:
    before = signal.getsignal(signal.SIGTERM)
    try:
        kill_child_processes()
        with pytest.raises(SystemExit) as ended:
            os.kill(os.getpid(), signal.SIGTERM)
        assert ended.value.code == 143
    finally:
        signal.signal(signal.SIGTERM, before)
