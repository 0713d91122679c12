"""Engines that attack processes, files and the network."""

import ctypes
import os
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

from behaviour_registry import (
    BEHAVIOURS,
    CRASH,
    PLAYS,
    TARGETS,
    TIMEOUT,
    attempt,
    attempt_list,
    behaviour,
    crash_if,
    crash_if_known,
)  # fmt: skip

MANY = 600
"""Processes or threads; more than an isolated engine may have."""


# Processes


@behaviour(CRASH)
def kills_its_parent(targets: dict[str, Any]) -> None:
    attempt(lambda: os.kill(os.getppid(), signal.SIGKILL))
    time.sleep(0.2)
    os._exit(1)


@behaviour(CRASH)
def kills_its_group(targets: dict[str, Any]) -> None:
    os.killpg(0, signal.SIGKILL)


@behaviour(PLAYS, isolated=True, namespace=True)
def kills_everybody(targets: dict[str, Any]) -> None:
    """The signal is harmless, but it would continue the process that the test has stopped."""
    attempt(lambda: os.kill(-1, signal.SIGCONT))


@behaviour(PLAYS, isolated=True)
def kills_a_stranger(targets: dict[str, Any]) -> None:
    attempt(lambda: os.kill(targets["process"], signal.SIGKILL))


@behaviour(PLAYS, isolated=True)
def stops_a_stranger(targets: dict[str, Any]) -> None:
    attempt(lambda: os.kill(targets["process"], signal.SIGSTOP))


@behaviour(PLAYS, isolated=True)
def traces_a_stranger(targets: dict[str, Any]) -> None:
    libc = ctypes.CDLL(None)
    libc.ptrace(16, targets["process"], 0, 0)


@behaviour(PLAYS, isolated=True)
def kills_the_referee(targets: dict[str, Any]) -> None:
    attempt(lambda: os.kill(targets["referee"], signal.SIGKILL))


@behaviour(PLAYS, isolated=True)
def searches_for_processes(targets: dict[str, Any]) -> None:
    for name in attempt_list("/proc"):
        if name == str(targets["process"]):
            attempt(lambda name=name: os.kill(int(name), signal.SIGKILL))


@behaviour(PLAYS)
def starts_a_child(targets: dict[str, Any]) -> None:
    subprocess.Popen(["sleep", targets["nap"]])


@behaviour(PLAYS)
def starts_a_session(targets: dict[str, Any]) -> None:
    subprocess.Popen(["sleep", targets["nap"]], start_new_session=True)


def start_daemon(nap: str, *, deaf: bool = False) -> None:
    """Start a process in a session of its own with an empty environment, by a double fork."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in range(1, 32) if deaf else ():
                if number not in (signal.SIGKILL, signal.SIGSTOP):
                    signal.signal(number, signal.SIG_IGN)
            os.execve("/bin/sleep", ["sleep", nap], {})
        os._exit(0)


@behaviour(PLAYS)
def starts_a_daemon(targets: dict[str, Any]) -> None:
    start_daemon(targets["nap"])


@behaviour(PLAYS)
def starts_a_daemon_that_ignores_signals(targets: dict[str, Any]) -> None:
    start_daemon(targets["nap"], deaf=True)


@behaviour(CRASH)
def starts_a_daemon_and_exits(targets: dict[str, Any]) -> None:
    start_daemon(targets["nap"])
    os._exit(0)


@behaviour(CRASH)
def starts_daemons_and_kills_its_parent(targets: dict[str, Any]) -> None:
    start_daemon(targets["nap"])
    BEHAVIOURS["starts_a_session"](targets)
    BEHAVIOURS["kills_its_parent"](targets)


@behaviour(PLAYS, isolated=True)
def forks_without_end(targets: dict[str, Any]) -> None:
    for _ in range(MANY):
        try:
            if os.fork() == 0:
                os.execve("/bin/sleep", ["sleep", targets["nap"]], {})
        except OSError:
            return
    crash_if(True)


@behaviour(PLAYS, isolated=True)
def starts_threads_without_end(targets: dict[str, Any]) -> None:
    pause = threading.Event()
    for _ in range(MANY):
        try:
            threading.Thread(target=pause.wait, daemon=True).start()
        except RuntimeError:
            return
    crash_if(True)


@behaviour(TIMEOUT)
def forks_and_waits(targets: dict[str, Any]) -> None:
    start_daemon(targets["nap"])
    time.sleep(3600)


@behaviour(PLAYS, isolated=True)
def makes_namespaces(targets: dict[str, Any]) -> None:
    crash_if(ctypes.CDLL(None).unshare(0x1000_0000 | 0x0002_0000) == 0)


@behaviour(PLAYS)
def becomes_the_parent_of_orphans(targets: dict[str, Any]) -> None:
    """PR_SET_CHILD_SUBREAPER: daemons become children of the engine, which ends before them."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
    start_daemon(targets["nap"])


