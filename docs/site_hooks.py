"""What the site is built from beside its pages: boards of the games, references of Python and of the commands."""

import inspect
from typing import Any

import starscout
from starscout import games
from starscout.cli.main import COMMANDS

PICTURE_PIXELS = 300


def on_files(files: Any, config: Any) -> Any:
    """Add the generated files."""
    # The checks of the code look at this file too, without MkDocs.
    from mkdocs.structure.files import File  # pyright: ignore[reportMissingImports]

    for name, content in generated().items():
        files.append(File.generated(config, name, content=content))
    return files


def generated() -> dict[str, str]:
    """Path → content of every generated file."""
    pictures = {f"pictures/{name}.svg": picture(name) for name in games.NAMES}
    return {**pictures, "reference/python.md": python_reference(), "reference/commands.md": command_reference()}


def picture(name: str) -> str:
    """A start of a game as SVG."""
    from starscout.drawing.svg import board_svg

    state = starscout.start(name, seed=7)
    return board_svg(state.rolled(4), width=PICTURE_PIXELS)


def python_reference() -> str:
    """Every public name, functions first."""
    places = {name: f"starscout.{place}.{name}" for place, names in starscout._PLACES.items() for name in names}
    functions = [name for name in starscout.__all__ if name[0].islower()]
    classes = [name for name in starscout.__all__ if not name[0].islower()]
    parts = [
        "# Python reference",
        "Every name below is `starscout.NAME`. Every example is run by the tests.",
        "## Functions",
    ]
    parts += [f"::: {places[name]}" for name in functions]
    parts += ["## Values", *(f"::: {places[name]}" for name in classes)]
    return "\n\n".join(parts) + "\n"


def command_reference() -> str:
    """The help page of every command."""
    import importlib

    import typer
    from typer.testing import CliRunner

    parts = ["# Commands", "The same words as in Python; `--json` prints one JSON object for programs."]
    for name in COMMANDS:
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        command = importlib.import_module(f"starscout.cli.{name}").command
        app.command(name)(command)
        shown = CliRunner().invoke(app, ["--help"], prog_name=f"starscout {name}", terminal_width=100)
        first = inspect.cleandoc(command.__doc__ or "").splitlines()[0]
        parts += [f"## {name}", first, f"```text\n{shown.stdout.strip()}\n```"]
    return "\n\n".join(parts) + "\n"
