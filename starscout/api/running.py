"""How matches are run: store, workers, log, progress, and the announcement of finished games."""

import contextlib
import functools
import os
import sys
import threading
import time as clock
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from starscout import games
from starscout.arena.batch import Batch
from starscout.arena.director import MatchRun
from starscout.arena.store import MEMORY, Store, default_path
from starscout.arena.workers import LocalRunner, Runner, SameProcessRunner, default_workers
from starscout.game import Game, GameError
from starscout.game.source_files import being_loaded
from starscout.players.names import player_names
from starscout.players.player import Player
from starscout.players.python_class import PlayerLike, class_spec
from starscout.players.spec import describe, with_defaults
from starscout.protocols.channel import logged
from starscout.protocols.sandbox import REQUIRE, isolation
from starscout.records.json_lines import write_json_line
from starscout.records.packed import SeatedGame
from starscout.referee.adjudication import Adjudication
from starscout.referee.opening_book import RANDOM_ORDER
from starscout.search.limits import Limit
from starscout.settings.schema import File, MatchSettings, RoundSettings, RunSettings, SettingError, exclusive

Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


def limit_of(settings: RunSettings) -> Limit:
    """Return the limit per move."""
    return Limit(
        settings.get("time"), settings.get("game_time"), 0.0,
        settings.get("depth"), settings.get("nodes"), settings.get("simulations"),
    )  # fmt: skip


def game_rules(settings: MatchSettings) -> dict[str, Any]:
    """Return the opening book and the adjudication, as keywords of `make_plan`; raises GameError."""
    book, value = settings.get("openings"), settings.get("adjudicate")
    for name, needed in (("opening_order", "openings"), ("adjudicate_plies", "adjudicate")):
        if name in settings and settings.get(needed) is None:
            raise SettingError("{} requires {}", (name, needed))
    return {
        "openings": "" if book is None else os.fspath(book),
        "opening_order": settings.get("opening_order", RANDOM_ORDER),
        "adjudication": Adjudication(value, settings.get("adjudicate_plies", 8), settings.get("max_plies")),
    }


def worker_settings(settings: RunSettings) -> tuple[int | None, str | None, File | None]:
    """Return the workers, the cluster and the log file of a run."""
    return settings.get("workers"), settings.get("cluster"), settings.get("log")


def round_limit(settings: RoundSettings, usual: Limit) -> Limit:
    """Return the limit of refereed games; `usual` unless a time is given."""
    time, game_time = settings.get("time"), settings.get("game_time")
    if time is None and game_time is None:
        return usual
    return Limit(time=time, clock=game_time, increment=settings.get("increment", 0.0))


def game_name(game: str | Game) -> str:
    """Return the name or file by which workers load a game; raises GameError for a game without a file."""
    if isinstance(game, str):
        return game
    name = game.file or game.name
    try:
        known = games.load(name)
    except GameError:
        known = None
    if known is None or known.position is not game.position:
        raise GameError(f"workers cannot load the game {game.name!r}: write it to a file and load that file")
    return name


def player_spec(player: PlayerLike) -> str:
    """Return the SPEC of a player; raises GameError."""
    if isinstance(player, str):
        return player
    if isinstance(player, Player) or hasattr(type(player), "choose"):
        raise GameError(f"player: expected a SPEC or a class, got {player!r}: every worker creates its own player")
    if not isinstance(player, type | functools.partial):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise GameError(f"player: expected a SPEC or a class with a method `choose`, got {player!r}")
    return class_spec(player)


def player_specs(players: Sequence[PlayerLike], each: str | None, game: Game) -> list[str]:
    """Return the SPECs of players with the options that all of them share; raises GameError."""
    return [shared_options(spec, each, game) for spec in map(player_spec, players)]


def shared_options(spec: str, each: str | None, game: Game) -> str:
    """Return a SPEC with the options that all players share; raises GameError if this player has no such option."""
    if not each:
        return spec
    describe(spec, game, check=False)
    found = with_defaults(spec, each)
    try:
        describe(found, game, check=False)
    except GameError as error:
        raise SettingError("{}", ("each",), f": {error}") from error
    return found