@behaviour(PLAYS, isolated=True)
def attacks_from_a_memory_file(targets: dict[str, Any]) -> None:
    """A program that exists in memory only has no more rights than the engine."""
    shell = os.memfd_create("shell", 0)
    os.write(shell, Path("/bin/sh").read_bytes())
    command = f"echo spoiled > {targets['file']}; kill -STOP {targets['process']}"
    subprocess.run([f"/proc/self/fd/{shell}", "-c", command], pass_fds=[shell], stderr=subprocess.DEVNULL, check=False)


@behaviour(PLAYS, isolated=True)
def uses_asynchronous_system_calls(targets: dict[str, Any]) -> None:
    """io_uring opens files and sockets without the system calls that a filter sees."""
    crash_if(ctypes.CDLL(None).syscall(425, 1, ctypes.create_string_buffer(120)) >= 0)


@behaviour(PLAYS, isolated=True)
def leaves_a_key(targets: dict[str, Any]) -> None:
    """Keys can outlive a process; this one, which only the process sees, does not."""
    number = {"x86_64": 248, "aarch64": 217}[os.uname().machine]
    crash_if(ctypes.CDLL(None).syscall(number, b"user", targets["nap"].encode(), b"x", 1, -2) >= 0)


@behaviour(PLAYS, isolated=True, root=True)
def makes_a_control_group(targets: dict[str, Any]) -> None:
    """Root evades its process limit through a control group of its own."""
    for root in ("/sys/fs/cgroup", "/sys/fs/cgroup/pids", "/sys/fs/cgroup/unified"):
        attempt(lambda root=root: os.mkdir(f"{root}/{targets['nap']}"))


@behaviour(PLAYS, isolated=True, root=True)
def opens_settings_of_the_kernel(targets: dict[str, Any]) -> None:
    """The program that the kernel runs as root after a crash."""
    attempt(lambda: crash_if(os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY) >= 0))


# Files


def spoil(path: str) -> None:
    """Change a file in every way."""
    attempt(lambda: Path(path).write_text("spoiled"))
    attempt(lambda: os.chmod(path, 0o777))
    attempt(lambda: os.truncate(path, 0))
    attempt(lambda: os.rename(path, f"{path}-moved"))
    attempt(lambda: os.unlink(path))


@behaviour(PLAYS, isolated=True)
def spoils_a_file(targets: dict[str, Any]) -> None:
    spoil(targets["file"])


@behaviour(PLAYS, isolated=True)
def spoils_its_own_folder(targets: dict[str, Any]) -> None:
    spoil(str(TARGETS))
    attempt(lambda: TARGETS.with_name("new").write_text("new"))


@behaviour(PLAYS, isolated=True)
def spoils_its_opponent(targets: dict[str, Any]) -> None:
    spoil(targets["opponent"])


@behaviour(PLAYS, isolated=True)
def changes_the_store(targets: dict[str, Any]) -> None:
    import sqlite3

    def change() -> None:
        with sqlite3.connect(targets["store"], timeout=0.1) as store:
            store.execute("update results set score = 1")

    attempt(change)
    spoil(targets["store"])


@behaviour(PLAYS, isolated=True)
def finds_the_store_by_proc(targets: dict[str, Any]) -> None:
    for process in attempt_list("/proc"):
        for name in attempt_list(f"/proc/{process}/fd") if process.isdigit() else ():
            link = f"/proc/{process}/fd/{name}"
            attempt(lambda link=link: spoil(link) if os.readlink(link) == targets["store"] else None)


