"""Launcher of an engine: supervises it, restricts it, and kills all of its descendants.

This file runs as a script in an interpreter without packages. It imports little, so that programs start fast:

    python -I -S -c BOOT FOLDER DESCRIPTOR      the descriptor of a plan, see `launch` in sandbox.py

The launcher stays between the referee and the engine. It ends the engine when the referee closes the lifeline, a pipe
that is also closed if the referee is killed. Levels:

    bubblewrap  namespaces and a read-only file system by bwrap(1)
    landlock    Landlock rules and a seccomp filter; also namespaces if the system permits them
    rlimits     resource limits only
    off         no restrictions
"""

from __future__ import annotations

import _signal as signal  # pyright: ignore[reportMissingImports]
import marshal
import os
import resource
import select
import time

import confinement  # pyright: ignore[reportMissingImports]
from confinement import Suppress, prctl, write  # pyright: ignore[reportMissingImports]

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from typing import Any, NoReturn

    from starscout.protocols import confinement
    from starscout.protocols.confinement import Suppress, prctl, write

LAUNCH_FAILED = 126
"""Exit code if the restrictions cannot be applied or the program cannot be executed."""

_KILL_SECONDS = 5.0
"""Seconds for killing descendants that keep forking."""


def main(plan_file: int) -> NoReturn:
    """Run the engine of a plan, read from a descriptor, and exit as it does."""
    os.lseek(plan_file, 0, os.SEEK_SET)
    with os.fdopen(plan_file, "rb") as file:
        plan: dict[str, Any] = marshal.load(file)
    prctl(confinement.SUBREAPER, 1)
    wakeup_read, wakeup_write = os.pipe()
    for end in (wakeup_read, wakeup_write):
        os.set_blocking(end, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wakeup_write, warn_on_full_buffer=False)
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        signal.signal(getattr(signal, name), lambda *_: None)
    level, lifeline, namespaces = plan["level"], plan["lifeline"], plan["namespaces"]
    os.set_inheritable(lifeline, False)
    group = _process_group(plan["limits"].get("NPROC"))
    folder = _make_folder(plan["scratch"]) if level in ("landlock", "rlimits") else None
    if namespaces:
        confinement.unshare(network=not plan["port"])
    child = _fork(_run, plan, folder, group)
    status = _supervise(child, lifeline, wakeup_read)
    _kill_descendants()
    if group is not None:
        with Suppress(OSError):
            os.rmdir(group)
    if folder is not None:
        _remove_folder(folder)
    _exit_like(status, 128 if namespaces or level == "bubblewrap" else None)


def _fork(function: Any, *arguments: Any) -> int:
    """Run a function in a child process, which does not return; only the child keeps the streams."""
    child = os.fork()
    if child == 0:
        try:
            function(*arguments)
        except BaseException as error:
            os.write(2, f"the engine cannot be started: {error}\n".encode())
        finally:
            os._exit(LAUNCH_FAILED)
    # The referee must notice when the engine closes its streams.
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    return child


def _run(plan: dict[str, Any], folder: str | None, group: str | None) -> NoReturn:
    """Enter the control group and the namespaces, and execute the engine."""
    prctl(confinement.PDEATHSIG, signal.SIGKILL)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if group is not None:
        # In version 1 a process without threads joins by `tasks`, which takes no system-wide lock: 0.3 ms, not 20.
        write(f"{group}/tasks" if os.path.exists(f"{group}/tasks") else f"{group}/cgroup.procs", "0")
    if plan["namespaces"]:
        _be_init(plan, folder or "/")
    if plan["level"] != "bubblewrap":
        # An engine that kills its parent must not kill the process that kills its descendants.
        _exit_like(_wait_for(_fork(_execute, plan, folder)), None)
    _execute(plan, folder)


def _wait_for(child: int) -> int:
    """Reap orphans until `child` ends; return its wait status."""
    while True:
        process, status = os.wait()
        if process == child:
            return status


def _supervise(child: int, lifeline: int, wakeup: int) -> int:
    """Wait for the engine or for the end of the lifeline; return the wait status of the engine."""
    poll = select.poll()
    poll.register(lifeline, select.POLLIN)
    poll.register(wakeup, select.POLLIN)
    while True:
        status = _reap(child)
        if status is not None:
            return status
        ready = dict(poll.poll())
        signals = b""
        if wakeup in ready:
            with Suppress(BlockingIOError):
                signals = os.read(wakeup, 4096)
        if lifeline in ready or signal.SIGTERM in signals:
            return 0


def _reap(child: int) -> int | None:
    """Reap dead descendants; return the wait status of `child` if it is among them."""
    while True:
        try:
            process, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return 0
        if process == 0:
            return None
        if process == child:
            return status


def _kill_descendants() -> None:
    """Kill and reap all descendants: orphans become children of this process."""
    until = time.monotonic() + _KILL_SECONDS
    while time.monotonic() < until:
        for process in _children():
            with Suppress(OSError):
                os.kill(process, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.002)


def _children() -> list[int]:
    """The children of this process; empty on kernels that do not list them."""
    with Suppress(OSError), open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]
    return []


def _exit_like(status: int, base: int | None) -> NoReturn:
    """Exit as the engine did; above `base` an exit code contains the signal that killed it."""
    code = os.waitstatus_to_exitcode(status)
    if base is not None and base < code <= base + 64:
        code = base - code
    if code < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with Suppress(OSError, ValueError):
            signal.signal(-code, signal.SIG_DFL)
        with Suppress(OSError, ValueError):
            os.kill(os.getpid(), -code)
            time.sleep(1)
    os._exit(code & 0xFF)


