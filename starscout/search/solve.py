"""Exact values by search: deepen until every leaf is a finished game.

For small boards and late endgames. If the time runs out, the result is the depth reached.
"""

import time
from dataclasses import dataclass

from starscout.evaluation.evaluation import Evaluation
from starscout.game import Game, Position
from starscout.search.deepening import Searcher
from starscout.search.negascout import MAX_DEPTH, Switches
from starscout.search.time_control import stop_after

TABLE_BITS = 20


@dataclass(frozen=True)
class Solution:
    """The exact value for the mover in [−1, 1] and, after the roll, a best move; or the depth reached."""

    value: float | None
    best: int | None
    depth: int
    nodes: int

    @property
    def exact(self) -> bool:
        """Whether the exact value was found."""
        return self.value is not None


def solve(game: Game, zero: Evaluation, position: Position, roll: int, seconds: float) -> Solution:
    """The exact value of a position that is not over, before its roll (0) or after it; stops after `seconds`.

    `zero` is the evaluation that is 0 everywhere, so that a value of ±1 is a proof.
    """
    switches = Switches(scout=not game.has_dice, store_depth=1)
    searcher = Searcher(game, zero, switches, TABLE_BITS)

    def search(depth: int) -> tuple[float | None, int | None]:
        if roll == 0:
            return searcher.value(position, depth), None
        iteration = next(iter(searcher.deepen(position, roll, range(depth, depth + 1))), None)
        if iteration is None or not iteration.complete:
            return None, None
        return iteration.best.value, iteration.best.move

    search(1)  # compiles or loads before the clock starts
    deadline = time.monotonic() + seconds
    nodes, depth = 0, 0
    searcher.begin()
    with stop_after(seconds, *searcher.flags):
        while depth < min(MAX_DEPTH, game.max_plies) and time.monotonic() < deadline:
            depth = min(depth + 2, MAX_DEPTH, game.max_plies)
            searcher.clear()
            value, best = search(depth)
            nodes += searcher.counts["nodes"]
            if value is None:
                depth -= 2
                break
            if searcher.unfinished == 0 or abs(value) == 1.0:
                return Solution(value, best, depth, nodes)
    return Solution(None, None, depth, nodes)
