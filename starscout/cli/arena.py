"""What the commands of the arena share: limits, the store, where to run, and how a result is shown."""

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from starscout.cli.output import console

if TYPE_CHECKING:
    from rich.table import Table

    from starscout.arena.director import Bout
    from starscout.arena.store import Store
    from starscout.arena.workers import Runner
    from starscout.search.limits import Limit

Time = Annotated[float | None, typer.Option("--time", min=0.001, help="Seconds a move.")]
GameTime = Annotated[float | None, typer.Option("--game-time", min=0.01, help="Seconds a side for the whole game.")]
Depth = Annotated[int | None, typer.Option("--depth", min=1, help="Plies a search may look ahead.")]
Nodes = Annotated[int | None, typer.Option("--nodes", min=1, help="Nodes a search may visit for a move.")]
Simulations = Annotated[int | None, typer.Option("--simulations", min=1, help="Simulations for a move.")]
Seed = Annotated[int, typer.Option("--seed", min=0, max=2**64 - 1, help="Numbers the starts and the dice.")]
Workers = Annotated[int | None, typer.Option("--workers", min=1, help="Processes that play (default: one a core).")]
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


def make_limit(
    seconds: float | None, game_time: float | None, depth: int | None, nodes: int | None, simulations: int | None
) -> "Limit":
    """The limit for each move; several may be given, and the first that is reached ends the search."""
    from starscout.search.limits import Limit

    return Limit(time=seconds, clock=game_time, depth=depth, nodes=nodes, simulations=simulations)


@contextlib.contextmanager
def opened_store(path: str | None) -> Iterator["Store"]:
    """The store at this path, or at the default one."""
    from starscout.arena.store import Store, default_path

    with Store(path or default_path()) as store:
        yield store


@contextlib.contextmanager
def opened_runner(workers: int | None, cluster: str | None, players: Sequence[str]) -> Iterator["Runner"]:
    """Processes here, or a Dask cluster. Work that cannot be done at all ends with a sentence and exit code 1."""
    from starscout.arena.workers import LocalRunner, WorkerError, default_workers

    try:
        if cluster is None:
            runner: Runner = LocalRunner(workers or default_workers(players))
        else:
            from starscout.arena.cluster import ClusterRunner

            runner = ClusterRunner(cluster, workers or (default_workers(players) if cluster == "local" else None))
        try:
            yield runner
        finally:
            runner.close()
    except WorkerError as error:
        print(f"starscout: {error}", file=sys.stderr)
        raise typer.Exit(1) from error


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
    """How fast a match goes in this run, and how long it still takes; starting the workers does not count."""

    def __init__(self) -> None:
        self._origin: tuple[float, int] | None = None

    def text(self, bout: "Bout") -> str:
        """Games a second and the time left, as far as they are known."""
        now, counted = time.perf_counter(), bout.counted
        if self._origin is None and counted > bout.resumed:
            self._origin = now, counted
        if self._origin is None or counted == self._origin[1]:
            return "" if bout.finished else "starting"
        rate = (counted - self._origin[1]) / (now - self._origin[0])
        left = "" if bout.finished else f", {duration((bout.goal.pairs - counted) / rate)} left at most"
        return f"{2 * rate:,.1f} games a second{left}"


def duration(seconds: float) -> str:
    """A length of time for people."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def result_table(summary: dict[str, Any], first: str, second: str, pace: str) -> "Table":
    """A match result for people."""
    from rich.table import Table

    table = Table(box=None, show_header=False, title=f"A: {first}\nB: {second}", title_justify="left")
    table.add_column(style="bold")
    table.add_column()
    counts = "  ".join(f"{score}: {count}" for score, count in summary["pair_counts"].items())
    draws = f" ={summary['draws']}" if summary["draws"] else ""
    table.add_row(
        "games", f"{summary['games']} in {summary['pairs']} pairs   +{summary['wins']} −{summary['losses']}{draws}"
    )
    table.add_row("pair scores", counts or "none yet")
    low, high = summary["score_interval"]
    table.add_row("score of A", f"{summary['score']:.1%}   95 %: {low:.1%} to {high:.1%}")
    low, high = summary["elo_interval"]
    table.add_row("Elo", f"{_elo(summary['elo'], 1)}   95 %: {_elo(low, -1)} to {_elo(high, 1)}")
    table.add_row("A is stronger", f"{summary['los']:.1%} likely")
    luck = summary["luck_adjusted"]
    if luck is not None:
        low, high = luck["score_interval"]
        ratio = luck["variance_ratio"]
        bought = "" if ratio is None else f"   variance × {ratio:.2f}"
        table.add_row("luck-adjusted", f"{luck['score']:.1%}   95 %: {low:.1%} to {high:.1%}{bought}")
    test = summary["sprt"]
    if test is not None:
        verdict = {"elo1": f"A is better by {test['elo1']:g} Elo", "elo0": f"A is not better than {test['elo0']:g} Elo"}
        table.add_row(
            "sequential test",
            f"{test['llr']:+.2f} between {test['lower']:.2f} and {test['upper']:.2f}: "
            + verdict.get(test["verdict"], "undecided"),
        )
    for name in ("A", "B"):
        reasons = ", ".join(f"{reason} {count}×" for reason, count in summary["forfeits"][name].items())
        if reasons:
            table.add_row(f"forfeits of {name}", reasons)
    table.add_row("length", f"{summary['mean_plies']:.1f} plies")
    if pace:
        table.add_row("pace", pace)
    return table


def _elo(number: float | None, sign: int) -> str:
    return ("∞" if sign > 0 else "−∞") if number is None else f"{number:+.0f}"
