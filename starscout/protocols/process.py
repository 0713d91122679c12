"""Engine processes, each below a launcher that isolates it and kills all of its descendants."""

import atexit
import contextlib
import ctypes
import functools
import os
import secrets
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import starscout
from starscout.game import GameError
from starscout.players.player import PlayerError
from starscout.protocols import channel as engine_log
from starscout.protocols.channel import Channel, deadline_in, start_seconds
from starscout.protocols.readable_files import HOST_FILES, program_folders
from starscout.protocols.sandbox import TRUSTED, launch
from starscout.referee.clock import Scheduling, scheduling

_BOOTSTRAP = """
import os, sys
sys.path += [path for path in sys.argv.pop(1).split(os.pathsep) if path not in sys.path]
from starscout.cli.main import main
main()
"""


def own_command(*words: str) -> list[str]:
    """The command that runs `starscout WORDS…` with this interpreter and package.

    Python starts isolated (-I), without the working directory and PYTHONPATH: no file there can replace a library.
    The current path is appended after the standard library.
    """
    package = str(Path(starscout.__file__).parents[1])
    here = {"", os.getcwd()} - {package}
    paths = [path for path in (*sys.path, package) if path not in here]
    return [sys.executable, "-I", "-c", _BOOTSTRAP, os.pathsep.join(paths), *words]


def compiled_environment() -> dict[str, str]:
    """The environment of this process with compilation enabled."""
    return {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}


MARK_VARIABLE = "STARSCOUT_ENGINE_MARK"
"""Environment variable that identifies the descendants of an engine."""

PR_SET_CHILD_SUBREAPER = 36
"""Option number of prctl(2)."""

_EXIT_GRACE = 0.5
"""Seconds that a program has to exit after its input was closed."""

_KILL_SECONDS = 10.0
"""Seconds that the launcher has to kill the descendants of a program."""

_EXIT_SECONDS = 2.0
"""Seconds to wait for a program to exit after it has closed its output."""

_running: "set[_RunningProgram]" = set()
_starting = threading.Lock()
"""Held while a program is started, so that `_end_all` finds every program."""
_ending = False
"""Whether this interpreter is exiting and starts no further program."""


def check_command(command: str, folder: str | None = None) -> list[str]:
    """Split a command and check that its program exists, relative to a folder; raises GameError."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise GameError(f"cannot parse the command {command!r}: {error}") from error
    if not words:
        raise GameError("the command is missing: write PROTOCOL:COMMAND, for example lab:./engine")
    # A name without a slash is searched on the PATH; a path is relative to the working directory of the program.
    file = os.path.join(folder or "", words[0])
    if shutil.which(file if "/" in words[0] else words[0]) is None:
        if "/" not in words[0] and os.path.isfile(file) and os.access(file, os.X_OK):
            place, path = f"in {folder}" if folder else "in this folder", shlex.quote(f"./{words[0]}")
            raise GameError(f"the program {words[0]!r} is not on the PATH: for the file {place} write {path}")
        problem = "is not executable" if os.path.exists(file) else "does not exist"
        raise GameError(f"the program {words[0]!r} {problem}" + (f" in {folder}" if folder else ""))
    return words


def is_program(text: str) -> bool:
    """Whether a text is a program rather than a player's SPEC: a path, or a command with a file: `python3 agent.py`."""
    first, *others = text.split() or [""]
    if ":" in first:
        return False
    is_file = os.path.isfile(first) and os.access(first, os.X_OK)
    return "/" in first or is_file or (any(map(os.path.isfile, others)) and shutil.which(first) is not None)


PORT = "{port}"
"""Placeholder in the command of an engine that connects over TCP."""

_CONNECT_SECONDS = 30.0
"""Seconds that such an engine has to connect."""


