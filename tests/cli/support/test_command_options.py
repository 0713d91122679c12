"""Groups of options: a person sees them one by one, a command gets them together."""

import inspect
from dataclasses import dataclass
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from starscout.api.rounds import ChosenRoundSettings
from starscout.api.running import ChosenSettings
from starscout.cli.support.command_options import Json, RoundOptions, RunOptions, Seed, takes
from starscout.search.limits import Limit


@dataclass(frozen=True)
class Group:
    seed: Seed = 0
    json: Json = False


def app(got: list[tuple[str, int, Group]]) -> typer.Typer:
    made = typer.Typer(rich_markup_mode=None)

    @made.command()
    @takes(Group)
    def command(
        game: Annotated[str, typer.Argument(metavar="GAME")],
        count: Annotated[int, typer.Option("--count")] = 3,
        *,
        options: Group,
    ) -> None:
        """Do something."""
        got.append((game, count, options))

    return made


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["ewn"], ("ewn", 3, Group())),
        (["ewn", "--seed", "7", "--json"], ("ewn", 3, Group(7, True))),
        (["--json", "ewn", "--count", "1"], ("ewn", 1, Group(0, True))),
    ],
)
def test_the_fields_of_a_group_are_options(words: list[str], expected: tuple[str, int, Group]) -> None:
    got: list[tuple[str, int, Group]] = []
    assert CliRunner().invoke(app(got), words).exit_code == 0
    assert got == [expected]


def test_the_bounds_of_an_option_hold_in_a_group() -> None:
    result = CliRunner().invoke(app([]), ["ewn", "--seed", "-1"])
    assert result.exit_code == 2
    assert "--seed" in result.output


def test_people_see_them_one_by_one() -> None:
    shown = CliRunner().invoke(app([]), ["--help"]).output
    assert "Do something." in shown
    assert "--options" not in shown
    for option in ("--count", "--seed", "--json"):
        assert option in shown


def test_a_command_can_be_called_by_another() -> None:
    """As `demo` calls `match`: arguments by place, options by name, the rest by default."""
    got: list[object] = []

    @takes(Group)
    def command(game: str, *, options: Group) -> None:
        got.append((game, options))

    command("ewn", seed=4)
    assert got == [("ewn", Group(seed=4))]
    assert list(inspect.signature(command).parameters) == ["game", "seed", "json"]
    with pytest.raises(TypeError, match="sed"):
        command("ewn", sed=4)


def test_limits_of_matches_and_of_rounds() -> None:
    assert ChosenSettings(**RunOptions().settings) == ChosenSettings()
    options = RunOptions(time=0.5, game_time=60.0, depth=3, nodes=100, simulations=50, workers=0, seed=7)
    chosen = ChosenSettings(**options.settings)
    assert chosen.limit == Limit(time=0.5, clock=60.0, depth=3, nodes=100, simulations=50)
    assert (chosen.workers, chosen.seed) == (0, 7)
    usual = Limit(time=10.0)

    def limit(**options: Any) -> Limit:
        return ChosenRoundSettings(**RoundOptions(**options).settings).limit(usual)

    assert ChosenRoundSettings(**RoundOptions().settings) == ChosenRoundSettings()
    assert limit() == limit(increment=1.0) == usual
    assert limit(time=2.0) == Limit(time=2.0)
    assert limit(game_time=60.0, increment=1.0) == Limit(clock=60.0, increment=1.0)
