"""Ctrl-C at any time: message `interrupted`, exit code 130, no traceback, no long wait."""

import contextlib
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import starscout
from starscout.arena.workers import quiet_start
from starscout.cli.interrupt import kill_child_processes
from tests.patience import PATIENCE

PACKAGE = Path(starscout.__file__).parent
ROOT = PACKAGE.parent
SCRIPT = Path(sys.executable).with_name("starscout")
MODULE = [sys.executable, "-m", "starscout"]


def started(command: list[str], **changes: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        command,
        env={**os.environ, "PYTHONPATH": str(ROOT), **changes},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A test run in the background may ignore Ctrl-C, and a process inherits that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def computed(session: int) -> float:
    """CPU seconds of the processes of a session: they measure the progress of a command even on a busy machine."""
    ticks = 0
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session:
                ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.05)


def wait_for_work(process: "subprocess.Popen[str]", seconds: float) -> None:
    """Wait until a command has used this many more CPU seconds, or has ended."""
    target = computed(process.pid) + seconds
    wait_for(lambda: process.poll() is not None or computed(process.pid) >= target)


def interrupted(command: list[str], seconds: float, **changes: str) -> tuple[int, str]:
    """Exit code and standard error of a command interrupted after this many CPU seconds.

    As from a terminal, the signal goes to the whole process group.
    """
    with started(command, **changes) as process:
        wait_for_work(process, seconds)
        os.killpg(process.pid, signal.SIGINT)
        try:
            _, said = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        return process.returncode, said


@pytest.mark.parametrize(
    "command", [pytest.param(MODULE, marks=pytest.mark.slow), [str(SCRIPT)]], ids=["module", "script"]
)
def test_interrupt_at_any_time(command: list[str]) -> None:
    if command == [str(SCRIPT)] and not SCRIPT.is_file():
        pytest.skip("the command is not installed")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*command, "perft", "othello", "1"], env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    startup = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    ends = []
    for number in range(4):
        code, said = interrupted([*command, "perft", "othello", "14"], startup * number / 3)
        # Before our first line runs, the interpreter itself handles the signal.
        if code == 130 or str(PACKAGE) in said:
            ends.append((code, said))
    assert set(ends) == {(130, "interrupted\n")}


@pytest.mark.parametrize(
    ("module", "start"),
    [("starscout.kernels", "import starscout.cli.main"), ("starscout.cli.interrupt", "import runpy; run()")],
    ids=["script", "module"],
)
def test_interrupt_before_the_handler_is_installed(module: str, start: str) -> None:
    """The first imports of the command line took long enough to be interrupted with a traceback."""
    probe = f"""
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
run = lambda: runpy.run_module("starscout", run_name="__main__")
{start}
"""
    ended = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (130, "interrupted\n")


@pytest.mark.parametrize("seconds", [1.0, pytest.param(2.5, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "command",
    [("perft", "othello", "14"), pytest.param(("warm", "ewn", "mcts"), marks=pytest.mark.slow)],
    ids=["perft", "warm"],
)
def test_while_kernels_are_compiled(command: tuple[str, ...], seconds: float, tmp_path: Path) -> None:
    code, said = interrupted([*MODULE, *command], seconds, STARSCOUT_CACHE=str(tmp_path))
    assert (code, said) == (130, "interrupted\n")


def test_start_of_workers_postpones_interrupts() -> None:
    """A worker whose start is interrupted halfway would print a traceback."""
    steps = []

    def start() -> None:
        with quiet_start():
            steps.append(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))
            # A signal sent to the process could be handled later, by another thread.
            signal.raise_signal(signal.SIGINT)
            steps.append("started")

    with pytest.raises(KeyboardInterrupt):
        start()
    assert steps == [True, "started"]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


FIRST_PROCESS = """
import signal
from multiprocessing import resource_tracker
from starscout.arena.workers import quiet_start

with quiet_start():
    resource_tracker.ensure_running()
    print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))
"""


def test_first_worker_inherits_the_blocked_signal() -> None:
    """The first start of a process starts the resource tracker, which unblocks SIGINT."""
    ended = subprocess.run([sys.executable, "-c", FIRST_PROCESS], capture_output=True, text=True, cwd=ROOT, check=True)
    assert ended.stdout == "True\n"


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
ALWAYS = ("perft", "match")
"""A kernel that counts, and worker processes; the others with `make test-all`."""


@pytest.mark.parametrize("name", [n if n in ALWAYS else pytest.param(n, marks=pytest.mark.slow) for n in LONG])
def test_long_commands_are_interrupted(name: str) -> None:
    """While kernels run or, with an empty cache, while they are compiled."""
    code, said = interrupted([*MODULE, *LONG[name]], 1.0)
    assert (code, said) == (130, "interrupted\n")


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
        timeout=PATIENCE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "interrupted\n")


@pytest.mark.slow
def test_interrupted_solver_reports_bounds() -> None:
    start = f"{'-' * 27}OX{'-' * 6}XO{'-' * 27} X"
    command = [*MODULE, "solve", "othello", start, "--time"]
    with started([*command, "0.1"]) as compiling:
        compiling.communicate()
    code, said = interrupted([*command, "600"], 12.0)
    proven, word = said.splitlines()[-2:]
    assert (code, word) == (130, "interrupted")
    assert proven == "black ends between -64 and +64 discs when it was interrupted"


@pytest.mark.slow
def test_endless_rules_end_at_the_second_interrupt(tmp_path: Path) -> None:
    file = tmp_path / "endless.py"
    text = (ROOT / "examples" / "connect_four.py").read_text(encoding="utf-8")
    # Writes memory, so that the compiler does not drop the loop.
    endless = "    count = 0\n    while out[0] != -7:\n        out[1] = out[1] + 1\n"
    file.write_text(text.replace("    count = 0\n", endless, 1), encoding="utf-8")
    with started([*MODULE, "laws", str(file)]) as process:
        wait_for_work(process, 3)
        for _ in range(2):
            process.send_signal(signal.SIGINT)
            wait_for_work(process, 0.5)
        _, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, said) == (130, "interrupted\n")


def ignores_sigint(process: int) -> bool:
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    return int(fields["SigIgn"], 16) >> (signal.SIGINT - 1) & 1 == 1


def test_process_that_ignores_sigint_continues() -> None:
    ignoring = (
        "import signal, os, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); "
        "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    )
    command = [sys.executable, "-c", ignoring, *MODULE[1:], "perft", "othello-4x4", "6"]
    with started(command, NUMBA_DISABLE_JIT="1") as process:
        wait_for(lambda: ignores_sigint(process.pid))
        for _ in range(5):
            process.send_signal(signal.SIGINT)
            wait_for_work(process, 0.2)
        _, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, said) == (0, "")


def test_termination_exits_with_143() -> None:
    before = signal.getsignal(signal.SIGTERM)
    try:
        kill_child_processes()
        with pytest.raises(SystemExit) as ended:
            signal.raise_signal(signal.SIGTERM)
        assert ended.value.code == 143
    finally:
        signal.signal(signal.SIGTERM, before)
