"""`starscout COMMAND …`: finds the command, and turns errors into sentences and exit codes.

Nothing heavy is imported before `main` has said what Ctrl-C does.
"""

import gc
import sys

from starscout import __version__
from starscout.cli.support import interrupt
from starscout.cli.support.compiler_import import load_compiler
from starscout.kernels import notices

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

COMMANDS = (
    "demo",
    "games",
    "players",
    "show",
    "analyse",
    "solve",
    "tables",
    "laws",
    "perft",
    "playouts",
    "replay",
    "export",
    "puzzle",
    "bench",
    "warm",
    "cache",
    "play",
    "match",
    "tournament",
    "results",
    "experiment",
    "game",
    "judge",
    "tune",
    "learn",
    "engine",
    "serve",
)
"""One module of this package each, with a function `command`, in the order of the help page."""

CHOOSES_COMPILER = ("engine",)
"""The commands that may switch the compiler off before they import it."""


CONVERSES = ("play",)
"""The commands that ask questions on standard output, with the line editor of `input`."""


def main() -> None:
    """The entry point: exit code 2 for bad input, 1 for failed work, 130 for Ctrl-C."""
    interrupt.leave_at_once()
    # What is imported stays: to look for garbage among it takes an eighth of a short command's time.
    gc.disable()
    from starscout.cli.support.output import (
        OUTPUT,
        finish_output,
        name_output_errors,
        open_closed_streams,
        survive_every_encoding,
    )

    open_closed_streams()
    name_output_errors()
    survive_every_encoding()
    notices.waiting = notices.print_sentence
    if sys.stderr.isatty() or sys.argv[1:2] == ["engine"]:
        notices.compiling = _say_compiling
    try:
        words = [_shielded(word) for word in sys.argv[1:]]
        # The imports and options of the other commands would take a tenth of a short command's time.
        asked = tuple(words[:1])
        _application(asked if asked and asked[0] in COMMANDS else COMMANDS)(words)
    except SystemExit as end:
        # Typer turns Ctrl-C into exit code 130 without a word.
        if end.code == interrupt.EXIT_CODE:
            interrupt.say_so()
        raise
    except KeyboardInterrupt:
        interrupt.say_so()
        sys.exit(interrupt.EXIT_CODE)
    except Exception as error:
        if isinstance(error, OSError) and error.filename == OUTPUT:
            # The last step below says so.
            sys.exit(1)
        sentence, code = _sentence(error)
        if sentence is None:
            raise
        print(f"starscout: {sentence}", file=sys.stderr)
        sys.exit(code)
    finally:
        interrupt.ignore()
        # The interpreter's last collection would walk through the whole compiler, for a quarter of a second.
        gc.freeze()
        finish_output()


def _application(commands: tuple[str, ...] = COMMANDS) -> "Callable[[list[str]], Any]":
    """These commands, as Typer knows them."""
    import importlib

    import typer

    def _print_version(wanted: bool) -> None:
        if wanted:
            print(f"starscout {__version__}")
            raise typer.Exit

    version = typer.Option(
        False, "--version", is_eager=True, callback=_print_version, help="Print the version and leave."
    )

    def _whole(version: bool = version) -> None:
        """A laboratory for board-game engines, with and without dice."""

    app = typer.Typer(
        name="starscout",
        help="A laboratory for board-game engines, with and without dice.",
        no_args_is_help=True,
        add_completion=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback()(_whole)
    for name in commands:
        command = importlib.import_module(f"starscout.cli.{name}").command
        app.command(name)(_at_work(command, loads_compiler=name not in CHOOSES_COMPILER, converses=name in CONVERSES))
    return app


def _at_work(command: "Callable[..., None]", *, loads_compiler: bool, converses: bool) -> "Callable[..., None]":
    """The command; from its start on Ctrl-C is an exception, so that what was finished can be stored."""
    import contextlib
    import functools

    from starscout.cli.support.output import reserved_output

    @functools.wraps(command)
    def run(*arguments: "Any", **options: "Any") -> None:
        if loads_compiler:
            load_compiler()
        gc.freeze()
        gc.enable()
        with interrupt.raising(), contextlib.nullcontext() if converses else reserved_output():
            command(*arguments, **options)

    return run


def _sentence(error: Exception) -> tuple[str | None, int]:
    """What a person is told about bad input, failed work or a game file that fails, and the exit code.

    None: the error is ours.
    """
    # The imports wait until an error needs them: they bring the compiler, which --help must not pay for.
    from starscout.errors import user_code_error
    from starscout.game import GameError, WorkError

    if isinstance(error, GameError | WorkError):
        return str(error), 1 if isinstance(error, WorkError) else 2
    fault = user_code_error(error)
    if fault is not None:
        return str(fault), 2
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}", 2
    return None, 2


def _say_compiling() -> None:
    print("starscout: compiling for this machine, once …", file=sys.stderr, flush=True)


def _shielded(word: str) -> str:
    """An Othello board may begin with `-`; a space before it keeps it from being read as an option."""
    import re

    return f" {word}" if re.fullmatch(r"-[-XO]+ [XO]", word) else word