@contextlib.contextmanager
def opened_store(path: File | None, *, existing: bool = False) -> Generator[Store]:
    """Open the store at this path or at the default path; with `existing`, raise GameError if there is none."""
    file = os.fspath(path) if path is not None else str(default_path())
    if existing and file != MEMORY and not Path(file).exists():
        raise GameError(f"there is no store at {file}: nothing has been played there yet")
    with Store(file) as store:
        yield store


@contextlib.contextmanager
def opened_runner(
    game: str, players: Sequence[str], workers: int | None = None, cluster: str | None = None, log: File | None = None
) -> Generator[Runner]:
    """Start local processes or a Dask cluster, or use this process."""
    if being_loaded():
        raise GameError('games are started while the file is loaded: put them below `if __name__ == "__main__":`')
    described = [describe(player, games.load(game)) for player in players]
    usual = default_workers(max(player.threads for player in described))
    runner: Runner
    with logged(log):
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


def isolated(function: Callable[Parameters, Returned]) -> Callable[Parameters, Returned]:
    """Apply the settings `trust` and `isolate` to the programs and classes that a function plays with."""

    @functools.wraps(function)
    def call(*arguments: Parameters.args, **keywords: Parameters.kwargs) -> Returned:
        trust, isolate = (bool(keywords.get(name)) for name in ("trust", "isolate"))
        exclusive(trust=trust, isolate=isolate)
        with isolation("off" if trust else REQUIRE if isolate else ""):
            return function(*arguments, **keywords)

    return call


class Pace:
    """Games per second and remaining time of a run, not counting the start of the workers."""

    def __init__(self) -> None:
        self._origin: tuple[float, int] | None = None

    def text(self, *match_runs: MatchRun) -> str:
        """Return the rate and the remaining time, where known."""
        now, counted = clock.perf_counter(), sum(match_run.counted for match_run in match_runs)
        finished = all(match_run.finished for match_run in match_runs)
        if self._origin is None and counted > sum(match_run.resumed for match_run in match_runs):
            self._origin = now, counted
        if self._origin is None or counted <= self._origin[1]:
            return "" if finished else "starting"
        rate = (counted - self._origin[1]) / (now - self._origin[0])
        missing = sum(match_run.stopping_rule.pairs for match_run in match_runs) - counted
        left = "" if finished else f", at most {duration(missing / rate)} left"
        return f"{2 * rate:,.1f} games per second{left}"


def pairs_text(match_runs: Sequence[MatchRun]) -> str:
    """Return `12 of 100 pairs`."""
    counted = sum(match_run.counted for match_run in match_runs)
    return f"{counted} of {sum(match_run.stopping_rule.pairs for match_run in match_runs)} pairs"


def duration(seconds: float) -> str:
    """Format a duration."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


class Announcer:
    """Prints the result of every finished game on standard error and appends its record; thread-safe."""

    def __init__(self, game: Game, records: File | None, *, pairings: bool = False, shown: bool = True) -> None:
        self._game, self._records = game, None if records is None else Path(records)
        self._pairings, self._shown = pairings, shown
        self._lock = threading.Lock()

    def __call__(self, batch: Batch, number: int, played: SeatedGame) -> None:
        """Announce a game of a batch; `number` is its index in the match."""
        first, second = player_names((batch.plan.first, batch.plan.second))
        names = first, second
        pairing = f"{names[0]} – {names[1]}, " if self._pairings else ""
        with self._lock:
            if self._shown:
                print(pairing + game_text(self._game, names, number, played), file=sys.stderr, flush=True)
            if self._records is not None:
                with self._records.open("a", encoding="utf-8") as file:
                    file.write(write_json_line(played.record))


def game_text(game: Game, names: tuple[str, str], number: int, played: SeatedGame) -> str:
    """Return `round 3: B wins as red: corner, 23 plies`."""
    record = played.record
    if record.winner is None:
        result = f"{'0 – 0' if record.forfeit else 'draw'}: {record.reason}"
    else:
        winner = names[0] if played.score == 1 else names[1]
        result = f"{winner} wins as {game.sides[record.winner]}: {record.reason}"
    detail = f" ({record.detail})" if record.detail else ""
    return f"round {number + 1}: {result}, {len(record.plies)} plies{detail}"
