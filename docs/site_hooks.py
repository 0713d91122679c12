"""MkDocs hook that generates board pictures and the references of the Python API and the commands."""

import inspect
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import starscout
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
ROOT = Path(__file__).parent.parent
ROOT_PAGES = ("CHANGELOG", "CONTRIBUTING")
QUESTION = ("ewn", "negascout depth=3 eval=race", "negascout depth=2 eval=race")
"""The match on the start page."""


CHINESE_LABELS = {
    'aria-label="Table of contents"': 'aria-label="目錄"',
    "Table of contents\n": "目錄\n",
    'aria-label="Search" placeholder="Search"': 'aria-label="搜尋" placeholder="搜尋"',
    'aria-label="Select language"': 'aria-label="選擇語言"',
    "Back to top": "回到頁首",
    "Skip to content": "跳到內容",
    '"Copy to clipboard"': '"複製"',
    '"Copied to clipboard"': '"已複製"',
    '"Type to start searching"': '"輸入文字開始搜尋"',
    '"No matching documents"': '"找不到符合的頁面"',
    '"1 matching document"': '"找到 1 頁"',
    '"# matching documents"': '"找到 # 頁"',
    '"1 more on this page"': '"本頁還有 1 處"',
    '"# more on this page"': '"本頁還有 # 處"',
    '"Missing"': '"缺少"',
}
"""Labels of the theme → those of Chinese pages."""


def on_config(config: Any) -> Any:
    """Show the version in the footer."""
    config.copyright = f"StarScout {starscout.__version__}, {config.copyright}"
    return config


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Declare the language of Chinese pages, for fonts and screen readers, and translate the labels of the theme."""
    if not page.file.src_uri.startswith("zh/"):
        return output
    for label, translated in CHINESE_LABELS.items():
        output = output.replace(label, translated)
    return output.replace('<html lang="en"', '<html lang="zh-Hant"', 1)


def on_files(files: Any, config: Any) -> Any:
    """Add the generated files."""
    # Type checkers and tests import this file without MkDocs.
    from mkdocs.structure.files import File  # pyright: ignore[reportMissingImports]

    for name, content in (generated() | start_pictures()).items():
        files.append(File.generated(config, name, content=content))
    return files


def generated() -> dict[str, str]:
    """Path → content of every generated file."""
    starts = {f"pictures/{name}.svg": picture(name) for name in MOVES}
    moves = {f"pictures/{name}-moves.svg": moves_picture(name) for name in MOVES}
    references = {"reference/python.md": python_reference(), "reference/commands.md": command_reference()}
    return {**starts, **moves, **references, **{f"{name.lower()}.md": root_page(name) for name in ROOT_PAGES}}


def root_page(name: str) -> str:
    """A page of the repository's root folder, with links as seen from the documentation."""
    text = (ROOT / f"{name}.md").read_text(encoding="utf-8")
    for other in ROOT_PAGES:
        text = text.replace(f"]({other}.md)", f"]({other.lower()}.md)")
    return text.replace("](docs/", "](")


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
    for name in functions:
        parts += [f"::: {places[name]}", parameter_table(getattr(starscout, name))]
    parts += ["## Classes", *(f"::: {places[name]}" for name in classes)]
    return "\n\n".join(filter(None, parts)) + "\n"


def parameter_table(function: Callable[..., Any]) -> str:
    """The parameters of a function that have a declared setting; empty if there are none."""
    from starscout.settings.schema import resolve

    plain = inspect.unwrap(function)
    hints = typing.get_type_hints(plain, include_extras=True)
    rows = []
    for parameter in inspect.signature(plain).parameters.values():
        hint = hints.get(parameter.name)
        if parameter.kind is parameter.VAR_KEYWORD and typing.get_origin(hint) is typing.Unpack:
            given = typing.get_type_hints(typing.get_args(hint)[0], include_extras=True)
            rows += [_parameter_row(name, kind, "") for name, kind in given.items()]
        elif resolve(hint)[1].help:
            missing = parameter.default is parameter.empty
            rows.append(_parameter_row(parameter.name, hint, "required" if missing else f"`{parameter.default!r}`"))
    if not rows:
        return ""
    return "\n".join(["| parameter | default | range | meaning |", "|---|---|---|---|", *rows])


def _parameter_row(name: str, hint: Any, default: str) -> str:
    from starscout.settings.schema import resolve

    setting = resolve(hint)[1]
    ends = [f"{end:g}" if end is not None and abs(end) < 1e6 else "" for end in (setting.low, setting.high)]
    limits = f"from {ends[0]}" + (f" to {ends[1]}" if ends[1] else "") if ends[0] else ""
    shown = limits if not setting.choices else ", ".join(f"`{choice}`" for choice in setting.choices)
    return f"| `{name}` | {default} | {shown} | {setting.help.replace('|', chr(92) + '|')} |"


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
