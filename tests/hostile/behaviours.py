"""Hostile behaviours of engines, as `lab` programs and as Python classes.

    behaviours.py NAME [PORT TOKEN]         a program, over standard input and output or over TCP
    python:behaviours.py:NAME               a class

Both misbehave at their first move. A behaviour that returns None plays the first legal move afterwards. `targets.json`
beside this file names what must not be reached: files, processes and ports of the test.
"""

import ctypes
import gc
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_loads = json.loads
"""The original: a behaviour replaces it."""

Behaviour = Callable[[dict[str, Any]], Any]
TARGETS = Path(__file__).with_name("targets.json")
VERDICTS: dict[str, str] = {}
"""Behaviour → reason of the forfeit; empty: it plays on."""
BEHAVIOURS: dict[str, Behaviour] = {}
ONLY_ISOLATED: set[str] = set()
"""Behaviours that would do harm without isolation."""
ONLY_PID_NAMESPACE: set[str] = set()
"""Behaviours that would do harm without a PID namespace."""

PLAYS, CRASH, TIMEOUT, ILLEGAL = "", "crash", "timeout", "illegal move"


def behaviour(verdict: str, *, isolated: bool = False, namespace: bool = False) -> Callable[[Behaviour], Behaviour]:
    def register(function: Behaviour) -> Behaviour:
        name = function.__name__
        BEHAVIOURS[name], VERDICTS[name] = function, verdict
        if isolated:
            ONLY_ISOLATED.add(name)
        if namespace:
            ONLY_PID_NAMESPACE.add(name)
        return function

    return register


def attempt(action: Callable[[], Any]) -> None:
    """Ignore that an attack fails."""
    try:
        action()
    except Exception as error:
        print(f"refused: {type(error).__name__}", file=sys.stderr)


# Time


@behaviour(TIMEOUT)
def loops(targets: dict[str, Any]) -> None:
    while True:
        pass


@behaviour(TIMEOUT)
def sleeps(targets: dict[str, Any]) -> None:
    time.sleep(3600)


@behaviour(TIMEOUT)
def waits_for_a_lock(targets: dict[str, Any]) -> None:
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


@behaviour(TIMEOUT)
def computes_without_signals(targets: dict[str, Any]) -> None:
    targets["x"] = 3 ** (10**9)


@behaviour(TIMEOUT)
def backtracks(targets: dict[str, Any]) -> None:
    re.match(r"(a+)+$", "a" * 60 + "b")


@behaviour(TIMEOUT)
def ignores_signals(targets: dict[str, Any]) -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    while True:
        time.sleep(1)


@behaviour(TIMEOUT)
def stops_itself(targets: dict[str, Any]) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


@behaviour(TIMEOUT)
def loops_in_threads(targets: dict[str, Any]) -> None:
    for _ in range(4):
        threading.Thread(target=BEHAVIOURS["loops"], args=(targets,), daemon=True).start()
    threading.Event().wait()


@behaviour(TIMEOUT)
def waits_for_a_child(targets: dict[str, Any]) -> None:
    subprocess.run(["sleep", "3600"], check=False)


@behaviour(TIMEOUT)
def answers_late(targets: dict[str, Any]) -> None:
    time.sleep(20)


# Crashes


@behaviour(CRASH)
def segfaults(targets: dict[str, Any]) -> None:
    ctypes.string_at(0)


@behaviour(CRASH)
def exits_at_once(targets: dict[str, Any]) -> None:
    os._exit(0)


@behaviour(CRASH)
def exits_with_a_code(targets: dict[str, Any]) -> None:
    os._exit(3)


@behaviour(CRASH)
def raises_system_exit(targets: dict[str, Any]) -> None:
    sys.exit(0)


@behaviour(CRASH)
def raises_keyboard_interrupt(targets: dict[str, Any]) -> None:
    raise KeyboardInterrupt


@behaviour(CRASH)
def raises_generator_exit(targets: dict[str, Any]) -> None:
    raise GeneratorExit


@behaviour(CRASH)
def divides_by_zero(targets: dict[str, Any]) -> None:
    targets["x"] = 1 // 0


@behaviour(CRASH)
def aborts(targets: dict[str, Any]) -> None:
    os.abort()


@behaviour(CRASH)
def kills_itself(targets: dict[str, Any]) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@behaviour(CRASH)
def recurses(targets: dict[str, Any]) -> None:
    BEHAVIOURS["recurses"](targets)


@behaviour(CRASH)
def overflows_the_stack(targets: dict[str, Any]) -> None:
    sys.setrecursionlimit(10**9)
    nested: list[Any] = []
    for _ in range(10**6):
        nested = [nested]
    repr(nested)


@behaviour(CRASH)
def allocates_at_once(targets: dict[str, Any]) -> None:
    bytearray(1 << 40)


@behaviour(CRASH, isolated=True)
def allocates_gradually(targets: dict[str, Any]) -> None:
    held = []
    while True:
        held.append(bytearray(16 << 20))


@behaviour(CRASH)
def raises_an_exception_that_fails(targets: dict[str, Any]) -> None:
    class BadError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no text")

    raise BadError


@behaviour(CRASH)
def replaces_itself(targets: dict[str, Any]) -> None:
    os.execv("/bin/true", ["true"])


@behaviour(CRASH)
def is_ended_by_a_timer(targets: dict[str, Any]) -> None:
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    time.sleep(10)


@behaviour(CRASH)
def raises_a_megabyte(targets: dict[str, Any]) -> None:
    raise ValueError("x" * 1_000_000)


