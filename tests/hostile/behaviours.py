"""Hostile behaviours of engines, as `lab` programs and as Python classes.

    behaviours.py NAME [PORT TOKEN]         a program, over standard input and output or over TCP
    python:behaviours.py:NAME               a class

Both misbehave at their first move. A behaviour that returns None plays the first legal move afterwards. The behaviours
are in `attacks.py` and `failures.py`; the tests copy all of these files to the folder of an engine.
"""

import json
import os
import socket
import sys
from typing import Any

# The files are beside this one, in the package of the tests and in the folder of an engine.
sys.path.insert(0, os.path.dirname(__file__))

import attacks  # noqa: F401  # pyright: ignore[reportUnusedImport]
import failures  # noqa: F401  # pyright: ignore[reportUnusedImport]
from behaviour_registry import BEHAVIOURS, ONLY_ISOLATED, ONLY_PID_NAMESPACE, ONLY_ROOT, TARGETS, VERDICTS

__all__ = ["BEHAVIOURS", "ONLY_ISOLATED", "ONLY_PID_NAMESPACE", "ONLY_ROOT", "VERDICTS"]

_loads = json.loads
"""The original: a behaviour replaces it."""


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
