"""`starscout.perft`: how many leaves the game tree has at a depth."""

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from starscout.api.ctrl_c import interruptible_kernels
from starscout.api.positions import given_state
from starscout.api.progress import progress_bar
from starscout.api.result import Result
from starscout.game import Game
from starscout.game.state import State
from starscout.search.perft import count_leaves, perft_parts
from starscout.search.perft import perft as count_all_leaves
from starscout.settings.arguments import MANY, checked

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class PerftResult(Result):
    """The leaves of a game tree.

    >>> perft("othello", 5)
    PerftResult(nodes=1396, seconds=..., depth=5)
    """

    nodes: int
    """The leaves: a finished game is one, and every roll is a branch of its own."""
    seconds: float
    depth: int
    """How many plies the leaves are below the position."""

    def json(self) -> dict[str, Any]:
        """The fields of `starscout perft --json`."""
        return {"nodes": self.nodes, "seconds": self.seconds}

    def rows(self) -> list[dict[str, Any]]:
        """One row."""
        return [{"depth": self.depth, **self.json()}]

    def __rich__(self) -> "RenderableType":
        rate = self.nodes / self.seconds
        return f"{self.nodes:,} leaves {self.depth} plies below, {self.seconds:.3f} s, {rate:,.0f} per second"


@checked(depth=(0, MANY))
def perft(state: State | Game | str, depth: int, *, progress: bool = True) -> PerftResult:
    """Count the leaves `depth` plies below a state, or below the first start of a game; raises GameError.

    >>> perft("othello", 5).nodes
    1396
    """
    root = given_state(state)
    game = root.game
    with interruptible_kernels(), progress_bar("counting leaves", shown=progress) as show:
        count_all_leaves(game, root.position, 0)  # compiles or loads before the clock starts
        began, nodes = perf_counter(), 0
        parts = perft_parts(game, root.position, depth, root.roll)
        for finished, part in enumerate(parts, 1):
            nodes += count_leaves(game, part)
            show(finished / len(parts))
        return PerftResult(nodes, perf_counter() - began, depth)
