"""Command-line options derived from the settings schema."""

from typing import Annotated, Any, Unpack

import pytest
import typer
from typer.testing import CliRunner

from starscout.cli.main import COMMANDS
from starscout.cli.options import option_name, typer_command
from starscout.settings.schema import Depth, File, GameName, Json, RoundSettings, Setting

Given = dict[str, Any]


def app(got: list[Given]) -> typer.Typer:
    made = typer.Typer(rich_markup_mode=None)

    def command(
        game: GameName,
        *,
        depth: Annotated[Depth, Setting(high=9)] = 3,
        out: Annotated[File, Setting("Output file.", metavar="FILE")] | None = None,
        form: Annotated[str, Setting("The format.", flags=("--format",))] = "json",
        json: Json = False,
        **settings: Unpack[RoundSettings],
    ) -> None:
        """Do something."""
        got.append({"game": game, "depth": depth, "out": out, "form": form, "json": json, **settings})

    made.command()(typer_command(command))
    return made


DEFAULTS = {"game": "ewn", "depth": 3, "out": None, "form": "json", "json": False}


@pytest.mark.parametrize(
    ("words", "changes"),
    [
        ("ewn", {}),
        ("ewn --seed 7 --json", {"seed": 7, "json": True}),
        ("--json ewn --depth 1", {"json": True, "depth": 1}),
        (
            "ewn --game-time 1.5 --store x --out y --format text",
            {"game_time": 1.5, "store": "x", "out": "y", "form": "text"},
        ),
        ("ewn --seed 18446744073709551615", {"seed": 2**64 - 1}),
    ],
)
def test_settings_are_options(words: str, changes: Given) -> None:
    got: list[Given] = []
    assert CliRunner().invoke(app(got), words.split()).exit_code == 0
    assert got == [{**DEFAULTS, **changes}]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--seed -1", "'--seed': expected a whole number from 0 to 18446744073709551615, got '-1'"),
        ("--depth 10", "'--depth': expected a whole number from 1 to 9 (plies), got '10'"),
        ("--depth x", "'--depth': expected a whole number from 1 to 9 (plies), got 'x'"),
        ("--time 0", "'--time': expected a number of at least 0.001 (seconds), got '0'"),
        ("--time nan", "'--time': expected a number"),
    ],
)
def test_invalid_values_name_the_option(words: str, message: str) -> None:
    result = CliRunner().invoke(app([]), ["ewn", *words.split()])
    assert result.exit_code == 2
    assert message in result.output


def test_help_lists_every_option() -> None:
    shown = CliRunner().invoke(app([]), ["--help"]).output
    assert "Do something." in shown
    assert "--settings" not in shown
    assert "--progress" not in shown
    for option in ("--depth INTEGER", "--out FILE", "--format TEXT", "--seed INTEGER", "--time NUMBER", "--json"):
        assert option in shown


def test_options_are_named_like_settings() -> None:
    assert option_name("game_time") == "--game-time"


@pytest.mark.parametrize("name", COMMANDS)
def test_help_texts_are_complete(name: str) -> None:
    """Every argument and option has help, and help texts are sentences."""
    from starscout.cli.main import _application

    group: Any = typer.main.get_command(_application((name,)))  # pyright: ignore[reportArgumentType]
    command = group if not hasattr(group, "commands") else group.commands[name]
    for parameter in command.params:
        text = getattr(parameter, "help", None)
        assert text, (name, parameter.name)
    assert command.help.strip().split("\n\n")[0].rstrip().endswith(".")
