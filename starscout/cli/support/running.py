"""Where matches are kept and run, and how their progress is shown."""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starscout.cli.support.command_options import RunOptions
from starscout.cli.support.output import console

if TYPE_CHECKING:
    from starscout.arena.director import Bout
    from starscout.arena.store import Store
    from starscout.arena.workers import Runner


@contextlib.contextmanager
def opened_store(path: str | None, *, existing: bool = False) -> Iterator["Store"]:
    """The store at this path, or at the default one; `existing`: none is made."""
    from starscout.arena.store import MEMORY, Store, default_path
    from starscout.game import GameError

    file = path or str(default_path())
    if existing and file != MEMORY and not Path(file).exists():
        raise GameError(f"there is no store at {file}: nothing has been played there yet")
    with Store(file) as store:
        yield store


@contextlib.contextmanager
def opened_runner(game: str, options: RunOptions, players: Sequence[str]) -> Iterator["Runner"]:
    """Processes here, or a Dask cluster."""
    from starscout import games
    from starscout.arena.workers import LocalRunner, default_workers
    from starscout.spec import describe

    workers, cluster = options.workers, options.cluster
    threads = max(describe(player, games.load(game)).threads for player in players)
    if cluster is None:
        runner: Runner = LocalRunner(workers or default_workers(threads))
    else:
        from starscout.arena.cluster import ClusterRunner

        runner = ClusterRunner(cluster, workers or (default_workers(threads) if cluster == "local" else None))
    try:
        yield runner
    finally:
        runner.close()


@contextlib.contextmanager
def live(draw: Callable[[], Any]) -> Iterator[Callable[[], None]]:
    """A function that redraws what `draw` returns, on standard error when that is a terminal; else it does nothing."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda: None
        return
    from rich.live import Live

    with Live(draw(), console=console(stderr=True), refresh_per_second=4, transient=True) as display:
        yield lambda: display.update(draw())


class Pace:
    """How fast matches go in this run, and how long it still takes; starting the workers does not count."""

    def __init__(self) -> None:
        self._origin: tuple[float, int] | None = None

    def text(self, *bouts: "Bout") -> str:
        """Games per second and the time left, as far as they are known."""
        now, counted = time.perf_counter(), sum(bout.counted for bout in bouts)
        finished = all(bout.finished for bout in bouts)
        if self._origin is None and counted > sum(bout.resumed for bout in bouts):
            self._origin = now, counted
        if self._origin is None or counted <= self._origin[1]:
            return "" if finished else "starting"
        rate = (counted - self._origin[1]) / (now - self._origin[0])
        missing = sum(bout.goal.pairs for bout in bouts) - counted
        left = "" if finished else f", {duration(missing / rate)} left at most"
        return f"{2 * rate:,.1f} games per second{left}"


def duration(seconds: float) -> str:
    """A length of time for people."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def leave_nobody_behind() -> None:
    """Make a termination of this process end its engines too, as Ctrl-C does."""
    from starscout.protocols.process import adopt_orphans

    adopt_orphans()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