def _make_folder(parent: str) -> str:
    """Make a private folder."""
    folder = os.path.join(parent, f"starscout-engine-{os.urandom(16).hex()}")
    os.mkdir(folder, 0o700)
    return folder


def _remove_folder(folder: str) -> None:
    """Remove a private folder and its content, without following links; the engine may have changed modes.

    Nested folders are moved to the top: an engine can nest them deeper than the longest path.
    """
    with Suppress(OSError):
        os.chmod(folder, 0o700)
        waiting, number = [folder], 0
        while waiting:
            for entry in os.scandir(waiting[-1]):
                if entry.is_dir(follow_symlinks=False):
                    number += 1
                    moved = os.path.join(folder, f"{number}-{os.urandom(8).hex()}")
                    os.chmod(entry.path, 0o700)
                    os.rename(entry.path, moved)
                    waiting.append(moved)
                    break
                os.unlink(entry.path)
            else:
                os.rmdir(waiting.pop())


def _be_init(plan: dict[str, Any], folder: str) -> NoReturn:
    """Be the first process of the PID namespace: start the engine, reap orphans, exit with the engine."""
    with Suppress(OSError):
        write("/proc/self/oom_score_adj", "1000")
    confinement.make_read_only(folder, plan["scratch_bytes"], plan["writable"])
    code = os.waitstatus_to_exitcode(_wait_for(_fork(_execute, plan, folder)))
    os._exit(code if code >= 0 else 128 - code)


def _execute(plan: dict[str, Any], folder: str | None) -> NoReturn:
    """Apply the restrictions of the level and execute the command."""
    level, environment = plan["level"], dict(plan["environment"])
    with Suppress(OSError):
        os.setsid()
    for name in ("SIGPIPE", "SIGXFSZ", "SIGINT", "SIGTERM", "SIGHUP"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    if plan["cwd"]:
        os.chdir(plan["cwd"])
    if level != "off":
        with Suppress(OSError):
            write("/proc/self/oom_score_adj", "1000")
        prctl(confinement.NO_NEW_PRIVS, 1)
    if level in ("landlock", "rlimits"):
        environment |= {"TMPDIR": folder or "/", "HOME": folder or "/"}
    if level != "off":
        confinement.restrict_connections(plan["port"])
    if level == "bubblewrap":
        _execute_bubblewrap(plan, environment)
    for name, value in confinement.bounded_limits(plan["limits"], level, plan["namespaces"]).items():
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (value, value))
    if level in ("landlock", "rlimits"):
        confinement.drop_capabilities()
    if level == "landlock":
        confinement.restrict_files(plan["readable"], plan["listable"], filter(None, (folder, plan["writable"])))
        # With namespaces all file systems are read-only.
        confinement.filter_calls(attributes=not plan["namespaces"], network=plan["port"] > 0)
    elif level == "rlimits":
        with Suppress(OSError, KeyError):
            confinement.filter_calls(network=plan["port"] > 0)
    os.execvpe(plan["words"][0], plan["words"], environment)


def _execute_bubblewrap(plan: dict[str, Any], environment: dict[str, str]) -> NoReturn:
    """Replace this process by bwrap, which hands the streams 3, 4 and 5 to the engine and closes its own copies."""
    null = os.open(os.devnull, os.O_RDWR)
    streams = [os.dup(stream) for stream in (0, 1, 2)]
    filter_file = os.memfd_create("seccomp")
    os.write(filter_file, confinement.filter_program(network=plan["port"] > 0))
    os.lseek(filter_file, 0, os.SEEK_SET)
    held = [*streams, filter_file]
    # Low descriptors may be in use: move everything up first.
    base = max(64, *held) + 1
    for offset, descriptor in enumerate(held):
        os.dup2(descriptor, base + offset, inheritable=False)
    for offset, target in enumerate((3, 4, 5)):
        os.dup2(base + offset, target)
    os.dup2(base + 3, 6)
    os.dup2(null, 0)
    os.dup2(null, 1)
    bounded = confinement.bounded_limits(plan["limits"], "bubblewrap", namespaces=False)
    limits = [f"--{name.lower()}={value}" for name, value in bounded.items()]
    inner = ["/bin/sh", "-c", 'exec "$@" <&3 >&4 2>&5 3<&- 4>&- 5>&-', "sh", plan["prlimit"], *limits, "--"]
    os.execvpe(plan["bwrap"][0], [*plan["bwrap"], "--seccomp", "6", "--", *inner, *plan["words"]], environment)


def _process_group(most: int | None) -> str | None:
    """Make a control group that bounds the number of processes; only root can, and only root needs it."""
    if most is None or os.geteuid() != 0:
        return None
    with Suppress(OSError), open("/proc/self/cgroup", encoding="ascii") as file:
        for line in file.read().splitlines():
            _, controllers, path = line.split(":", 2)
            root = "/sys/fs/cgroup/pids" if controllers == "pids" else "/sys/fs/cgroup" if not controllers else None
            if root is None or not os.path.isdir(root):
                continue
            group = f"{root}{path.rstrip('/')}/starscout-{os.getpid()}-{os.urandom(4).hex()}"
            with Suppress(OSError):
                # Groups of launchers that were killed are left empty.
                for name in os.listdir(os.path.dirname(group)):
                    if name.startswith("starscout-") and not os.path.exists(f"/proc/{name.split('-')[1]}"):
                        with Suppress(OSError):
                            os.rmdir(f"{os.path.dirname(group)}/{name}")
                os.mkdir(group)
                if os.path.exists(f"{group}/pids.max"):
                    write(f"{group}/pids.max", str(most))
                    return group
                os.rmdir(group)
    return None
