"""Isolation of foreign programs and Python classes: which level this system supports, and how they are started.

    bubblewrap  own namespaces, read-only files, no network, private /tmp
    landlock    the same by Landlock, seccomp and, where permitted, namespaces
    rlimits     limits on memory, processes and files; no protection of other files and processes
    off         `--trust`: no restrictions

All levels end an engine with all of its descendants (`launcher.py`). docs/referee.md describes what each protects.
"""

import contextlib
import errno
import functools
import marshal
import math
import os
import selectors
import shutil
import site
import subprocess
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import starscout
from starscout.errors import GameError
from starscout.kernels import notices
from starscout.kernels.cache import cache_folder
from starscout.protocols.readable_files import SYSTEM, existing, own_folders
from starscout.settings.options import read_whole

LEVELS = ("bubblewrap", "landlock", "rlimits", "off")

VARIABLE = "STARSCOUT_SANDBOX"
"""Environment variable: one of LEVELS, or `require`; it reaches the workers."""

REQUIRE = "require"
"""Value of VARIABLE: fail unless the level protects files and processes."""

MEMORY_VARIABLE = "STARSCOUT_ENGINE_MEMORY"
"""Environment variable: megabytes of address space per engine."""

PROCESSES = 256
"""Maximum number of processes and threads of an engine."""

SCRATCH_BYTES = 64 << 20
"""Size of the private temporary directory, and of each file in it."""

CPU_SECONDS = 24 * 3600
"""Maximum CPU time of a process of an engine; the clock of the referee is much shorter."""

_FOUND_VARIABLE = "STARSCOUT_SANDBOX_FOUND"
"""Environment variable with the result of the probe."""

_MAX_MEMORY = 4 << 30

_PROBE_SECONDS = 20.0

_BOOT = "import sys; sys.path.append(sys.argv[1]); import launcher; launcher.main(int(sys.argv[2]))"

_LAUNCHER_VARIABLES = ("PATH", "LD_LIBRARY_PATH")

_VARIABLES = ("PATH", "LANG", "LANGUAGE", "TZ", "TERM", "LD_LIBRARY_PATH", "JAVA_HOME", "VIRTUAL_ENV", "CONDA_PREFIX")
_PREFIXES = ("LC_", "NUMBA_", "OMP_", "PYTHON", "MKL_", "OPENBLAS_", "STARSCOUT_ENGINE_")
"""Environment variables that an isolated program receives, by name and by prefix."""


@dataclass(frozen=True)
class Support:
    """Isolation that this system supports: level, namespaces with Landlock, and why no stronger level works."""

    level: str
    namespaces: bool = False
    problem: str = ""


TRUSTED = Support("off")
"""No restrictions: for our own programs."""


def memory_limit() -> int | None:
    """The address space per engine in bytes, from STARSCOUT_ENGINE_MEMORY; raises GameError."""
    text = os.environ.get(MEMORY_VARIABLE)
    if not text:
        return None
    megabytes = read_whole(text, 1, 1 << 40)
    if megabytes is None:
        raise GameError(f"{MEMORY_VARIABLE}: expected a whole number of megabytes, got {text!r}")
    return megabytes << 20


@contextlib.contextmanager
def memory_of_course(megabytes: int | None) -> Iterator[None]:
    """Limit the address space of engines that start meanwhile, unless STARSCOUT_ENGINE_MEMORY is set."""
    if megabytes is None or os.environ.get(MEMORY_VARIABLE):
        yield
        return
    os.environ[MEMORY_VARIABLE] = str(megabytes)
    try:
        yield
    finally:
        os.environ.pop(MEMORY_VARIABLE, None)


def active_level() -> str:
    """The level at which foreign programs and classes run; raises GameError."""
    return _support(os.environ.get(VARIABLE, "")).level


@contextlib.contextmanager
def isolation(wanted: str = "") -> Iterator[None]:
    """Set VARIABLE for this process and the workers that it starts; empty: leave it as it is.

    Raises GameError if isolation is required and the system does not support it.
    """
    before = os.environ.get(VARIABLE, "")
    if wanted in ("", before):
        yield
        return
    os.environ[VARIABLE] = wanted
    try:
        if wanted == REQUIRE:
            active_level()
        yield
    finally:
        os.environ.pop(VARIABLE, None)
        if before:
            os.environ[VARIABLE] = before


