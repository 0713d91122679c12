"""`starscout COMMAND …`: finds the command, and turns errors into sentences and exit codes."""

import gc
import importlib
import re
import sys
from typing import Annotated

import typer

from starscout import __version__, notices


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"starscout {__version__}")
        raise typer.Exit


app = typer.Typer(
    name="starscout",
    help="A laboratory for board-game engines, with and without dice.",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

COMMANDS = (
    "demo",
    "games",
    "players",
    "show",
    "analyse",
    "solve",
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
    "game",
    "judge",
    "tune",
    "engine",
)
"""One module of this package each, with a function `command`, in the order of the help page."""

INTERRUPTED = 130


@app.callback()
def whole(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and leave.")
    ] = False,
) -> None:
    """A laboratory for board-game engines, with and without dice."""


def main() -> None:
    """The entry point: exit code 2 for bad input, 1 for failed work, 130 for Ctrl-C."""
    for name in COMMANDS:
        module = importlib.import_module(f"starscout.cli.{name}")
        app.command(name)(module.command)
    if sys.stderr.isatty() or sys.argv[1:2] == ["engine"]:
        notices.compiling = _say_compiling
    try:
        app([_shielded(word) for word in sys.argv[1:]])
    except SystemExit as end:
        # Typer turns Ctrl-C into exit code 130 without a word.
        if end.code == INTERRUPTED:
            print("interrupted", file=sys.stderr)
        raise
    except OSError as error:
        if error.filename is None:
            raise
        _refuse(f"{error.filename}: {error.strerror}")
    except Exception as error:
        # The import waits until an error needs it: it brings the compiler, which --help must not pay for.
        from starscout.game import GameError, WorkError

        if not isinstance(error, GameError | WorkError):
            raise
        _refuse(str(error), 1 if isinstance(error, WorkError) else 2)
    finally:
        # The interpreter's last collection would walk through the whole compiler, for a quarter of a second.
        gc.freeze()


def _say_compiling() -> None:
    print("starscout: compiling for this machine, once …", file=sys.stderr, flush=True)


def _shielded(word: str) -> str:
    """An Othello board may begin with `-`; a space before it keeps it from being read as an option."""
    return f" {word}" if re.fullmatch(r"-[-XO]+ [XO]", word) else word


def _refuse(sentence: str, code: int = 2) -> None:
    print(f"starscout: {sentence}", file=sys.stderr)
    sys.exit(code)
