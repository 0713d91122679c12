"""Registry of hostile behaviours: verdicts, targets and helpers of attacks."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Behaviour = Callable[[dict[str, Any]], Any]
TARGETS = Path(__file__).with_name("targets.json")
"""Files, processes and ports of the test that must stay out of reach."""
VERDICTS: dict[str, str] = {}
"""Behaviour → reason of the forfeit; empty: it plays on."""
BEHAVIOURS: dict[str, Behaviour] = {}
ONLY_ISOLATED: set[str] = set()
"""Behaviours that would do harm without isolation."""
ONLY_PID_NAMESPACE: set[str] = set()
"""Behaviours that would do harm without a PID namespace."""
ONLY_ROOT: set[str] = set()
"""Behaviours that do harm only as root."""

PLAYS, CRASH, TIMEOUT, ILLEGAL = "", "crash", "timeout", "illegal move"


def behaviour(
    verdict: str, *, isolated: bool = False, namespace: bool = False, root: bool = False
) -> Callable[[Behaviour], Behaviour]:
    def register(function: Behaviour) -> Behaviour:
        name = function.__name__
        BEHAVIOURS[name], VERDICTS[name] = function, verdict
        if isolated:
            ONLY_ISOLATED.add(name)
        if namespace:
            ONLY_PID_NAMESPACE.add(name)
        if root:
            ONLY_ROOT.add(name)
        return function

    return register


def attempt(action: Callable[[], Any]) -> None:
    """Ignore that an attack fails."""
    try:
        action()
    except Exception as error:
        print(f"refused: {type(error).__name__}", file=sys.stderr)


def attempt_list(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def crash_if(succeeded: bool) -> None:
    """Report by a crash that an attack has succeeded: the error output of a program that keeps playing is not shown."""
    if succeeded:
        os._exit(99)


def crash_if_known(content: bytes) -> None:
    """Crash if a text contains the teacher's secret."""
    crash_if(b"the-secret-of-the-teacher" in content)