@functools.cache
def _support(wanted: str) -> Support:
    """The support for a value of VARIABLE; warns if nothing protects files and processes."""
    if wanted == "off":
        return TRUSTED
    if wanted not in ("", REQUIRE, *LEVELS):
        raise GameError(f"{VARIABLE}: expected one of {', '.join((*LEVELS, REQUIRE))}, got {wanted!r}")
    level, _, namespaces = os.environ.get(_FOUND_VARIABLE, "").partition(" ")
    if not wanted and level in LEVELS:
        return Support(level, namespaces == "1")
    found = probe(LEVELS[:2] if wanted in ("", REQUIRE) else (wanted,))
    if wanted in LEVELS and found.level != wanted:
        raise GameError(f"{VARIABLE}: {wanted} does not work here: {found.problem}")
    if wanted == REQUIRE and found.level == "rlimits":
        raise GameError(f"isolate: this system cannot isolate programs: {found.problem}; install bubblewrap")
    if not wanted and found.level == "rlimits":
        text = "programs are not isolated: they can read your files and reach other processes"
        message = f"{text} ({found.problem}); install bubblewrap, or pass --trust"
        if notices.waiting is not None:
            notices.waiting(message)
        else:
            warnings.warn(message, stacklevel=2)
    if not wanted:
        # Workers need not probe again.
        os.environ[_FOUND_VARIABLE] = f"{found.level} {int(found.namespaces)}"
    return found


def probe(levels: Iterable[str]) -> Support:
    """Find the first of these levels that works, by running a program in it; else `rlimits`."""
    problems = []
    for level in levels:
        if level in ("rlimits", "off"):
            return Support(level)
        if not sys.platform.startswith("linux"):
            return Support("rlimits", problem="only Linux is supported")
        for namespaces in (True, False) if level == "landlock" else (False,):
            problem = _try(Support(level, namespaces))
            if problem is None:
                return Support(level, namespaces)
            problems.append(f"{level}: {problem}")
    return Support("rlimits", problem="; ".join(problems))


def _try(support: Support) -> str | None:
    """Run a program at a level that may not work; returns the problem."""
    if support.level == "bubblewrap" and not (shutil.which("bwrap") and shutil.which("prlimit")):
        return "not installed"
    # The program must run, be able to write to its private folder, and be unable to write outside it.
    outside = Path("/var/tmp", f"starscout-probe-{os.getpid()}")
    script = 'echo x > "$TMPDIR/x" && ! echo x > "$0" && echo works'
    lifeline = None
    try:
        process, lifeline = launch(["/bin/sh", "-c", script, str(outside)], support=support)
        with process:
            output, errors = process.communicate(timeout=_PROBE_SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    finally:
        if lifeline is not None:
            os.close(lifeline)
        outside.unlink(missing_ok=True)
    if output == b"works\n":
        return None
    lines = errors.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:200] if lines else f"exit code {process.returncode}"


def launch(
    words: list[str],
    *,
    environment: dict[str, str] | None = None,
    folder: str | None = None,
    readable: Iterable[str] = (),
    support: Support | None = None,
    port: int = 0,
    writable: str | None = None,
    limits: Mapping[str, int] = MappingProxyType({}),
) -> "tuple[subprocess.Popen[bytes], int]":
    """Start a program under the launcher, at the active level unless `support` is given.

    Returns the launcher and the lifeline: closing this descriptor kills the program and its descendants. `readable`:
    files and folders of the program. `port`: the port to which it may connect. `writable`: a folder that it may
    change. `limits`: resource limits that replace the defaults. Raises GameError and OSError.
    """
    support = support or _support(os.environ.get(VARIABLE, ""))
    environment = dict(os.environ) if environment is None else environment
    plan = _plan(words, environment, folder, readable, support, port, writable, limits)
    lifeline, end = os.pipe()
    try:
        plan_file = os.memfd_create("plan")
        try:
            plan["lifeline"] = lifeline
            os.write(plan_file, marshal.dumps(plan))
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _BOOT, os.path.dirname(__file__), str(plan_file)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                bufsize=0,
                env={name: value for name, value in os.environ.items() if name in _LAUNCHER_VARIABLES},
                pass_fds=[lifeline, plan_file],
            )
        finally:
            os.close(plan_file)
    except BaseException:
        # An interrupt may arrive after the start: without a lifeline the program ends.
        os.close(end)
        raise
    finally:
        os.close(lifeline)
    return process, end


