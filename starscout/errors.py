"""Error types and error attribution: user-code errors become one-line messages; internal errors keep their traceback.

A `CodeError` names the file, the line and the function. It is created for kernels that cannot be compiled
(`compile_error`) and for exceptions at run time (`user_code_error`, called where an error leaves the program or the
process).

`public` marks a function of the API: a documented error leaves it with a traceback that ends at the caller's line.

User-written players may raise anything, including SystemExit; `is_interrupt` distinguishes that from Ctrl-C and
SIGTERM.
"""

import contextlib
import dis
import functools
import inspect
import os
import re
import signal
import sysconfig
import threading
import traceback
from collections.abc import Callable, Generator
from pathlib import Path
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")
Error = TypeVar("Error", bound=BaseException)

PACKAGE = Path(__file__).resolve().parent
LIBRARIES = tuple(
    Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")
)  # fmt: skip

_NOISE = ("Failed in nopython mode pipeline", "Invalid use of type", "[1] During", "[2] During")
_REST = ("There are ", "During: ", "- Of which", "File ", "Known signatures", "Return of: ", "This error")
"""Line prefixes after which a compiler message describes how the error was found."""


TRACEBACKS = "STARSCOUT_TRACEBACKS"
"""Environment variable: `full` keeps the internal frames of documented errors."""

EXPECTED = "Kernels support numbers, 64-bit words (starscout.kernels.bits), tuples, arrays and other kernels"


class GameError(ValueError):
    """Bad input about a game: an unknown name, a malformed position, an illegal move. The message is shown to users.

    >>> import starscout
    >>> try:
    ...     starscout.load("otello")
    ... except starscout.GameError as error:
    ...     print(error)
    there is no game 'otello'; did you mean othello? ...
    """

    def __init__(self, text: str = "", *, code: str = "", **arguments: str | int) -> None:
        super().__init__(text)
        self.code = code
        """Identifier that front ends translate by; empty: show the text."""
        self.arguments = arguments
        """Values to insert into a translation of the text."""


class WorkError(Exception):
    """Work that cannot start or continue: a full disk, dead workers, engines that do not connect.

    >>> issubclass(WorkError, ValueError)
    False
    """


class CallError(TypeError):
    """A call with a missing or an unknown argument."""


class CodeError(Exception):
    """An error in a user's file. The message, `file:line in function: reason`, is shown to users."""

    def __init__(self, file: str, message: str) -> None:
        super().__init__(file, message)
        self.file, self.message = file, message

    def __str__(self) -> str:
        return self.message

    def is_beside(self, file: str) -> bool:
        """Whether the error is in this file or in another file of its folder."""
        return Path(self.file).resolve().parent == Path(file).resolve().parent


class ContentError(TypeError):
    """A kernel refers to an object that cannot be part of a kernel."""

    def __init__(self, function: Callable[..., Any], message: str) -> None:
        super().__init__(message)
        self.function = function


class Terminated(SystemExit):
    """SIGTERM: the process must end."""


def is_interrupt(error: BaseException) -> bool:
    """Whether an exception was caused by Ctrl-C or SIGTERM and not by the code that raised it.

    Ctrl-C reaches only the main thread of processes that do not ignore it. Elsewhere, for example in a worker,
    KeyboardInterrupt is an ordinary error.
    """
    if isinstance(error, KeyboardInterrupt):
        main = threading.current_thread() is threading.main_thread()
        return main and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
    return isinstance(error, Terminated)


