"""`starscout.warm`: compile kernels ahead of time; `starscout.cache`: the cache of compiled kernels."""

import contextlib
import time
from collections.abc import Generator, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from starscout import games
from starscout.api.progress import progress_bar
from starscout.api.result import Result
from starscout.api.running import game_name
from starscout.arena.workers import default_workers, exit_on_interrupt, quiet_start, without_main
from starscout.game import Game
from starscout.kernels.cache import cache_files, cache_folder, clear_cache
from starscout.players.spec import describe, make_player, presets_of
from starscout.protocols.compile_ahead import mark_warm
from starscout.protocols.engine import PlayerEngine
from starscout.settings.arguments import checked
from starscout.settings.schema import Progress, Workers

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class WarmResult(Result):
    """The number of compiled kernels.

    >>> print(WarmResult(kernels=21, seconds=4.2, players=2))
    21 kernels compiled for 2 players in 4.2 s
    """

    kernels: int
    """Kernels added to the cache."""
    seconds: float
    players: int

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout warm --json`."""
        return {"kernels": self.kernels, "seconds": self.seconds}

    def __rich__(self) -> "RenderableType":
        players = "1 player" if self.players == 1 else f"{self.players} players"
        return f"{self.kernels} kernels compiled for {players} in {self.seconds:.1f} s"


@checked
def warm(
    game: str | Game | None = None, *players: str, workers: Workers | None = None, progress: Progress = True
) -> WarmResult:
    """Compile and cache every kernel that these players need, so that their first game starts immediately.

    Default: all presets of the game, or of all games. `workers` processes compile, one per core by default; 0: this
    process. Raises GameError.

    >>> warm("ewn-3x3-3", "random", workers=0).players
    1
    """
    work: list[tuple[str, str]] = []
    for name in games.NAMES if game is None else (game_name(game),):
        rules = games.load(name)
        for spec in players:
            describe(spec, rules)
        # The strongest preset comes first: the others share its kernels.
        work += [(name, spec) for spec in players or [preset.name for preset in presets_of(rules)]]
    began, before = time.perf_counter(), len(cache_files())
    crew = min(default_workers() if workers is None else workers, len(work))
    with progress_bar("compiling", shown=progress) as show, _compiled(work, crew) as finished:
        for number, _ in enumerate(finished, 1):
            show(number / len(work))
    return WarmResult(len(cache_files()) - before, time.perf_counter() - began, len(work))


@contextlib.contextmanager
def _compiled(work: list[tuple[str, str]], crew: int) -> Generator[Iterable[None]]:
    """Yield once per compiled player, in any order."""
    if crew == 0:
        yield (warm_player(*item) for item in work)
        return
    with ProcessPoolExecutor(crew, get_context("spawn"), exit_on_interrupt) as pool:
        with quiet_start(), without_main():
            jobs = [pool.submit(warm_player, *item) for item in work]
        yield (job.result() for job in as_completed(jobs))


def warm_player(game: str, spec: str) -> None:
    """Compile the kernels of one player and mark it as compiled."""
    rules = games.load(game)
    engine = PlayerEngine(spec, make_player)
    engine.new_game(rules, 0)
    engine.close()
    mark_warm(spec, rules)


@dataclass(frozen=True)
class CacheResult(Result):
    """Location, number and size of the cached kernels.

    >>> print(CacheResult("/home/anna/.cache/starscout/kernels", kernels=12, bytes=3 * 2**20))
    /home/anna/.cache/starscout/kernels: 12 kernels, 3.0 MB
    """

    folder: str
    kernels: int
    bytes: int
    removed: int = 0
    """Number of deleted kernels."""

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout cache --json`."""
        return dict(vars(self))

    def __rich__(self) -> "RenderableType":
        removed = f"{self.removed} compiled kernels deleted\n" if self.removed else ""
        return f"{removed}{self.folder}: {self.kernels} kernels, {self.bytes / 2**20:.1f} MB"


def cache(*, clear: bool = False) -> CacheResult:
    """Inspect the cache of compiled kernels; `clear` empties it first.

    >>> cache().kernels >= 0
    True
    """
    removed = clear_cache() if clear else 0
    files = cache_files()
    return CacheResult(str(cache_folder()), len(files), sum(file.stat().st_size for file in files), removed)
