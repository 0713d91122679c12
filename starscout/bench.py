"""The speed of this machine on fixed work, and the fingerprint: node counts that only a change of the rules changes."""

from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

from starscout import games
from starscout.game import Game
from starscout.perft import perft
from starscout.playouts import play_random_for

FINGERPRINT_DEPTHS = {"ewn": 4, "ewn-cyclic": 6, "kari": 5, "othello": 8}
"""How deep the fingerprint counts each game."""
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
    """Measure every game, each for about this many seconds a row; `show` is told the finished part, 0 to 1."""
    rules = [games.load(name) for name in FINGERPRINT_DEPTHS]
    steps = len(rules) * (1 + len(THREADS))
    rows: list[Row] = []
    for game in rules:
        rows.append(Row(f"{game.name} perft", _perft_rate(game, seconds), "leaves/s"))
        show(len(rows) / steps)
        for threads in THREADS:
            tally, taken = play_random_for(game, 0, seconds, threads)
            name = f"{game.name} random games, {threads} thread{'s' if threads > 1 else ''}"
            rows.append(Row(name, tally.games / taken, "games/s"))
            show(len(rows) / steps)
    return Bench(fingerprint(), tuple(rows))


def fingerprint() -> int:
    """The sum of the perft counts of every game: a commit that changes it says so."""
    return sum(
        perft(game, game.start_position(0), depth)
        for game, depth in ((games.load(name), depth) for name, depth in FINGERPRINT_DEPTHS.items())
    )


def _perft_rate(game: Game, seconds: float) -> float:
    """Leaves a second, at the first depth that takes long enough to tell."""
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
