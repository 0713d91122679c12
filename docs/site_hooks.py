"""MkDocs hook that generates board pictures and the references of the Python API and the commands."""

import inspect
from typing import Any

import starscout
from starscout import games
from starscout.cli.main import COMMANDS

PICTURE_PIXELS = 300
MOVES = {
    "dark-chess": "r2A1E2/1P1N3n/e2E4/2c2k2 r 3 - r",
    "ewn": "1.3../..5../6...f/...ed/..c.a r 4",
    "ewn-cyclic": ".1...../..53.f./2.4..../....e../.....b./...d.ca r 443153555502012123502 10",
    "kari": "....../.f..../...b../2...../....../.....3 b",
    "othello": "------------------XX-------XXOO---OOOO------OXX----O------------ X",
}
"""Game → the position whose legal moves are drawn."""
QUESTION = ("ewn", "negascout depth=3 eval=race", "negascout depth=2 eval=race")
"""The match on the start page."""


def on_files(files: Any, config: Any) -> Any:
    """Add the generated files."""
    # Type checkers and tests import this file without MkDocs.
    from mkdocs.structure.files import File  # pyright: ignore[reportMissingImports]

    for name, content in (generated() | start_pictures()).items():
        files.append(File.generated(config, name, content=content))
    return files


def generated() -> dict[str, str]:
    """Path → content of every generated file."""
    starts = {f"pictures/{name}.svg": picture(name) for name in games.NAMES}
    moves = {f"pictures/{name}-moves.svg": moves_picture(name) for name in games.NAMES}
    return {**starts, **moves, "reference/python.md": python_reference(), "reference/commands.md": command_reference()}


def picture(name: str) -> str:
    """A start position as SVG."""
    from starscout.drawing.svg import board_svg

    state = starscout.start(name, seed=7)
    return board_svg(state.rolled(4), width=PICTURE_PIXELS)


def moves_picture(name: str) -> str:
    """A position as SVG with its legal moves: arrows, or dots for placements."""
    from starscout.drawing.svg import Arrow, board_svg, input_squares

    state = starscout.parse(name, MOVES[name])
    shown = [input_squares(state.game, state.position, move) for move in state.legal]
    arrows = [Arrow(squares[0], squares[-1]) for squares in shown if len(squares) == 2]
    marks = [squares[0] for squares in shown if len(squares) == 1]
    return board_svg(state, width=PICTURE_PIXELS, arrows=arrows, marks=marks)


def start_pictures() -> dict[str, str]:
    """The score curve on the start page."""
    result = starscout.match(*QUESTION, pairs=100, seed=4, workers=0, store=":memory:")
    return {"pictures/curve.svg": result.plot().svg}


def python_reference() -> str:
    """Reference page of all public names, functions first."""
    places = {name: f"starscout.{place}.{name}" for place, names in starscout._MODULES.items() for name in names}
    functions = [name for name in starscout.__all__ if name[0].islower()]
    classes = [name for name in starscout.__all__ if not name[0].islower()]
    parts = [
        "# Python reference",
        "All names are attributes of `starscout`. The tests run every example.",
        "## Functions",
    ]
    parts += [f"::: {places[name]}" for name in functions]
    parts += ["## Classes", *(f"::: {places[name]}" for name in classes)]
    return "\n\n".join(parts) + "\n"


def command_reference() -> str:
    """Reference page with the help text of every command."""
    import importlib

    import typer
    from typer.testing import CliRunner

    from starscout.cli.options import typer_command

    parts = ["# Commands", "Each command has a [Python function](../python.md). `--json` prints one JSON object."]
    for name in COMMANDS:
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        command = getattr(importlib.import_module(f"starscout.cli.{COMMANDS[name]}"), name)
        app.command(name)(typer_command(command))
        shown = CliRunner().invoke(app, ["--help"], prog_name=f"starscout {name}", terminal_width=84)
        first = inspect.cleandoc(command.__doc__ or "").splitlines()[0]
        parts += [f"## {name}", first, f"```text\n{shown.stdout.strip()}\n```"]
    return "\n\n".join(parts) + "\n"
