"""An engine as a program: started in a process group of its own, ended together with everything that it started.

StarScout in a process of its own, isolated: no file in the working directory can replace a library.
"""

import atexit
import contextlib
import ctypes
import os
import secrets
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import starscout
from starscout.game import GameError
from starscout.players.player import PlayerError
from starscout.protocols import log as talk_log
from starscout.protocols.channel import Channel
from starscout.settings.numbers import read_whole

_BEGIN = """
import os, sys
sys.path += [path for path in sys.argv.pop(1).split(os.pathsep) if path not in sys.path]
from starscout.cli.main import main
main()
"""


def own_command(*words: str) -> list[str]:
    """The command that runs `starscout WORDS…` with this interpreter, this package and these libraries.

    Python starts isolated (-I): neither the working directory nor PYTHONPATH is on its path; ours comes after the
    standard library.
    """
    package = str(Path(starscout.__file__).parents[1])
    here = {"", os.getcwd()} - {package}
    paths = [path for path in (*sys.path, package) if path not in here]
    return [sys.executable, "-I", "-c", _BEGIN, os.pathsep.join(paths), *words]


def compiled_environment() -> dict[str, str]:
    """Our environment with the compiler switched on."""
    return {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}


MEMORY_VARIABLE = "STARSCOUT_ENGINE_MEMORY"
"""The environment variable with the megabytes of address space that an engine may use."""

MARK_VARIABLE = "STARSCOUT_ENGINE_MARK"
"""The environment variable by which the children of an engine are found."""

PR_SET_CHILD_SUBREAPER = 36
"""The number of the Linux system call's option."""

_EXIT_GRACE = 0.5
"""Seconds that a program gets to end by itself after its input has been closed."""

_running: "set[_RunningProgram]" = set()
_starting = threading.Lock()
"""Held while a program is started: who ends all programs knows all of them."""
_ending = False
"""Whether this interpreter ends its programs."""


