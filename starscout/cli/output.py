"""Output of commands: JSON, a console, and streams that accept any text in any locale."""

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

    from starscout.api.result import PlottedResult, Result
    from starscout.game.state import State
    from starscout.settings.schema import File

REPLACEMENTS = {
    "●": "X", "○": "O", "·": ".", "×": "x", "…": "...", "−": "-", "–": "-", "—": "-", "±": "+-", "∞": "inf",
    "█": "#", "─": "-", "├": "|", "┤": "|", "┊": ":", "┼": "+", "ß": "ss",
    "→": "->", "←": "<-", "↑": "^", "↓": "v", "≤": "<=", "≥": ">=", "’": "'", "‘": "'", "“": '"', "”": '"',
}  # fmt: skip
"""Replacements for characters that an encoding lacks; accents are dropped, anything else becomes `?`."""


OUTPUT = "standard output"
"""File name in errors about standard output."""


def open_closed_streams() -> None:
    """Reopen standard streams that were closed before this process started, on the null device.

    Reading returns end of file, errors are discarded, and writing to standard output fails. Files opened later cannot
    take over their descriptors.
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
    """Make errors of standard output carry its name."""
    stream = sys.stdout
    # Leave replaced streams alone.
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
    """Standard output that raises its first error with a file name, keeps it, and discards later output."""

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
    """Flush standard output; raise SystemExit(1) with a message if anything could not be written."""
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    if _Output.error is not None:
        # A closed pipe, as in `starscout games | head -1`, is not reported.
        if not isinstance(_Output.error, BrokenPipeError):
            print(f"starscout: {OUTPUT}: {_Output.error.strerror}", file=sys.stderr)
        sys.exit(1)


def accept_every_encoding() -> None:
    """Make standard streams accept any text in any locale; call once per process."""
    codecs.register_error("starscout", _replace)
    for stream, errors in ((sys.stdout, "starscout"), (sys.stderr, "starscout"), (sys.stdin, "replace")):
        # Replaced streams may lack this method.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=errors)


def _replace(error: UnicodeError) -> tuple[str, int]:
    """Replace unencodable characters with ASCII ones; an error handler for `codecs.register_error`."""
    import unicodedata

    if not isinstance(error, UnicodeEncodeError):
        raise error

    def plain(character: str) -> str:
        letters = unicodedata.normalize("NFKD", REPLACEMENTS.get(character, character))
        return "".join(REPLACEMENTS.get(letter, letter) for letter in letters).encode("ascii", "ignore").decode() or "?"

    return "".join(map(plain, error.object[error.start : error.end])), error.end


_reserved: "TextIO | None" = None
"""Standard output while it is reserved for a command."""


@contextlib.contextmanager
def reserved_output() -> "Iterator[None]":
    """Reserve standard output for the command; other code inside the block prints to standard error.

    Agents and game files may print anything, and `--json` still prints exactly one JSON object.
    """
    global _reserved
    _reserved = sys.stdout
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        _reserved = None


def standard_output() -> "TextIO":
    """Return the stream for the output of a command."""
    return _reserved or sys.stdout


def print_json(value: dict[str, Any]) -> None:
    """Print one JSON object in ASCII, which every locale can encode."""
    standard_output().write(json.dumps(value) + "\n")


def console(*, stderr: bool = False) -> "Console":
    """Return a console without markup; colours only on a terminal that supports them."""
    from rich.console import Console

    stream = sys.stderr if stderr else standard_output()
    colored = stream.isatty() and "NO_COLOR" not in os.environ
    width = None if stream.isatty() else 160
    colours = "auto" if colored else None
    return Console(file=stream, color_system=colours, highlight=False, markup=False, emoji=False, width=width)


def print_result(result: "Result", json: bool, *, stderr: bool = False, soft_wrap: bool = False) -> None:
    """Print a result as JSON, or as text to standard output or standard error."""
    if json:
        print_json(result.json())
    else:
        console(stderr=stderr).print(result, soft_wrap=soft_wrap)


def check_plot(file: "File | None") -> None:
    """Raise GameError if --plot names a file that cannot be written, before the work begins."""
    if file is not None:
        from starscout.drawing.convert import check_plot_file

        check_plot_file(file)


def save_plot(result: "PlottedResult", file: "File | None") -> None:
    """Write the file of --plot."""
    if file is not None:
        result.plot().save(os.fspath(file))


@contextlib.contextmanager
def printed_if_interrupted(json: bool) -> "Iterator[None]":
    """Print the result so far on Ctrl-C; finished work is stored, and the same command resumes the run."""
    import starscout

    try:
        yield
    except starscout.Interrupted as stop:
        print_result(stop.result, json)
        raise


def error_message(error: Exception) -> tuple[str | None, int]:
    """Return the message for invalid input, failed work or an error in a user's file, and the exit code.

    None: an internal error.
    """
    # Imported here because they load the compiler, which --help must not do.
    from starscout.cli.options import option_name
    from starscout.errors import GameError, WorkError, user_code_error
    from starscout.settings.schema import SettingError

    if isinstance(error, SettingError):
        return error.text(*map(option_name, error.names)), 2
    if isinstance(error, GameError | WorkError):
        return str(error), 1 if isinstance(error, WorkError) else 2
    fault = user_code_error(error)
    if fault is not None:
        return str(fault), 2
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}", 2
    return None, 2


def print_board(state: "State") -> None:
    """Print a position, in colour where supported, and no wider than the terminal."""
    from starscout.api.result import Board

    console().print(Board(state))
