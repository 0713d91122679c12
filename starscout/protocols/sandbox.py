"""Isolation of foreign programs and Python classes: which level this system supports, and how they are started.

    bubblewrap  own namespaces, read-only files, no network, private /tmp
    landlock    the same by Landlock, seccomp and, where permitted, namespaces
    rlimits     limits on memory, processes and files; no protection of other files and processes
    off         `--trust`: no restrictions

All levels end an engine with all of its descendants (`launcher.py`). docs/referee.md describes what each protects.
"""

import contextlib
import functools
import marshal
import os
import shutil
import site
import subprocess
import sys
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import starscout
from starscout.errors import GameError
from starscout.kernels import notices
from starscout.kernels.cache import KEY_FILE, cache_folder
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

_SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/etc/ld.so.cache",
    "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime", "/etc/timezone", "/etc/passwd",
    "/etc/group", "/etc/nsswitch.conf", "/etc/locale.alias", "/etc/ssl", "/etc/java", "/etc/python3",
)  # fmt: skip
"""System files that programs may read."""

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
        raise GameError(f"isolate: this system can isolate no programs: {found.problem}; install bubblewrap")
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
    # The program must run, must write its private folder, and nothing outside.
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
    network: bool = False,
) -> "tuple[subprocess.Popen[bytes], int]":
    """Start a program under the launcher, at the active level unless `support` is given.

    Returns the launcher and the lifeline: closing this descriptor kills the program and its descendants. `readable`:
    files and folders of the program. `network`: it may use IPv4, to connect to the referee. Raises GameError and
    OSError.
    """
    support = support or _support(os.environ.get(VARIABLE, ""))
    plan = _plan(words, dict(os.environ) if environment is None else environment, folder, readable, support, network)
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


def _plan(
    words: list[str],
    environment: dict[str, str],
    folder: str | None,
    readable: Iterable[str],
    support: Support,
    network: bool,
) -> dict[str, Any]:
    """Instructions for the launcher."""
    level, cwd = support.level, folder or os.getcwd()
    memory = memory_limit()
    plan: dict[str, Any] = {
        "level": level,
        "namespaces": support.namespaces,
        "network": network,
        "words": words,
        "environment": environment,
        "cwd": cwd,
        "limits": {} if memory is None else {"AS": memory},
        "scratch": os.environ.get("TMPDIR") or "/tmp",
        "scratch_bytes": SCRATCH_BYTES,
    }
    if level != "off":
        plan["environment"] = _allowed(environment) | {"HOME": "/tmp", "TMPDIR": "/tmp"}
        # Python finds the packages of the user below the home folder, which is another one now.
        plan["environment"].setdefault("PYTHONUSERBASE", site.getuserbase())
        plan["limits"] = _limits()
        system = [path for path in _SYSTEM if os.path.exists(path)]
        plan["readable"] = [*system, *existing((*readable, *own_folders()))]
        plan["listable"] = [str(Path(starscout.__file__).parents[1]), cwd]
    if level == "bubblewrap":
        plan["bwrap"] = _bubblewrap(plan["readable"], cwd, network)
        plan["prlimit"] = shutil.which("prlimit") or "prlimit"
    return plan


def own_folders() -> list[str]:
    """The folders that programs with this interpreter and this package read: all read-only."""
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, str(Path(starscout.__file__).parent)}
    # Compiled kernels are signed: without the key a program would compile them again at every start.
    return [*sorted(prefixes), *_package_folders(), str(cache_folder()), str(cache_folder().parent / KEY_FILE)]


def _package_folders() -> list[str]:
    """The folders of installed packages outside of the prefixes: those of the user, and editable installations."""
    found = [os.path.join(site.getuserbase(), "lib")]
    for folder in (*site.getsitepackages(), site.getusersitepackages()):
        for file in Path(folder).glob("*.pth"):
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
            found += [os.path.join(folder, line.strip()) for line in lines if line.strip()[:1] not in ("", "#")]
    for name, module in sys.modules.items():
        # Other editable installations are found by a module that maps packages to folders.
        if name.startswith("__editable__"):
            found += map(str, getattr(module, "MAPPING", {}).values())
    return [folder for folder in found if os.path.isdir(folder)]


def program_folders(words: list[str], folder: str | None, files: Iterable[str] = ()) -> list[str]:
    """The files and folders that a command refers to: its program, and the folders of its arguments."""
    base = folder or os.getcwd()
    found = [] if folder is None else [folder]
    program = os.path.join(base, words[0]) if "/" in words[0] else shutil.which(words[0])
    if program is not None:
        for path in dict.fromkeys((os.path.abspath(program), os.path.realpath(program))):
            parent = os.path.dirname(path)
            prefix = os.path.dirname(parent)
            is_prefix = os.path.exists(f"{prefix}/pyvenv.cfg") or os.path.isdir(f"{prefix}/lib")
            # A version manager such as pyenv keeps its scripts in `shims` and runs programs beside that folder.
            is_prefix = is_prefix and os.path.basename(parent) == "bin"
            found.append(prefix if is_prefix or os.path.basename(parent) == "shims" else parent)
    for word in (*words[1:], *files):
        for part in (word, word.partition("=")[2]):
            path = os.path.join(base, os.path.expanduser(part))
            if part and os.path.exists(path):
                found.append(os.path.abspath(path) if os.path.isdir(path) else os.path.dirname(os.path.abspath(path)))
    return found


def existing(paths: Iterable[str]) -> list[str]:
    """The existing paths, with their targets if they are links, without those inside of others."""
    found = {path for given in paths for path in (os.path.abspath(given), os.path.realpath(given))}
    kept: list[str] = []
    for path in sorted(path for path in found if os.path.exists(path) and path != "/"):
        if not any(path == other or path.startswith(f"{other}/") for other in (*_SYSTEM, *kept)):
            kept.append(path)
    return kept


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


def _bubblewrap(readable: Iterable[str], cwd: str, network: bool) -> list[str]:
    """The command of bwrap up to the program."""
    words = [shutil.which("bwrap") or "bwrap", "--unshare-all", "--unshare-user", "--disable-userns"]
    words += ["--share-net"] if network else []
    words += ["--uid", str(os.getuid() or 65_534), "--gid", str(os.getgid() or 65_534), "--cap-drop", "ALL"]
    words += ["--die-with-parent", "--new-session", "--proc", "/proc", "--dev", "/dev"]
    words += ["--size", str(SCRATCH_BYTES), "--tmpfs", "/dev/shm", "--size", str(SCRATCH_BYTES), "--tmpfs", "/tmp"]
    words += ["--dir", cwd]
    for path in readable:
        if os.path.islink(path) and os.path.dirname(path) == "/":
            words += ["--symlink", os.readlink(path), path]
        else:
            words += ["--ro-bind", path, path]
    return [*words, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", cwd]
