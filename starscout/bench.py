"""The speed of this machine on fixed work, and the fingerprint: a node count that changes only when a search does."""

from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

from starscout import games
from starscout.game import Game
from starscout.perft import perft
from starscout.random_games import play_random_for
from starscout.search.fingerprint import fingerprint

THREADS = (1, 2)


class Row(NamedTuple):
    """One measured number."""

    name: str
    value: float
    unit: str


class Bench(NamedTuple):
    """Everything measured, and the fingerprint."""

    fingerprint: int
    rows: tuple[Row, ...]


def run_bench(seconds: float, show: Callable[[float], None] = lambda finished: None) -> Bench:
    """Measure every game, about this many seconds per row; `show` gets the finished part, 0 to 1."""
    steps = len(games.NAMES) * (1 + len(THREADS)) + 1
    rows: list[Row] = []
    for game in map(games.load, games.NAMES):
        rows.append(Row(f"{game.name} perft", _perft_rate(game, seconds), "leaves/s"))
        show(len(rows) / steps)
        for threads in THREADS:
            totals, taken = play_random_for(game, 0, seconds, threads)
            name = f"{game.name} random games, {threads} thread{'s' if threads > 1 else ''}"
            rows.append(Row(name, totals.games / taken, "games/s"))
            show(len(rows) / steps)
    fingerprint()  # compiles or loads before the clock starts
    began = perf_counter()
    nodes = fingerprint()
    rows.append(Row("search of the fingerprint", sum(nodes.values()) / (perf_counter() - began), "nodes/s"))
    show(1.0)
    return Bench(sum(nodes.values()), tuple(rows))


def _perft_rate(game: Game, seconds: float) -> float:
    """Leaves per second, at the first depth that takes long enough to measure."""
    position = game.start_position(0)
    perft(game, position, 0)  # compiles or loads before the clock starts
    depth = 1
    while True:
        began = perf_counter()
        leaves = perft(game, position, depth)
        taken = perf_counter() - began
        if taken >= seconds / 4 or depth >= game.max_plies:
            return leaves / max(taken, 1e-9)
        depth += 1
