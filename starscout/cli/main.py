"""`starscout COMMAND …`: dispatch commands, and turn errors into messages and exit codes.

Installs the SIGINT handler before heavy imports.
"""

import gc
import os
import sys

try:
    from starscout import __version__
    from starscout.cli import interrupt
    from starscout.kernels import notices
except KeyboardInterrupt:
    # Ctrl-C before `exit_on_interrupt`.
    print("interrupted", file=sys.stderr)
    raise SystemExit(130) from None

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

DESCRIPTION = "Build, test and understand engines for board games with and without chance."
THREADS_VARIABLE = "OPENBLAS_NUM_THREADS"

COMMANDS = {
    "demo": "demo",
    "games": "games",
    "players": "games",
    "show": "positions",
    "analyse": "positions",
    "rollout": "positions",
    "solve": "positions",
    "tables": "positions",
    "laws": "games",
    "perft": "games",
    "playouts": "games",
    "replay": "records",
    "export": "records",
    "review": "records",
    "puzzle": "games",
    "bench": "system",
    "warm": "system",
    "cache": "system",
    "play": "play",
    "match": "matches",
    "tournament": "matches",
    "results": "matches",
    "experiment": "matches",
    "game": "referee",
    "judge": "referee",
    "referee": "referee",
    "tune": "matches",
    "learn": "matches",
    "engine": "engine",
    "check": "engine",
    "serve": "play",
    "ladder": "ladder",
    "submit": "ladder",
}
"""Command → the module of this package with a function of that name, in the order of the help page."""

CHOOSES_COMPILER = ("engine", "referee", "serve")
"""Commands that may disable the compiler before importing it."""

INTERACTIVE = ("play",)
"""Commands that prompt on standard output with the line editor of `input`."""


def main() -> None:
    """Run the command line: exit code 2 for invalid input, 1 for failed work, 130 for Ctrl-C."""
    interrupt.exit_on_interrupt()
    # Imported objects never become garbage, and collections during imports take an eighth of a short command's time.
    gc.disable()
    from starscout.cli.output import (
        OUTPUT,
        accept_every_encoding,
        error_message,
        finish_output,
        name_output_errors,
        open_closed_streams,
    )

    open_closed_streams()
    name_output_errors()
    accept_every_encoding()
    notices.waiting = notices.print_notice
    if sys.stderr.isatty() or sys.argv[1:2] == ["engine"]:
        notices.compiling = _print_compiling
    try:
        words = [_escaped(word) for word in sys.argv[1:]]
        # Importing all commands would take a tenth of a short command's time.
        asked = tuple(words[:1])
        _application(asked if asked and asked[0] in COMMANDS else tuple(COMMANDS))(words)
    except SystemExit as end:
        # Typer turns Ctrl-C into exit code 130 without a message.
        if end.code == interrupt.EXIT_CODE:
            interrupt.print_message()
        raise
    except KeyboardInterrupt:
        interrupt.print_message()
        sys.exit(interrupt.EXIT_CODE)
    except Exception as error:
        if isinstance(error, OSError) and error.filename == OUTPUT:
            # `finish_output` reports it.
            sys.exit(1)
        message, code = error_message(error)
        if message is None:
            raise
        print(f"starscout: {message}", file=sys.stderr)
        sys.exit(code)
    finally:
        interrupt.ignore()
        # The interpreter's final collection would traverse the whole compiler, which takes a quarter of a second.
        gc.freeze()
        # An interrupt of `exec`, which also builds named tuples, sets a flag of the interpreter: `python -m` would then
        # end by SIGINT instead of this exit code. The next `exec` clears the flag.
        exec("")
        finish_output()


def _application(commands: tuple[str, ...] = tuple(COMMANDS)) -> "Callable[[list[str]], Any]":
    """Build the Typer application of these commands."""
    import importlib

    import typer

    from starscout.cli.options import typer_command

    def _print_version(wanted: bool) -> None:
        if wanted:
            print(f"starscout {__version__}")
            raise typer.Exit

    version = typer.Option(
        False, "--version", is_eager=True, callback=_print_version, help="Print the version and exit."
    )

    def _root(version: bool = version) -> None:
        pass

    app = typer.Typer(
        name="starscout",
        no_args_is_help=True,
        add_completion=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback(help=DESCRIPTION)(_root)
    for name in commands:
        module = importlib.import_module(f"starscout.cli.{COMMANDS[name]}")
        command = typer_command(getattr(module, name))
        app.command(name)(
            _at_work(command, loads_compiler=name not in CHOOSES_COMPILER, interactive=name in INTERACTIVE)
        )
    return app


def _at_work(command: "Callable[..., None]", *, loads_compiler: bool, interactive: bool) -> "Callable[..., None]":
    """Wrap a command: Ctrl-C raises an exception while it runs, so that finished work can be stored."""
    import contextlib
    import functools

    from starscout.cli.output import reserved_output

    @functools.wraps(command)
    def run(*arguments: "Any", **options: "Any") -> None:
        if loads_compiler:
            load_compiler()
        gc.freeze()
        gc.enable()
        with interrupt.raising(), contextlib.nullcontext() if interactive else reserved_output():
            command(*arguments, **options)

    return run


def load_compiler() -> None:
    """Import what every command needs, before signals raise exceptions, which imports do not expect.

    NumPy's linear algebra would start a thread per core, which costs more processor time than a short command. Child
    processes are not affected.
    """
    decided = THREADS_VARIABLE in os.environ
    if not decided:
        os.environ[THREADS_VARIABLE] = "1"
    try:
        import starscout.game  # noqa: F401  # pyright: ignore[reportUnusedImport]
    finally:
        if not decided:
            del os.environ[THREADS_VARIABLE]


def _print_compiling() -> None:
    print("starscout: compiling for this machine, once …", file=sys.stderr, flush=True)


def _escaped(word: str) -> str:
    """Prepend a space to an Othello board that begins with `-`, so that it is not parsed as an option."""
    import re

    return f" {word}" if re.fullmatch(r"-[-XO]+ [XO]", word) else word