@behaviour(PLAYS, isolated=True)
def writes_to_the_package(targets: dict[str, Any]) -> None:
    attempt(lambda: Path(targets["package"], "planted.py").write_text("print('planted')"))
    spoil(str(Path(targets["package"], "py.typed")))


@behaviour(PLAYS, isolated=True)
def writes_to_the_kernel_cache(targets: dict[str, Any]) -> None:
    attempt(lambda: Path(targets["cache"], "planted.kernel").write_bytes(b"planted"))


@behaviour(PLAYS, isolated=True)
def writes_to_the_shared_temporary_folder(targets: dict[str, Any]) -> None:
    for folder in ("/var/tmp", "/dev/shm", os.path.dirname(targets["file"])):
        attempt(lambda folder=folder: Path(folder, targets["nap"]).write_text("left"))


@behaviour(PLAYS, isolated=True)
def links_to_a_file(targets: dict[str, Any]) -> None:
    link = Path(os.environ.get("TMPDIR", "/tmp"), "link")
    attempt(lambda: link.symlink_to(targets["file"]))
    spoil(str(link))
    attempt(lambda: os.link(targets["file"], f"{link}2"))


@behaviour(PLAYS, isolated=True)
def fills_the_disk(targets: dict[str, Any]) -> None:
    folder = Path(os.environ.get("TMPDIR", "/tmp"))
    written = []
    for number in range(4):
        attempt(lambda number=number: written.append((folder / str(number)).write_bytes(bytes(40 << 20))))
    crash_if(len(written) == 4)


@behaviour(PLAYS, isolated=True)
def makes_a_huge_file(targets: dict[str, Any]) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    path = Path(os.environ.get("TMPDIR", "/tmp"), "x")
    path.touch()
    attempt(lambda: os.truncate(path, 1 << 40))
    crash_if(path.stat().st_size == 1 << 40)


@behaviour(PLAYS, isolated=True)
def leaks_a_secret(targets: dict[str, Any]) -> None:
    attempt(lambda: crash_if_known(Path(targets["secret"]).read_bytes()))


@behaviour(PLAYS, isolated=True)
def leaks_the_environment(targets: dict[str, Any]) -> None:
    for process in ("self", str(os.getppid()), str(targets["referee"])):
        attempt(lambda process=process: crash_if_known(Path(f"/proc/{process}/environ").read_bytes()))


@behaviour(PLAYS)
def moves_to_another_folder(targets: dict[str, Any]) -> None:
    os.chdir("/")
    os.environ.clear()
    os.umask(0)


# Network


@behaviour(PLAYS, isolated=True)
def connects_by_tcp(targets: dict[str, Any]) -> None:
    attempt(lambda: socket.create_connection(("127.0.0.1", targets["port"]), 1).send(b"here"))


@behaviour(PLAYS, isolated=True)
def sends_by_udp(targets: dict[str, Any]) -> None:
    def send() -> None:
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"here", ("127.0.0.1", targets["udp"]))

    attempt(send)


@behaviour(PLAYS, isolated=True)
def connects_by_a_local_socket(targets: dict[str, Any]) -> None:
    attempt(lambda: socket.socket(socket.AF_UNIX).connect(targets["socket"]))


@behaviour(PLAYS, isolated=True)
def connects_by_an_abstract_socket(targets: dict[str, Any]) -> None:
    attempt(lambda: socket.socket(socket.AF_UNIX).connect("\0" + targets["nap"]))


@behaviour(PLAYS, isolated=True)
def listens(targets: dict[str, Any]) -> None:
    """Others can connect to it if it is in the network of the test, where the port of the test is known."""

    def listen() -> None:
        with socket.create_server(("127.0.0.1", 0)):
            crash_if(f"0100007F:{targets['port']:04X} " in Path("/proc/net/tcp").read_text())

    attempt(listen)


@behaviour(PLAYS, isolated=True)
def leaves_shared_memory(targets: dict[str, Any]) -> None:
    ctypes.CDLL(None).shmget(0x5C0_07, 4096, 0o1600)
