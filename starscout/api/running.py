"""How matches are run: their settings, their store, their workers, their pace."""

import contextlib
import os
import time as clock
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from starscout import games
from starscout.arena.director import MatchRun
from starscout.arena.store import MEMORY, Store, default_path
from starscout.arena.workers import LocalRunner, Runner, SameProcessRunner, default_workers
from starscout.game import Game, GameError
from starscout.game.source_files import being_loaded
from starscout.players.player import Player
from starscout.players.python_class import class_spec
from starscout.players.spec import describe
from starscout.protocols.engine_log import VARIABLE
from starscout.search.limits import Limit

PlayerLike = str | type[Any]
"""A player that workers can make: a SPEC, or a Python class with a method `choose`."""


class RunSettings(TypedDict, total=False):
    """How games are played: the keywords of `match`, `tournament` and `tune`, named as on the command line.

    >>> settings: RunSettings = {"depth": 2, "seed": 7, "store": ":memory:", "workers": 0}
    >>> match("ewn-3x3-3", "random", "random", pairs=1, **settings).seed
    7
    """

    time: float | None
    """Seconds per move."""
    game_time: float | None
    """Seconds per side for the whole game."""
    depth: int | None
    """Plies a search may look ahead."""
    nodes: int | None
    """Nodes a search may visit for a move."""
    simulations: int | None
    """Simulations for a move."""
    seed: int
    """Numbers the starts and the dice."""
    workers: int | None
    """Processes that play; default: one per core; 0: this process."""
    cluster: str | None
    """The address of a Dask scheduler, or `local`."""
    opening_plies: int | None
    """Random plies before a game without dice begins."""
    luck: str | None
    """The value function that measures luck, or `off`."""
    store: str | os.PathLike[str] | None
    """Where games are kept; default: the user's data folder; `:memory:` keeps nothing."""
    log: str | os.PathLike[str] | None
    """A file for every line to and from engines."""
    progress: bool
    """Whether a terminal or a notebook shows how far the work is; default: yes."""


@dataclass(frozen=True)
class ChosenSettings:
    """The settings of a run with their defaults; an unknown keyword is a TypeError."""

    time: float | None = None
    game_time: float | None = None
    depth: int | None = None
    nodes: int | None = None
    simulations: int | None = None
    seed: int = 0
    workers: int | None = None
    cluster: str | None = None
    opening_plies: int | None = None
    luck: str | None = None
    store: str | os.PathLike[str] | None = None
    log: str | os.PathLike[str] | None = None
    progress: bool = True

    @property
    def limit(self) -> Limit:
        """The limit for each move; several may be given, and the first that is reached ends the search."""
        return Limit(self.time, self.game_time, 0.0, self.depth, self.nodes, self.simulations)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in the middle of a run. What was finished is stored, and is in `result`; the same call goes on from there.

    >>> stop = Interrupted("what was played")
    >>> stop.result
    'what was played'
    """

    def __init__(self, result: Any) -> None:
        super().__init__("interrupted: what was finished is stored, and the same call goes on from there")
        self.result = result


def game_name(game: str | Game) -> str:
    """The name or the file by which a worker finds a game; raises GameError for a game that is in no file."""
    if isinstance(game, str):
        return game
    name = game.file or game.name
    try:
        known = games.load(name)
    except GameError:
        known = None
    if known is None or known.position is not game.position:
        raise GameError(f"workers cannot find the game {game.name!r}: write it to a file, and load that")
    return name


def player_spec(player: PlayerLike) -> str:
    """The SPEC of a player that a run takes; raises GameError."""
    if isinstance(player, str):
        return player
    if isinstance(player, Player) or hasattr(type(player), "choose"):
        raise GameError(f"{player!r} exists already: every worker makes its own, so give its SPEC or its class")
    if not isinstance(player, type):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise GameError(f"a player is a SPEC or a Python class with a method `choose`, not {player!r}")
    return class_spec(player)


@contextlib.contextmanager
def opened_store(path: str | os.PathLike[str] | None, *, existing: bool = False) -> Generator[Store]:
    """The store at this path, or at the default one; `existing`: none is made."""
    file = os.fspath(path) if path is not None else str(default_path())
    if existing and file != MEMORY and not Path(file).exists():
        raise GameError(f"there is no store at {file}: nothing has been played there yet")
    with Store(file) as store:
        yield store


@contextlib.contextmanager
def opened_runner(game: str, players: Sequence[str], settings: ChosenSettings) -> Generator[Runner]:
    """Processes here, a Dask cluster, or this process."""
    if being_loaded():
        raise GameError('games are started while the file is loaded: put them below `if __name__ == "__main__":`')
    described = [describe(player, games.load(game)) for player in players]
    workers, cluster = settings.workers, settings.cluster
    usual = default_workers(max(player.threads for player in described))
    runner: Runner
    with logged(settings.log):
        if workers == 0 or not all(player.portable for player in described):
            runner = SameProcessRunner()
        elif cluster is None:
            runner = LocalRunner(workers or usual)
        else:
            from starscout.arena.cluster import ClusterRunner

            runner = ClusterRunner(cluster, workers or (usual if cluster == "local" else None))
        try:
            yield runner
        finally:
            runner.close()


@contextlib.contextmanager
def logged(file: str | os.PathLike[str] | None) -> Generator[None]:
    """Log every line to and from engines to a file, in this process and in its workers."""
    if file is None:
        yield
        return
    Path(file).open("a").close()
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = str(Path(file).resolve())
    try:
        yield
    finally:
        os.environ.pop(VARIABLE)
        if before is not None:
            os.environ[VARIABLE] = before


class Pace:
    """How fast matches go in this run, and how long it still takes; starting the workers does not count."""

    def __init__(self) -> None:
        self._origin: tuple[float, int] | None = None

    def text(self, *match_runs: MatchRun) -> str:
        """Games per second and the time left, as far as they are known."""
        now, counted = clock.perf_counter(), sum(match_run.counted for match_run in match_runs)
        finished = all(match_run.finished for match_run in match_runs)
        if self._origin is None and counted > sum(match_run.resumed for match_run in match_runs):
            self._origin = now, counted
        if self._origin is None or counted <= self._origin[1]:
            return "" if finished else "starting"
        rate = (counted - self._origin[1]) / (now - self._origin[0])
        missing = sum(match_run.goal.pairs for match_run in match_runs) - counted
        left = "" if finished else f", {duration(missing / rate)} left at most"
        return f"{2 * rate:,.1f} games per second{left}"


def duration(seconds: float) -> str:
    """A length of time for people."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
