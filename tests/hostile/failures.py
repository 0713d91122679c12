"""Engines that do not answer, that crash, that patch Python, or that answer nonsense."""

import ctypes
import gc
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from typing import Any

from behaviour_registry import BEHAVIOURS, CRASH, ILLEGAL, PLAYS, TIMEOUT, attempt, behaviour

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
    for _ in range(256):
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


# Python


@behaviour(PLAYS)
def patches_other_players(targets: dict[str, Any]) -> None:
    """Replace the opponent's method, which once won a match 10-0."""
    for found in gc.get_objects():
        if type(found).__name__ in ("RandomPlayer", "Honest", "Climber"):
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
