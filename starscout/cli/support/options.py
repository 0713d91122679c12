"""The options that several commands share, and the limit that some of them make."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from starscout.search.limits import Limit

GameName = Annotated[str, typer.Argument(metavar="GAME", help="A game by name, or a file like ./my_game.py.")]
Time = Annotated[float | None, typer.Option("--time", min=0.001, help="Seconds per move.")]
GameTime = Annotated[float | None, typer.Option("--game-time", min=0.01, help="Seconds per side for the whole game.")]
Depth = Annotated[int | None, typer.Option("--depth", min=1, help="Plies a search may look ahead.")]
Nodes = Annotated[int | None, typer.Option("--nodes", min=1, help="Nodes a search may visit for a move.")]
Simulations = Annotated[int | None, typer.Option("--simulations", min=1, help="Simulations for a move.")]
Seed = Annotated[int, typer.Option("--seed", min=0, max=2**64 - 1, help="Numbers the starts and the dice.")]
Workers = Annotated[int | None, typer.Option("--workers", min=1, help="Processes that play (default: one per core).")]
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


Increment = Annotated[float, typer.Option("--increment", min=0.0, help="Seconds that come back after each move.")]
Records = Annotated[
    Path | None, typer.Option("--records", help="Append the games to this file, one JSON object per line.")
]


def make_limit(
    seconds: float | None, game_time: float | None, depth: int | None, nodes: int | None, simulations: int | None
) -> "Limit":
    """The limit for each move; several may be given, and the first that is reached ends the search."""
    from starscout.search.limits import Limit

    return Limit(time=seconds, clock=game_time, depth=depth, nodes=nodes, simulations=simulations)


def chosen_limit(seconds: float | None, game_time: float | None, increment: float, usual: "Limit") -> "Limit":
    """The limit of each side: what the person says, else the usual one."""
    from starscout.search.limits import Limit

    if seconds is None and game_time is None:
        return usual
    return Limit(time=seconds, clock=game_time, increment=increment)