@behaviour(CRASH)
def raises_control_characters(targets: dict[str, Any]) -> None:
    raise ValueError("\x1b]0;owned\x07\x1b[2J\r\nround 9: wins\u202e")


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
        if name.isdigit() and int(name) not in (1, os.getpid(), os.getppid()):
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
    for _ in range(2_000):
        try:
            if os.fork() == 0:
                os.execve("/bin/sleep", ["sleep", targets["nap"]], {})
        except OSError:
            return


@behaviour(PLAYS, isolated=True)
def starts_threads_without_end(targets: dict[str, Any]) -> None:
    pause = threading.Event()
    for _ in range(2_000):
        try:
            threading.Thread(target=pause.wait, daemon=True).start()
        except RuntimeError:
            return


@behaviour(TIMEOUT)
def forks_and_waits(targets: dict[str, Any]) -> None:
    start_daemon(targets["nap"])
    time.sleep(3600)


@behaviour(PLAYS, isolated=True)
def makes_namespaces(targets: dict[str, Any]) -> None:
    ctypes.CDLL(None).unshare(0x1000_0000 | 0x0002_0000)


# Files


def crash_if_known(content: bytes) -> None:
    """Report the teacher's secret by a crash: the error output of a program that plays is not shown."""
    if b"the-secret-of-the-teacher" in content:
        os._exit(99)


def attempt_list(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


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
    for number in range(4):
        attempt(lambda number=number: (folder / str(number)).write_bytes(bytes(40 << 20)))


@behaviour(PLAYS, isolated=True)
def makes_a_huge_file(targets: dict[str, Any]) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    path = Path(os.environ.get("TMPDIR", "/tmp"), "x")
    path.touch()
    attempt(lambda: os.truncate(path, 1 << 45))


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
    for address in (targets["socket"], "\0" + targets["nap"]):
        attempt(lambda address=address: socket.socket(socket.AF_UNIX).connect(address))


@behaviour(PLAYS, isolated=True)
def listens(targets: dict[str, Any]) -> None:
    attempt(lambda: socket.create_server(("127.0.0.1", 0)))


@behaviour(PLAYS, isolated=True)
def leaves_shared_memory(targets: dict[str, Any]) -> None:
    ctypes.CDLL(None).shmget(0x5C0_07, 4096, 0o1600)


# Python


@behaviour(PLAYS)
def patches_other_players(targets: dict[str, Any]) -> None:
    """What won 10-0: replace the opponent's method."""
    for found in gc.get_objects():
        if type(found).__name__ in ("RandomPlayer", "Honest"):
            type(found).choose = lambda self, state, limit: state.legal[-1]  # type: ignore[method-assign]


@behaviour(PLAYS)
def patches_the_referee(targets: dict[str, Any]) -> None:
    for name, module in list(sys.modules.items()):
        if name.startswith("starscout.referee"):
            attempt(lambda module=module: setattr(module, "play_game", None))
            attempt(lambda module=module: setattr(module, "die", lambda *_: 1))


@behaviour(PLAYS)
def patches_the_standard_library(targets: dict[str, Any]) -> None:
    os.getpid = lambda: 1
    time.perf_counter = lambda: 0.0
    json.loads = lambda *_: {}


@behaviour(PLAYS)
def traces_every_call(targets: dict[str, Any]) -> None:
    sys.setprofile(lambda *_: None)
    threading.settrace(lambda *_: None)


@behaviour(PLAYS)
def floods_standard_error(targets: dict[str, Any]) -> None:
    os.write(2, b"\x1b[31mnoise \x07" * 200_000)


@behaviour(ILLEGAL)
def moves_illegally(targets: dict[str, Any]) -> str:
    return "Z9Z9"


@behaviour(ILLEGAL)
def moves_with_a_long_text(targets: dict[str, Any]) -> str:
    return "\x07x" * 10_000


@behaviour(ILLEGAL)
def moves_with_an_empty_text(targets: dict[str, Any]) -> str:
    return ""


@behaviour(PLAYS)
def forges_answers(targets: dict[str, Any]) -> None:
    for descriptor in range(6, 64):
        attempt(lambda descriptor=descriptor: os.write(descriptor, b"x"))


def act(name: str) -> Any:
    """Misbehave; returns the text of a move, or None."""
    return BEHAVIOURS[name](_loads(TARGETS.read_text()))


class _Agent:
    """A class that misbehaves at its first move."""

    def choose(self, state: Any, limit: Any) -> Any:
        done, self.done = getattr(self, "done", False), True
        answer = None if done else act(type(self).__name__)
        return state.moves[0] if answer is None else answer


for _name in BEHAVIOURS:
    globals()[_name] = type(_name, (_Agent,), {})


def main(name: str, *address: str) -> None:
    """A `lab` engine for a game in which the first legal move is in `targets.json`: any text of a move will do."""
    if address:
        connection = socket.create_connection(("127.0.0.1", int(address[0])))
        reader, output = connection.makefile("rb"), connection.fileno()
        os.write(output, f"hello {name} {address[1]}\n".encode())
    else:
        reader, output = sys.stdin.buffer, 1
    misbehaved = False
    moves: list[str] = []
    for line in reader:
        words = line.decode().split()
        reply = {"lab": "id name Hostile\ngame *\nlabok", "isready": "readyok"}.get(words[0], "")
        if words[0] == "ping":
            reply = f"pong {words[1]}"
        elif words[0] == "quit":
            break
        elif words[0] == "position":
            moves = words[words.index("moves") + 1 :] if "moves" in words else []
        elif words[0] == "go":
            answer = None if misbehaved else act(name)
            misbehaved = True
            step = _loads(TARGETS.read_text())["moves"]
            reply = f"bestmove {step[len(moves) // 2 // 2] if answer is None else answer}"
        if reply:
            os.write(output, reply.encode() + b"\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