@dataclass(frozen=True)
class RunLimits:
    """Limits of a command that `run` executes; sizes in bytes."""

    memory: int | None = None
    """Address space of each process; None: as for engines."""
    processes: int = PROCESSES
    file: int = SCRATCH_BYTES
    """Size of each file."""
    folder: int = 4 * SCRATCH_BYTES
    """Disk space of the writable folder. It is checked several times per second."""
    output: int = 1 << 16
    """Captured output; the rest is dropped."""


DEFAULT_LIMITS = RunLimits()


@dataclass(frozen=True)
class Finished:
    """The end of a command."""

    code: int
    """Exit code; negative: the signal that ended it."""
    output: str
    """Standard output and error output without control characters, except newlines and tabs."""
    timed_out: bool = False
    overfull: bool = False
    """Whether it was killed because its folder exceeded the limit."""

    @property
    def succeeded(self) -> bool:
        return self.code == 0 and not self.timed_out and not self.overfull


def run(
    command: list[str],
    folder: str | Path,
    limits: RunLimits = DEFAULT_LIMITS,
    seconds: float = 60.0,
    *,
    readable: Iterable[str] = (),
    environment: dict[str, str] | None = None,
    support: Support | None = None,
) -> Finished:
    """Run a command in a folder that it may change, isolated like an engine, without input and network.

    Afterwards all of its descendants are dead, and the folder may contain links to anywhere: do not follow them.
    At level `landlock` without namespaces the command cannot change modes of files. `environment`: variables instead of
    those of this process, of which isolated programs receive a few; `support`: another level than the active one.
    Raises GameError and OSError.
    """
    folder = os.path.realpath(folder)
    bounds = {"NPROC": limits.processes, "FSIZE": limits.file, "CPU": max(1, math.ceil(seconds) + 1)}
    bounds |= {} if limits.memory is None else {"AS": limits.memory}
    process, lifeline = launch(
        command,
        environment=environment,
        folder=folder,
        readable=readable,
        support=support,
        writable=folder,
        limits=bounds,
    )
    until, output = time.monotonic() + seconds, bytearray()
    timed_out = overfull = False
    with process:
        try:
            for _ in _reading(process, output, limits.output):
                timed_out = time.monotonic() >= until
                overfull = not timed_out and _exceeds(folder, limits.folder)
                if timed_out or overfull:
                    break
        finally:
            os.close(lifeline)
        code = process.wait()
    overfull = overfull or _exceeds(folder, limits.folder)
    return Finished(code, _plain_text(bytes(output)), timed_out, overfull)


_CHECK_SECONDS = 0.2
"""Seconds between two checks of a running command."""


def _reading(process: "subprocess.Popen[bytes]", output: bytearray, most: int) -> Iterator[None]:
    """Collect output until the process has ended; yields at regular intervals."""
    assert process.stdin is not None
    process.stdin.close()
    check = time.monotonic() + _CHECK_SECONDS
    with selectors.DefaultSelector() as open_streams:
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            open_streams.register(stream, selectors.EVENT_READ)
        while open_streams.get_map() or process.poll() is None:
            left = max(check - time.monotonic(), 0.0)
            if not open_streams.get_map():
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(left)
            for key, _ in open_streams.select(left) if open_streams.get_map() else ():
                chunk = os.read(key.fd, 1 << 16)
                output += chunk[: max(most - len(output), 0)]
                if not chunk:
                    open_streams.unregister(key.fileobj)
            if time.monotonic() >= check:
                yield
                check = time.monotonic() + _CHECK_SECONDS


