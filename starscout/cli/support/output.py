"""What every command shares: one JSON object for programs, a console for people, and an output that takes all text."""

import codecs
import contextlib
import io
import json
import os
import sys
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

    from _typeshed import ReadableBuffer as Buffer
    from rich.console import Console

    from starscout.api.result import Result
    from starscout.game.state import State

STAND_INS = {
    "●": "X", "○": "O", "·": ".", "×": "x", "…": "...", "−": "-", "–": "-", "—": "-", "±": "+-", "∞": "inf",
    "█": "#", "─": "-", "├": "|", "┤": "|", "┊": ":", "┼": "+", "ß": "ss",
    "→": "->", "←": "<-", "↑": "^", "↓": "v", "≤": "<=", "≥": ">=", "’": "'", "‘": "'", "“": '"', "”": '"',
}  # fmt: skip
"""What is printed where an encoding lacks a character; accents are dropped, and anything else is a question mark."""


OUTPUT = "standard output"
"""The file name in an error about it."""


def open_closed_streams() -> None:
    """Give this process the streams that whoever started it has closed.

    Input ends at once, errors go nowhere, and output cannot be written. No file that is opened later gets one of their
    numbers.
    """
    streams = ("stdin", os.O_RDONLY, "r"), ("stdout", os.O_RDONLY, "w"), ("stderr", os.O_WRONLY, "w")
    for number, (name, flags, mode) in enumerate(streams):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, flags)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            os.set_inheritable(number, True)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def name_output_errors() -> None:
    """Let an error of standard output say that it is one."""
    stream = sys.stdout
    # Whoever replaces the stream by something else answers for its errors.
    if isinstance(stream, io.TextIOWrapper) and stream.name in (1, "<stdout>"):
        raw = _Output(1, "w", closefd=False)
        sys.stdout = io.TextIOWrapper(
            # An unbuffered stream has no buffer.
            cast("io.BufferedWriter", raw) if isinstance(stream.buffer, io.RawIOBase) else io.BufferedWriter(raw),
            encoding=stream.encoding,
            errors=stream.errors,
            line_buffering=stream.line_buffering,
            write_through=stream.write_through,
        )


class _Output(io.FileIO):
    """Standard output. Its first error is raised with its name, and kept; nothing is written after it."""

    error: OSError | None = None

    def write(self, data: "Buffer", /) -> int:
        if _Output.error is not None:
            return len(memoryview(data))
        try:
            return super().write(data)
        except OSError as error:
            error.filename = OUTPUT
            _Output.error = error
            raise


def finish_output() -> None:
    """Write what is left; raises SystemExit with code 1, and says why, when anything could not be written."""
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    if _Output.error is not None:
        # A pipe that nobody reads any more, as in `starscout games | head -1`, is not worth a word.
        if not isinstance(_Output.error, BrokenPipeError):
            print(f"starscout: {OUTPUT}: {_Output.error.strerror}", file=sys.stderr)
        sys.exit(1)


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
