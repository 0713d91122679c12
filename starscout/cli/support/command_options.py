"""The options that several commands share, alone and in groups.

A command takes a group as its parameter `options`; the person sees the options one by one:

    @takes(RunOptions)
    def command(game: GameName, options: RunOptions) -> None: …
"""

import functools
import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, get_type_hints

import typer

if TYPE_CHECKING:
    from starscout.api.rounds import RoundSettings
    from starscout.api.running import RunSettings

GameName = Annotated[str, typer.Argument(metavar="GAME", help="A game by name, or a file like ./my_game.py.")]
Time = Annotated[float | None, typer.Option("--time", min=0.001, help="Seconds per move.")]
GameTime = Annotated[float | None, typer.Option("--game-time", min=0.01, help="Seconds per side for the whole game.")]
Depth = Annotated[
    int | None,
    typer.Option(
        "--depth", min=1, help="Plies a search may look ahead; a roll and its move are one (two layers of report 002)."
    ),
]
Nodes = Annotated[int | None, typer.Option("--nodes", min=1, help="Nodes a search may visit for a move.")]
Simulations = Annotated[int | None, typer.Option("--simulations", min=1, help="Simulations for a move.")]
Seed = Annotated[int, typer.Option("--seed", min=0, max=2**64 - 1, help="Numbers the starts and the dice.")]
Workers = Annotated[
    int | None, typer.Option("--workers", min=0, help="Processes that play (default: one per core; 0: this one).")
]
StoreFile = Annotated[
    str | None,
    typer.Option("--store", help="Where games are kept (default: your data folder; :memory: keeps nothing)."),
]
Cluster = Annotated[
    str | None, typer.Option("--cluster", help="Play on a Dask cluster: its scheduler's address, or `local`.")
]
OpeningPlies = Annotated[
    int | None, typer.Option("--opening-plies", min=0, max=40, help="Random plies before a game without dice begins.")
]
Luck = Annotated[
    str | None,
    typer.Option("--luck", help="The value function that measures luck, like `eval=race depth=3`, or `off`."),
]
Json = Annotated[bool, typer.Option("--json", help="One JSON object for programs.")]

Games = Annotated[
    list[str] | None, typer.Option("--game", metavar="FILE", help="A game file of yours that records may name.")
]
LogFile = Annotated[
    Path | None, typer.Option("--log", help="Append every line to and from engines to this file, with times.")
]
Increment = Annotated[float, typer.Option("--increment", min=0.0, help="Seconds that come back after each move.")]
Records = Annotated[
    Path | None, typer.Option("--records", help="Append the games to this file, one JSON object per line.")
]


def start_log(file: Path | None) -> None:
    """Log every line to and from engines, in this process and in its workers, to a file."""
    from starscout.protocols.engine_log import VARIABLE

    if file is not None:
        file.open("a").close()
        os.environ[VARIABLE] = str(file.resolve())


@dataclass(frozen=True)
class RunOptions:
    """How workers play: limits for each move, seed, where to run, what to measure and where to keep it."""

    time: Time = None
    game_time: GameTime = None
    depth: Depth = None
    nodes: Nodes = None
    simulations: Simulations = None
    seed: Seed = 0
    workers: Workers = None
    cluster: Cluster = None
    opening_plies: OpeningPlies = None
    luck: Luck = None
    store: StoreFile = None
    log: LogFile = None
    json: Json = False

    @property
    def settings(self) -> "RunSettings":
        """The keywords of `starscout.match` and its like."""
        return cast("RunSettings", _keywords(self))


@dataclass(frozen=True)
class RoundOptions:
    """How programs and visitors play: clocks, seed, and where the games go."""

    time: Time = None
    game_time: GameTime = None
    increment: Increment = 0.0
    seed: Seed = 0
    records: Records = None
    store: StoreFile = None
    log: LogFile = None
    json: Json = False

    @property
    def settings(self) -> "RoundSettings":
        """The keywords of `starscout.judge` and `course_match`."""
        return cast("RoundSettings", _keywords(self))


def _keywords(options: RunOptions | RoundOptions) -> dict[str, Any]:
    """The options that Python takes too. The log is on already: see `takes`."""
    return {name: value for name, value in vars(options).items() if name not in ("log", "json")}


def takes(group: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the fields of a group as options of its own."""
    names = [field.name for field in fields(group)]

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        hints = {**get_type_hints(function, include_extras=True), **get_type_hints(group, include_extras=True)}
        own = [item for item in inspect.signature(function).parameters.values() if item.name != "options"]
        added = [
            inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default)
            for field in fields(group)
        ]
        signature = inspect.Signature([item.replace(annotation=hints[item.name]) for item in (*own, *added)])

        @functools.wraps(function)
        def command(*arguments: Any, **options: Any) -> None:
            given = signature.bind(*arguments, **options).arguments
            chosen = {name: given.pop(name) for name in names if name in given}
            start_log(chosen.get("log"))
            function(**given, options=group(**chosen))

        command.__signature__ = signature  # pyright: ignore[reportAttributeAccessIssue]
        command.__annotations__ = {item: hints[item] for item in signature.parameters}
        return command

    return decorate