def _exceeds(folder: str, most: int) -> bool:
    """Whether the files of a folder occupy more than this disk space; links are not followed."""
    size, waiting = 0, [folder]
    while waiting and size <= most:
        try:
            for entry in os.scandir(waiting.pop()):
                with contextlib.suppress(FileNotFoundError):
                    size += max(entry.stat(follow_symlinks=False).st_blocks * 512, _SMALLEST_FILE)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                if size > most:
                    break
        except FileNotFoundError:
            continue
        except PermissionError:
            # The command has made a folder unreadable.
            return True
        except OSError as error:
            if error.errno != errno.ENAMETOOLONG:
                raise
            return True
    return size > most


_SMALLEST_FILE = 512
"""Minimum size counted for each entry of a folder, in bytes."""


def _plain_text(output: bytes) -> str:
    """Output for terminals, logs and pages."""
    text = output.decode("utf-8", "replace").replace("\r\n", "\n")
    return "".join(mark if mark.isprintable() or mark in "\n\t" else "\N{REPLACEMENT CHARACTER}" for mark in text)


def _plan(
    words: list[str],
    environment: dict[str, str],
    folder: str | None,
    readable: Iterable[str],
    support: Support,
    port: int,
    writable: str | None,
    limits: Mapping[str, int],
) -> dict[str, Any]:
    """Instructions for the launcher."""
    level, cwd = support.level, folder or os.getcwd()
    memory = memory_limit()
    plan: dict[str, Any] = {
        "level": level,
        "namespaces": support.namespaces,
        "port": port,
        "words": words,
        "environment": environment,
        "cwd": cwd,
        "limits": {} if memory is None else {"AS": memory},
        "writable": writable,
        "scratch": os.environ.get("TMPDIR") or "/tmp",
        "scratch_bytes": SCRATCH_BYTES,
    }
    if level != "off":
        plan["environment"] = _allowed(environment) | {"HOME": "/tmp", "TMPDIR": "/tmp"}
        # Python looks for the user's packages below the home folder, which the sandbox replaces.
        plan["environment"].setdefault("PYTHONUSERBASE", site.getuserbase())
        plan["limits"] = {**_limits(), **limits}
        system = [path for path in SYSTEM if os.path.exists(path)]
        plan["readable"] = [*system, *existing((*readable, *own_folders()))]
        plan["listable"] = [str(Path(starscout.__file__).parents[1]), cwd]
    if level == "bubblewrap":
        plan["bwrap"] = _bubblewrap(plan["readable"], cwd, port, writable)
        plan["prlimit"] = shutil.which("prlimit") or "prlimit"
    return plan


def _limits() -> dict[str, int]:
    """Resource → limit of an isolated program."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    given = memory_limit()
    # Runtimes reserve much more address space than they use: without a given limit, data is bounded more tightly.
    memory = {"AS": physical, "DATA": min(_MAX_MEMORY, physical // 2)} if given is None else {"AS": given}
    return memory | {"NPROC": PROCESSES, "FSIZE": SCRATCH_BYTES, "CORE": 0, "CPU": CPU_SECONDS}


def _allowed(variables: dict[str, str]) -> dict[str, str]:
    """The environment variables that a program needs; others may contain secrets."""
    return {name: value for name, value in variables.items() if name in _VARIABLES or name.startswith(_PREFIXES)} | {
        "STARSCOUT_CACHE": str(cache_folder().parent)
    }


def _bubblewrap(readable: Iterable[str], cwd: str, port: int, writable: str | None) -> list[str]:
    """The command of bwrap up to the program."""
    words = [shutil.which("bwrap") or "bwrap", "--unshare-all", "--unshare-user", "--disable-userns"]
    words += ["--share-net"] if port else []
    words += ["--uid", str(os.getuid() or 65_534), "--gid", str(os.getgid() or 65_534), "--cap-drop", "ALL"]
    # Kernel settings in /proc are writable by root, and a sandbox started by root runs as root.
    words += ["--die-with-parent", "--new-session", "--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev"]
    words += ["--size", str(SCRATCH_BYTES), "--tmpfs", "/dev/shm", "--size", str(SCRATCH_BYTES), "--tmpfs", "/tmp"]
    words += ["--dir", cwd]
    for path in readable:
        if os.path.islink(path) and os.path.dirname(path) == "/":
            words += ["--symlink", os.readlink(path), path]
        else:
            words += ["--ro-bind", path, path]
    words += [] if writable is None else ["--bind", writable, writable]
    return [*words, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", cwd]