def check_command(command: str, folder: str | None = None) -> list[str]:
    """The words of a command line whose program exists, seen from a folder; raises GameError."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise GameError(f"the command {command!r} cannot be read: {error}") from error
    if not words:
        raise GameError("the command of the program is missing: write PROTOCOL:COMMAND, like lab:./engine")
    # A name without a slash is looked for on the PATH, a path is seen from the folder that the program runs in.
    file = os.path.join(folder or "", words[0])
    if shutil.which(file if "/" in words[0] else words[0]) is None:
        if "/" not in words[0] and os.path.isfile(file) and os.access(file, os.X_OK):
            place, path = f"in {folder}" if folder else "in this folder", shlex.quote(f"./{words[0]}")
            raise GameError(f"the program {words[0]!r} is not on the PATH: for the file {place} write {path}")
        problem = "is not an executable file" if os.path.exists(file) else "does not exist"
        raise GameError(f"the program {words[0]!r} {problem}" + (f" in {folder}" if folder else ""))
    return words


def is_program(text: str) -> bool:
    """Whether a text names a program by its path, and not a player by its description."""
    first = text.split()[0] if text.split() else ""
    return ":" not in first and ("/" in first or (os.path.isfile(first) and os.access(first, os.X_OK)))


def memory_limit() -> int | None:
    """The bytes of address space that STARSCOUT_ENGINE_MEMORY allows each engine; raises GameError."""
    text = os.environ.get(MEMORY_VARIABLE)
    if not text:
        return None
    megabytes = read_whole(text, 1, 1 << 40)
    if megabytes is None:
        raise GameError(f"{MEMORY_VARIABLE} is {text!r}: write a number of megabytes")
    return megabytes << 20


class Program:
    """Where the channels of a program come from: each `open` starts it once more."""

    lasting = False
    spent = False

    def __init__(self, name: str, command: str, folder: str | None = None) -> None:
        self._name, self._folder = name, folder
        self._words = check_command(command, folder)

    def open(self) -> Channel:
        return start_program(self._name, self._words, folder=self._folder)


def start_program(
    name: str, words: list[str], environment: dict[str, str] | None = None, folder: str | None = None
) -> Channel:
    """Start the program, in our environment and folder unless others are given; closing the channel ends it.

    Raises PlayerError when it cannot be started.
    """
    memory = memory_limit()
    if memory is not None:
        # A limit that we set once the program runs would come too late for one that is greedy from its first moment.
        words = ["/bin/sh", "-c", f'ulimit -v {memory >> 10} && exec "$@"', name, *words]
    try:
        return _RunningProgram(name, words, environment, folder).channel
    except OSError as error:
        raise PlayerError("crash", f"{name} cannot be started: {error}") from error


class _RunningProgram:
    """A running program; its channel ends it."""

    def __init__(self, name: str, words: list[str], environment: dict[str, str] | None, folder: str | None) -> None:
        self._mark = secrets.token_hex(8)
        self._name = name
        with _starting:
            if _ending:
                raise PlayerError("crash", f"{name} is not started: this process is ending")
            try:
                self._process = subprocess.Popen(
                    words,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,
                    bufsize=0,
                    cwd=folder,
                    env=self._environment(environment),
                )
                self.identifier = self._process.pid
                _running.add(self)
            except BaseException:
                # Ctrl-C or a termination may come when the program runs already and is not known yet.
                _kill_marked(f"{MARK_VARIABLE}={self._mark}".encode())
                raise
        streams = self._process.stdin, self._process.stdout, self._process.stderr
        # The channel owns the descriptors from here on.
        write, read, error = (os.dup(stream.fileno()) for stream in streams if stream is not None)
        for stream in streams:
            if stream is not None:
                stream.close()
        self.channel = Channel(name, read, write, error, self._why_gone, self.end)

    def _environment(self, given: dict[str, str] | None) -> dict[str, str]:
        """Ours unless another is given, with the mark, and without the log that is ours to write."""
        variables = {**(os.environ if given is None else given), MARK_VARIABLE: self._mark}
        variables.pop(talk_log.VARIABLE, None)
        return variables

    def _why_gone(self) -> PlayerError:
        """A dead program has crashed; a living one has closed the line."""
        until = time.perf_counter() + 0.1
        while not self._dead() and time.perf_counter() < until:
            time.sleep(0.002)
        if not self._dead():
            return PlayerError("disconnected", f"{self._name} closed its input or output")
        status = os.waitid(os.P_PID, self.identifier, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if status is None:
            return PlayerError("crash", f"{self._name} ended")
        if status.si_code == os.CLD_EXITED:
            return PlayerError("crash", f"{self._name} ended with exit code {status.si_status}")
        return PlayerError("crash", f"{self._name} was ended by {signal.Signals(status.si_status).name}")

    def _dead(self) -> bool:
        """Whether it has ended. It is not reaped here: as long as it is a zombie, its group cannot be another's."""
        with contextlib.suppress(ChildProcessError):
            return os.waitid(os.P_PID, self.identifier, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        return True

    def end(self, at_once: bool) -> None:
        """Unless at once, give the program a moment to end; then kill its whole group and reap it."""
        until = time.perf_counter() + (0.0 if at_once else _EXIT_GRACE)
        pause = 0.001
        while not self._dead() and time.perf_counter() < until:
            time.sleep(pause)
            pause = min(pause * 2, 0.05)
        self.kill()

    def kill(self) -> None:
        """Kill the whole group and the children that have left it, and reap the program."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.identifier, signal.SIGKILL)
        self._process.wait()
        _kill_marked(f"{MARK_VARIABLE}={self._mark}".encode())
        _running.discard(self)


def _kill_marked(mark: bytes) -> None:
    """Kill the processes with this word in their environment: children that made a session of their own."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                os.kill(int(folder.name), signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of processes below us whose own parent ends, so that none escapes (Linux only)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def kill_orphans() -> None:
    """Kill the engines, and what they have started, that are below this process; called when no engine is in use."""
    marked = f"{MARK_VARIABLE}=".encode()
    for process in _descendants(os.getpid()):
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
            if any(word.startswith(marked) for word in words):
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, os.WNOHANG)


def _descendants(process: int) -> list[int]:
    """The processes that a process has started or adopted, and those below them."""
    below: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            below.setdefault(parent, []).append(int(folder.name))
    found, waiting = [], [process]
    while waiting:
        children = below.get(waiting.pop(), [])
        found += children
        waiting += children
    return found


@atexit.register
def _end_all() -> None:
    """End every program when the interpreter ends; a thread that still plays starts no other one."""
    global _ending
    with _starting:
        _ending = True
    for program in list(_running):
        program.kill()
