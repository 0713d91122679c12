"""Whose error it is: one in a file of the user's becomes a sentence, one of ours keeps its traceback.

A `CodeError` names the function, the file and the line. It comes from two places: kernels that cannot be compiled
(`compile_error`), and everything that raises while it runs (`user_code_error`, wherever an error leaves the program
or the process).

Agents of a user may raise anything, `sys.exit()` included. `is_interrupt` tells that from what really ends the process.
"""

import contextlib
import dis
import inspect
import re
import signal
import sysconfig
import threading
import traceback
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parent
LIBRARIES = tuple(
    Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")
)  # fmt: skip

_NOISE = ("Failed in nopython mode pipeline", "Invalid use of type", "[1] During", "[2] During")
_REST = ("There are ", "During: ", "- Of which", "File ", "Known signatures", "Return of: ", "This error")
"""Where the compiler's message turns from what is wrong to how it was found."""


EXPECTED = "A kernel works on numbers, words (starscout.kernels.bits), tuples, arrays and other kernels"


class GameError(ValueError):
    """Bad input about a game: an unknown name, a malformed position, an illegal move. Its text is for people.

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
        """Values that a translation of the text contains."""


class WorkError(Exception):
    """Work that cannot be done or cannot go on: a full disk, workers that die, engines that do not come.

    >>> issubclass(WorkError, ValueError)
    False
    """


class CodeError(Exception):
    """An error in a user's file: which function, which file, which line and why. Its text is for people."""

    def __init__(self, file: str, sentence: str) -> None:
        super().__init__(file, sentence)
        self.file, self.sentence = file, sentence

    def __str__(self) -> str:
        return self.sentence

    def is_beside(self, file: str) -> bool:
        """Whether the error is in this file or in one of its folder."""
        return Path(self.file).resolve().parent == Path(file).resolve().parent


class ContentError(TypeError):
    """A kernel refers to something that cannot be part of a kernel."""

    def __init__(self, function: Callable[..., Any], sentence: str) -> None:
        super().__init__(sentence)
        self.function = function


class Terminated(SystemExit):
    """SIGTERM: the process has to end, whatever code it was running."""


def is_interrupt(error: BaseException) -> bool:
    """Whether an exception is Ctrl-C or SIGTERM, and not an error of the code that it came through.

    Ctrl-C reaches the main thread alone, and no process that ignores it, like a worker. There KeyboardInterrupt is an
    error like any other.
    """
    if isinstance(error, KeyboardInterrupt):
        main = threading.current_thread() is threading.main_thread()
        return main and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
    return isinstance(error, Terminated)


@contextlib.contextmanager
def suppress_errors() -> Generator[None]:
    """Ignore whatever the code inside the block raises, but obey Ctrl-C and SIGTERM."""
    try:
        yield
    except BaseException as error:
        if is_interrupt(error):
            raise


def exception_text(error: BaseException) -> str:
    """What was raised and where, in one line."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"{said} ({place.name}, line {place.lineno} of {place.filename})"


def user_code_error(error: BaseException) -> CodeError | None:
    """The error as a sentence if it was raised in a file of the user's; None if it is ours.

    The innermost frame decides; frames of the standard library and of installed packages belong to their callers.
    """
    if isinstance(error, CodeError):
        return error
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if is_internal_file(frame.filename):
            return None
        if is_user_file(frame.filename):
            text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            place = f"{frame.name} in {frame.filename}, line {frame.lineno}"
            return CodeError(frame.filename, f"{place}, fails: {text}")
    return None


def compile_error(function: Callable[..., Any], error: Exception) -> CodeError | None:
    """The compiler's error about a kernel as a sentence; None if the kernel and all that it calls are ours."""
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
            f"the kernels of {file} do not fit together: {core} (found in {function.__qualname__} of "
            f"{Path(code.co_filename).name}). `starscout laws {Path(file).name}` tells what each of them should return",
        )
    hint = "" if isinstance(error, ContentError) else f". {EXPECTED}"
    place = f"{function.__name__} in {code.co_filename}, line {_line(function, error)}"
    return CodeError(code.co_filename, f"{place}, cannot be compiled: {core}{hint}")


def is_internal_file(file: str) -> bool:
    """Whether a file belongs to this package."""
    return Path(file).resolve().is_relative_to(PACKAGE)


def is_user_file(file: str) -> bool:
    """Whether a file belongs neither to this package nor to a library."""
    path = Path(file).resolve()
    return path.is_file() and not any(path.is_relative_to(folder) for folder in (PACKAGE, *LIBRARIES))


def _users_file(function: Any, seen: set[int]) -> str | None:
    """The file of the first user's kernel that one of ours is built with."""
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
    """What is wrong, without the compiler's account of how it was found."""
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
    # The module of a game file has a name that nobody wrote.
    text = re.sub(r"@starscout_file_\w+|starscout_file_\w+\.", "", text)
    return text.rstrip(".")


def _line(function: Any, error: Exception) -> int:
    """The line of the function that the compiler's message is about; that of its head when it names none."""
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