class Program:
    """The transport of a foreign program: each `open` starts a new process, isolated from the system.

    If the command contains `{port}`, the program connects to this port of the loopback interface, and to no other.
    """

    persistent = False
    exhausted = False

    def __init__(self, name: str, command: str, folder: str | None = None, files: Sequence[str] = ()) -> None:
        self._name, self._folder = name, folder
        self._words = check_command(command, folder)
        self._readable = program_folders(self._words, folder, files)

    def open(self) -> Channel:
        if self.over_tcp:
            return self._open_connection()
        return start_program(self._name, self._words, folder=self._folder, readable=self._readable)

    @property
    def over_tcp(self) -> bool:
        """Whether the program connects over TCP."""
        return any(PORT in word for word in self._words)

    def _open_connection(self) -> Channel:
        """Start the program and wait for its connection; raises PlayerError."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            port: int = server.getsockname()[1]
            # Its output goes to standard error, which is drained.
            words = ["/bin/sh", "-c", 'exec "$@" 1>&2', "sh", *(word.replace(PORT, str(port)) for word in self._words)]
            try:
                readable = [*self._readable, *HOST_FILES]
                running = _RunningProgram(self._name, words, None, self._folder, readable, "", port=port)
            except OSError as error:
                raise PlayerError("crash", f"{self._name} cannot be started: {error}") from error
            channel, until = running.channel, time.perf_counter() + start_seconds(_CONNECT_SECONDS)
            try:
                while not select.select([server], [], [], 0.05)[0]:
                    if running.dead():
                        channel.more(deadline_in(_EXIT_SECONDS))
                    if time.perf_counter() > until:
                        seconds = start_seconds(_CONNECT_SECONDS)
                        raise PlayerError(
                            "stalled", f"{self._name} did not connect to port {port} within {seconds:g} s"
                        )
                connection, _ = server.accept()
            except BaseException:
                channel.close(at_once=True)
                raise
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        channel.switch_to(connection.detach())
        return channel


def start_program(
    name: str,
    words: list[str],
    environment: dict[str, str] | None = None,
    folder: str | None = None,
    readable: Sequence[str] | None = None,
    *,
    echo: str = "",
) -> Channel:
    """Start a program, by default in the current environment and folder.

    With `readable`, the files that it may read, it is isolated; without, it is one of our own. `echo`: print its
    standard error with this label. Closing the channel kills it. Raises PlayerError if it cannot be started.
    """
    try:
        return _RunningProgram(name, words, environment, folder, readable, echo).channel
    except OSError as error:
        raise PlayerError("crash", f"{name} cannot be started: {error}") from error


class _RunningProgram:
    """A running program, below its launcher; closing its channel kills it."""

    def __init__(
        self,
        name: str,
        words: list[str],
        environment: dict[str, str] | None,
        folder: str | None,
        readable: Sequence[str] | None,
        echo: str,
        port: int = 0,
    ) -> None:
        self._mark = secrets.token_hex(8)
        self._name = name
        if shutil.which(os.path.join(folder or "", words[0]) if "/" in words[0] else words[0]) is None:
            raise FileNotFoundError(f"no such program: {words[0]!r}")
        with _starting:
            if _ending:
                raise PlayerError("crash", f"{name} is not started: this process is exiting")
            support = None if readable is not None else TRUSTED
            variables = self._environment(environment)
            self._process, self._lifeline = launch(
                words,
                environment=variables,
                folder=folder,
                readable=readable or (),
                support=support,
                port=port,
            )
            self.identifier = self._process.pid
            _running.add(self)
        streams = self._process.stdin, self._process.stdout, self._process.stderr
        # The channel owns the descriptors from now on.
        write, read, error = (os.dup(stream.fileno()) for stream in streams if stream is not None)
        for stream in streams:
            if stream is not None:
                stream.close()
        self.channel = Channel(
            name, read, write, error, self._why_gone, self.end, echo=echo, scheduling=self._scheduling
        )
        self.channel.processes = lambda: _descendants(self.identifier)

    def _scheduling(self) -> Scheduling:
        """The scheduling of all processes of the program."""
        return functools.reduce(Scheduling.joined, map(scheduling, _descendants(self.identifier)), Scheduling())

    def _environment(self, given: dict[str, str] | None) -> dict[str, str]:
        """The given environment, or the current one, with the mark and without the engine log."""
        variables = {**(os.environ if given is None else given), MARK_VARIABLE: self._mark}
        variables.pop(engine_log.VARIABLE, None)
        return variables

    def _why_gone(self) -> PlayerError:
        """The error for a closed channel: a crash if the program has exited, else a disconnection."""
        until = time.perf_counter() + _EXIT_SECONDS
        while not self.dead() and time.perf_counter() < until:
            time.sleep(0.002)
        if not self.dead():
            return PlayerError("disconnected", f"{self._name} closed its input or output")
        status = os.waitid(os.P_PID, self.identifier, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if status is None:
            return PlayerError("crash", f"{self._name} exited")
        if status.si_code == os.CLD_EXITED:
            return PlayerError("crash", f"{self._name} exited with exit code {status.si_status}")
        return PlayerError("crash", f"{self._name} was killed by {signal.Signals(status.si_status).name}")

    def dead(self) -> bool:
        """Whether it has exited. A zombie is not reaped, to keep its process group reserved."""
        with contextlib.suppress(ChildProcessError):
            return os.waitid(os.P_PID, self.identifier, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        return True

    def end(self, at_once: bool) -> None:
        """Wait for the program to exit, unless `at_once`; then kill its process group and reap it."""
        until = time.perf_counter() + (0.0 if at_once else _EXIT_GRACE)
        pause = 0.001
        while not self.dead() and time.perf_counter() < until:
            time.sleep(pause)
            pause = min(pause * 2, 0.05)
        self.kill()

    def kill(self) -> None:
        """Kill the program and all of its descendants, and reap the launcher."""
        with _starting:
            if self not in _running:
                return
            _running.discard(self)
        os.close(self._lifeline)
        try:
            code = self._process.wait(_KILL_SECONDS)
        except subprocess.TimeoutExpired:
            code = -signal.SIGKILL
            self._process.kill()
            self._process.wait()
        if code == -signal.SIGKILL:
            # The launcher may not have killed the descendants: without isolation a program can kill its parent.
            _kill_marked(f"{MARK_VARIABLE}={self._mark}".encode())


def _kill_marked(mark: bytes) -> None:
    """Kill the processes with this mark: descendants that started a new session."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                os.kill(int(folder.name), signal.SIGKILL)


