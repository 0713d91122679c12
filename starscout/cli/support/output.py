"""What every command shares: one JSON object for programs, a console for people, and an output that takes all text."""

import codecs
import contextlib
import json
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

    from rich.console import Console

    from starscout.api.result import Result
    from starscout.state import State

STAND_INS = {
    "●": "X", "○": "O", "·": ".", "×": "x", "…": "...", "−": "-", "–": "-", "—": "-", "±": "+-", "∞": "inf",
    "█": "#", "─": "-", "├": "|", "┤": "|", "┊": ":", "┼": "+", "ß": "ss",
    "→": "->", "←": "<-", "↑": "^", "↓": "v", "≤": "<=", "≥": ">=", "’": "'", "‘": "'", "“": '"', "”": '"',
}  # fmt: skip
"""What is printed where an encoding lacks a character; accents are dropped, and anything else is a question mark."""


def survive_every_encoding() -> None:
    """Let standard output, error and input take any text in any locale, once per process."""
    codecs.register_error("starscout", _stand_in)
    for stream, errors in ((sys.stdout, "starscout"), (sys.stderr, "starscout"), (sys.stdin, "replace")):
        # Whoever replaces a stream by something else answers for its encoding.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=errors)


def _stand_in(error: UnicodeError) -> tuple[str, int]:
    """ASCII for the characters that cannot be encoded, as `codecs.register_error` wants it."""
    import unicodedata

    if not isinstance(error, UnicodeEncodeError):
        raise error

    def plain(character: str) -> str:
        letters = unicodedata.normalize("NFKD", STAND_INS.get(character, character))
        return "".join(STAND_INS.get(letter, letter) for letter in letters).encode("ascii", "ignore").decode() or "?"

    return "".join(map(plain, error.object[error.start : error.end])), error.end


_reserved: "TextIO | None" = None
"""Standard output while a command keeps it for itself."""


@contextlib.contextmanager
def reserved_output() -> "Iterator[None]":
    """Keep standard output for what the command says: inside the block all other code prints on standard error.

    A user's agent or game file may print what it likes, and `--json` still gives one JSON object.
    """
    global _reserved
    _reserved = sys.stdout
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        _reserved = None


def standard_output() -> "TextIO":
    """Where a command says what it was asked for."""
    return _reserved or sys.stdout


def print_json(value: dict[str, Any]) -> None:
    """Exactly one JSON object on standard output, in ASCII: every locale can print it."""
    standard_output().write(json.dumps(value) + "\n")


def console(*, stderr: bool = False) -> "Console":
    """The console for people: colours only on a terminal that wants them; brackets and colons are text."""
    from rich.console import Console

    stream = sys.stderr if stderr else standard_output()
    colourful = stream.isatty() and "NO_COLOR" not in os.environ
    width = None if stream.isatty() else 160
    colours = "auto" if colourful else None
    return Console(file=stream, color_system=colours, highlight=False, markup=False, emoji=False, width=width)


def print_result(result: "Result", json: bool) -> None:
    """A result: one JSON object for programs, else what people read."""
    if json:
        print_json(result.json())
    else:
        console().print(result)


def print_board(state: "State") -> None:
    """A position for people: in colours where the terminal has them, and never wider than the terminal."""
    from starscout.api.result import Board

    console().print(Board(state))
