"""`starscout.solve`: the exact value of a position, or a clear no."""

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from starscout import evaluate
from starscout.api import html
from starscout.api.result import Board, Picture, Result
from starscout.arena import plots
from starscout.search.solve import solve as search_solution
from starscout.state import State

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True, repr=False)
class SolveResult(Result):
    """The exact value, if it was found; else how far the search came.

    >>> solution = solve(parse("othello-4x4", "XXXXXXXXXXXXXXXX O"))
    >>> solution.exact, solution.win_probability
    (True, 0.0)
    """

    state: State
    value: float | None
    """The mover's exact expected result in [−1, 1]; None: not found."""
    best: str | None
    """A best move after the roll; None before it, and where the game is over."""
    method: str
    nodes: int
    seconds: float
    depth: int
    """How many plies deep the search came."""

    @property
    def exact(self) -> bool:
        """Whether the value was found."""
        return self.value is not None

    @property
    def win_probability(self) -> float | None:
        """The mover's chance to win, a draw counted as half."""
        return None if self.value is None else (self.value + 1.0) / 2.0

    def json(self) -> dict[str, Any]:
        """The fields of `starscout solve --json`."""
        names = ("value", "win_probability", "best", "exact", "method", "nodes", "seconds")
        return {name: getattr(self, name) for name in names}

    def rows(self) -> list[dict[str, Any]]:
        """One row with the position and the fields."""
        return [{"position": self.state.text, **self.json()}]

    def plot(self) -> Picture:
        """The chances of both sides."""
        chance = 0.5 if self.win_probability is None else self.win_probability
        mover = self.state.mover
        sides = self.state.game.sides[mover], self.state.game.sides[1 - mover]
        return Picture(plots.chance_bars(sides, (chance, 1.0 - chance)))

    def sentence(self) -> str:
        """The answer in one sentence."""
        if self.value is None:
            return (
                f"no: after {self.seconds:.3g} s and {self.nodes:,} nodes the search is {self.depth} plies deep and "
                "the game still not over (a smaller board, a later position or more --time may do)"
            )
        mover = self.state.game.sides[self.state.mover]
        chosen = f" with {self.best}" if self.best is not None else ""
        wins = (self.value + 1.0) / 2.0
        return f"{mover} wins {wins:.6%} (value {self.value:+.12f}){chosen}, exactly, by {self.method}"

    def __rich__(self) -> "RenderableType":
        from rich.console import Group
        from rich.text import Text

        return Group(Board(self.state), "", Text(self.sentence()))

    def _repr_html_(self) -> str:
        return html.solve_html(self)

    def __repr__(self) -> str:
        return f"<solution of {self.state.text!r}: {self.sentence()}>"


def solve(state: State, *, time: float = 30.0) -> SolveResult:
    """The exact value of a position on a small board or late in a game; `value` is None when that takes too long.

    >>> from starscout import parse
    >>> solution = solve(parse("ewn-3x3-3", "12./3.a/.cb r -"))
    >>> solution.exact, round(solution.value, 6)
    (True, 0.399177)
    """
    if state.over:
        outcome = float(state.game.outcome(state.position))
        return SolveResult(state, outcome, None, "the game is over", 0, 0.0, 0)
    began = perf_counter()
    found = search_solution(state.game, evaluate.load(state.game, "zero"), state.position, state.roll, time)
    seconds = perf_counter() - began
    best = None if found.best is None else state.game.format_move(state.position, found.best)
    return SolveResult(state, found.value, best, "search", found.nodes, seconds, found.depth)