def public(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Shorten the traceback of a documented error to the caller's frames, unless STARSCOUT_TRACEBACKS=full."""

    @functools.wraps(function)
    def call(*arguments: Parameters.args, **keywords: Parameters.kwargs) -> Returned:
        # IPython and pytest hide frames that define this variable.
        __tracebackhide__ = True
        try:
            return function(*arguments, **keywords)
        except BaseException as error:
            if not _is_shortened(error):
                raise
            raise shortened(error) from None  # STARSCOUT_TRACEBACKS=full shows all frames

    return call


def shortened(error: Error) -> Error:
    """Remove library frames from the error's traceback; the caller raises it `from None`."""
    if os.environ.get(TRACEBACKS) == "full":
        return error
    kept: list[TracebackType] = []
    entry = error.__traceback__
    while entry is not None:
        if not _is_library_file(entry.tb_frame.f_code.co_filename):
            kept.append(entry)
        entry = entry.tb_next
    short = None
    for entry in reversed(kept):
        short = TracebackType(short, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return error.with_traceback(short)


def _is_shortened(error: BaseException) -> bool:
    """Whether to hide internal frames: for documented errors, interrupts and errors raised in user code."""
    if os.environ.get(TRACEBACKS) == "full":
        return False
    if isinstance(error, GameError | WorkError | CodeError | CallError | KeyboardInterrupt):
        return True
    if isinstance(error, OSError) and error.filename is not None:
        return True
    return isinstance(error, Exception) and user_code_error(error) is not None


@functools.lru_cache(maxsize=1024)
def _is_library_file(file: str) -> bool:
    """Whether a file belongs to this package or to a library."""
    path = Path(file).resolve()
    return any(path.is_relative_to(folder) for folder in (PACKAGE, *LIBRARIES))


@contextlib.contextmanager
def suppress_errors() -> Generator[None]:
    """Ignore all exceptions in the block except Ctrl-C and SIGTERM."""
    try:
        yield
    except BaseException as error:
        if is_interrupt(error):
            raise


@contextlib.contextmanager
def naming_file(path: str | os.PathLike[str]) -> Generator[None]:
    """Add the path to errors raised while reading a file; Python adds it only when opening one fails."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def printable(text: str, longest: int = 500) -> str:
    """Untrusted text as one line, without control characters and shortened in the middle.

    >>> printable("red \\x1b[31m alert\\n")
    'red [31m alert'
    """
    head = text[: 4 * longest]
    line = " ".join("".join(mark if mark.isprintable() else " " if mark.isspace() else "" for mark in head).split())
    return line if len(line) <= longest else f"{line[: longest // 2]} … {line[-longest // 2 :]}"


def exception_text(error: BaseException) -> str:
    """The exception and its location in one line."""
    frames = traceback.extract_tb(error.__traceback__)
    # An error raised by the API is attributed to the line of the call.
    place = next((frame for frame in reversed(frames) if not is_internal_file(frame.filename)), frames[-1])
    try:
        message = str(error)
    except Exception:
        # The `__str__` of a user's exception may itself fail.
        message = ""
    said = f"{type(error).__name__}: {printable(message)}" if message else type(error).__name__
    return f"{said} ({place.name}, line {place.lineno} of {place.filename})"


def user_code_error(error: BaseException) -> CodeError | None:
    """The error as a `CodeError` if it was raised in a user's file; None for internal errors.

    The innermost frame decides; frames of the standard library and of installed packages count as their callers.
    """
    if isinstance(error, CodeError):
        return error
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if is_internal_file(frame.filename):
            return None
        if is_user_file(frame.filename):
            text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            return CodeError(frame.filename, f"{frame.filename}:{frame.lineno} in {frame.name}: {text}")
    return None


def compile_error(function: Callable[..., Any], error: Exception) -> CodeError | None:
    """The compiler's error about a kernel as a `CodeError`; None if no kernel of a user is involved."""
    if isinstance(error, ContentError):
        function = error.function
    code = function.__code__
    core = _core(error)
    if is_internal_file(code.co_filename):
        file = _users_file(function, set())
        if file is None:
            return None
        return CodeError(
            file,
            f"{file}: kernels with incompatible types: {core} (in {function.__qualname__} of "
            f"{Path(code.co_filename).name}); run `starscout laws {Path(file).name}` to check their types",
        )
    hint = "" if isinstance(error, ContentError) else f". {EXPECTED}"
    place = f"{code.co_filename}:{_line(function, error)} in {function.__name__}"
    return CodeError(code.co_filename, f"{place}: cannot be compiled: {core}{hint}")


def is_internal_file(file: str) -> bool:
    """Whether a file belongs to this package."""
    return Path(file).resolve().is_relative_to(PACKAGE)


def is_user_file(file: str) -> bool:
    """Whether a file belongs neither to this package nor to a library."""
    path = Path(file).resolve()
    return path.is_file() and not any(path.is_relative_to(folder) for folder in (PACKAGE, *LIBRARIES))


def _users_file(function: Any, seen: set[int]) -> str | None:
    """The file of the first user kernel in the closure of an internal kernel."""
    seen.add(id(function))
    for value in inspect.getclosurevars(function).nonlocals.values():
        inner = getattr(value, "py_func", value)
        if not inspect.isfunction(inner) or id(inner) in seen:
            continue
        file = inner.__code__.co_filename
        found = file if not is_internal_file(file) else _users_file(inner, seen)
        if found is not None:
            return found
    return None


def _core(error: Exception) -> str:
    """The reason in a compiler message, without the compiler's own trace."""
    kept: list[str] = []
    for line in str(error).splitlines():
        text = line.strip()
        if text.startswith(_REST) and kept:
            break
        if text and not text.startswith((*_NOISE, *_REST)):
            kept.append(text)
    text = " ".join(kept) or type(error).__name__
    text = re.sub(r"No implementation of function .*? found for signature: >>> ", "there is no ", text)
    text = re.sub(r" for '[\w.]+', defined at .*", "", text)
    text = re.sub(r"Literal\[(\w+)\]\(.*?\)", r"\1", text)
    # The module name of a game file is generated.
    text = re.sub(r"@starscout_file_\w+|starscout_file_\w+\.", "", text)
    return text.rstrip(".")


def _line(function: Any, error: Exception) -> int:
    """The line that the compiler's message refers to; the first line of the function if it names none."""
    text, code = str(error), function.__code__
    for place in re.finditer(
        r"(?:at (?P<path>.+?) \((?P<at>\d+)\))|(?:File \"(?P<file>.+?)\", line (?P<in>\d+))", text
    ):
        if Path(place["path"] or place["file"]).name == Path(code.co_filename).name:
            return int(place["at"] or place["in"])
    named = re.search(r"(?:name|Untyped global name|refers to) '(\w+)'", text)
    line = code.co_firstlineno
    for instruction in dis.get_instructions(code):
        line = instruction.starts_line or line
        if named and instruction.opname.startswith("LOAD_") and instruction.argval == named[1]:
            return line
    return code.co_firstlineno
