"""`starscout.bench`: speed of this machine on fixed workloads, and the search fingerprint."""

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from starscout import games
from starscout.api.progress import interruptible_kernels, progress_bar
from starscout.api.result import Result, rich_table
from starscout.evaluation import knowledge_of, load_evaluation
from starscout.game import Game
from starscout.kernels.stop_flags import announced
from starscout.search.deepening import Searcher
from starscout.search.negascout import Switches
from starscout.search.perft import perft
from starscout.search.playouts import play_random_for
from starscout.settings.schema import Progress

if TYPE_CHECKING:
    from rich.console import RenderableType

THREADS = (1, 2)
SECONDS, QUICK_SECONDS = 1.0, 0.1
"""Approximate duration of each measurement."""

FINGERPRINT_STARTS = (0, 123, 456)
FINGERPRINT_TABLE_BITS = 12


@dataclass(frozen=True)
class BenchRow:
    """One measurement.

    >>> BenchRow("ewn perft", 2.5e8, "leaves/s").unit
    'leaves/s'
    """

    name: str
    value: float
    unit: str


@dataclass(frozen=True)
class BenchResult(Result):
    """All measurements, and the fingerprint: the node count of a fixed set of searches.

    >>> BenchResult(5, (BenchRow("ewn perft", 2.5e8, "leaves/s"),)).json()["rows"][0]["name"]
    'ewn perft'
    """

    fingerprint: int
    measured: tuple[BenchRow, ...]

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout bench --json`."""
        return {"fingerprint": self.fingerprint, "rows": self.rows()}

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per measurement."""
        return [dict(vars(row)) for row in self.measured]

    def __rich__(self) -> "RenderableType":
        from rich.console import Group

        rows = [
            (row.name, f"{row.value:,.0f}" if row.value >= 10 else f"{row.value:.2f}", row.unit)
            for row in self.measured
        ]
        table = rich_table(("benchmark", "value", "unit"), rows, left=("benchmark", "unit"))
        return Group(table, f"\nfingerprint {self.fingerprint}")


def bench(*, quick: bool = False, progress: Progress = True) -> BenchResult:
    """Measure perft and random games of every game, and compute the fingerprint; `quick` takes a tenth of the time.

    >>> import inspect
    >>> list(inspect.signature(bench).parameters)
    ['quick', 'progress']
    """
    seconds = QUICK_SECONDS if quick else SECONDS
    steps = len(games.NAMES) * (1 + len(THREADS)) + 1
    rows: list[BenchRow] = []
    with interruptible_kernels(), progress_bar("measuring", shown=progress) as show:
        for game in map(games.load, games.NAMES):
            rows.append(BenchRow(f"{game.name} perft", _perft_rate(game, seconds), "leaves/s"))
            show(len(rows) / steps)
            for threads in THREADS:
                totals, taken = play_random_for(game, 0, seconds, threads)
                name = f"{game.name} random games, {threads} thread{'s' if threads > 1 else ''}"
                rows.append(BenchRow(name, totals.games / taken, "games/s"))
                show(len(rows) / steps)
        fingerprint()  # compiles or loads before the clock starts
        began = perf_counter()
        nodes = sum(fingerprint().values())
        rows.append(BenchRow("search of the fingerprint", nodes / (perf_counter() - began), "nodes/s"))
        show(1.0)
    return BenchResult(nodes, tuple(rows))


def fingerprint(*, quick: bool = False) -> dict[str, int]:
    """Count the nodes of iterative deepening from fixed starts, per game; `quick` is feasible in plain Python.

    The counts change if and only if a rule, a search or an evaluation changes.

    >>> import inspect
    >>> list(inspect.signature(fingerprint).parameters)
    ['quick']
    """
    counts: dict[str, int] = {}
    for game in map(games.load, games.NAMES):
        settings = knowledge_of(game).fingerprint
        if settings is None:
            continue
        evaluation, depth, quick_depth = settings
        switches = Switches(scout=not game.has_chance)
        searcher = Searcher(game, load_evaluation(game, evaluation), switches, FINGERPRINT_TABLE_BITS)
        for start in FINGERPRINT_STARTS:
            searcher.begin()
            depths = range(1, (quick_depth if quick else depth) + 1)
            with announced(*searcher.flags):
                for _ in searcher.deepen(game.start_position(start), 1, depths):
                    pass
        counts[game.name] = searcher.counts["nodes"]
    return counts


def _perft_rate(game: Game, seconds: float) -> float:
    """Measure leaves per second at the first depth that takes long enough."""
    position = game.start_position(0)
    perft(game, position, 0)  # compiles or loads before the clock starts
    depth = 1
    while True:
        began = perf_counter()
        leaves = perft(game, position, depth)
        taken = perf_counter() - began
        if taken >= seconds / 4 or depth >= game.max_depth:
            return leaves / max(taken, 1e-9)
        depth += 1
