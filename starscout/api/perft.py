"""`starscout.perft`: count the leaves of the game tree at a depth."""

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

from starscout.api.games import given_state
from starscout.api.interrupt import interruptible_kernels
from starscout.api.progress import progress_bar
from starscout.api.result import Result
from starscout.game import Game
from starscout.game.state import State
from starscout.search.perft import count_leaves, perft_parts
from starscout.search.perft import perft as count_all_leaves
from starscout.settings.arguments import checked
from starscout.settings.schema import Depth, Progress, Setting

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True)
class PerftResult(Result):
    """The leaf count of a game tree.

    >>> perft("othello", 5)
    PerftResult(nodes=1396, seconds=..., depth=5)
    """

    nodes: int
    """Number of leaves; a finished game is one leaf, and every roll is a separate branch."""
    seconds: float
    depth: int
    """Depth of the leaves, in plies."""

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout perft --json`."""
        return {"nodes": self.nodes, "seconds": self.seconds}

    def rows(self) -> list[dict[str, Any]]:
        """Return one row."""
        return [{"depth": self.depth, **self.json()}]

    def __rich__(self) -> "RenderableType":
        rate = self.nodes / self.seconds
        return f"{self.nodes:,} leaves at depth {self.depth}, {self.seconds:.3f} s, {rate:,.0f} per second"


@checked
def perft(
    state: State | Game | str, depth: Annotated[Depth, Setting(low=0)], *, progress: Progress = True
) -> PerftResult:
    """Count the leaves `depth` plies below a state, or below the first start position of a game; raises GameError.

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