def adopt_orphans() -> None:
    """Become the parent of orphaned descendants, so that none escapes (Linux only)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def kill_orphans(*, everything: bool = False) -> None:
    """Kill all engines below this process and their descendants, when none is in use.

    `everything`: kill all descendants, for a worker, which starts nothing but engines.
    """
    marked = f"{MARK_VARIABLE}=".encode()
    for process in _descendants(os.getpid()):
        with contextlib.suppress(OSError):
            words = Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
            if everything or any(word.startswith(marked) for word in words):
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, os.WNOHANG)


def _descendants(process: int) -> list[int]:
    """All descendants of a process."""
    try:
        return _listed_descendants(process)
    except OSError:
        # Some kernels do not list children.
        return _searched_descendants(process)


def _listed_descendants(process: int) -> list[int]:
    """All descendants of a process, from the lists of children; raises OSError."""
    found = []
    for thread in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{thread}/children", encoding="ascii") as file:
            found += [int(word) for word in file.read().split()]
    for child in found[:]:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found += _listed_descendants(child)
    return found


def _searched_descendants(process: int) -> list[int]:
    """All descendants of a process, from the parents of all processes."""
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
    """Kill all programs when the interpreter exits, and prevent threads from starting more."""
    global _ending
    with _starting:
        _ending = True
    for program in list(_running):
        program.kill()
