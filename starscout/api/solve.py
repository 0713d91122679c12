"""`starscout.solve`: the exact value of a position, or a clear no."""

import sys
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from starscout import evaluate
from starscout.api import html
from starscout.api.progress import redrawn
from starscout.api.result import Board, Picture, Result
from starscout.drawing import charts
from starscout.endgame.othello import DiscSolution, OthelloSolver, disc_difference
from starscout.game import GameError
from starscout.search.solve import solve as search_solution
from starscout.search.stop import stop_after
from starscout.state import State

if TYPE_CHECKING:
    from rich.console import RenderableType


OTHELLO = "othello"
"""The family of games that are solved in discs."""

DISCS = "discs"


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
    depth: int = 0
    """How many plies deep a search came that did not find the value."""
    discs: int | None = None
    """Othello: the mover's discs less the other's, empty squares to the winner."""
    pv: tuple[str, ...] = ()
    """Othello: a line of best moves to the end."""
    bounds: tuple[int, int] | None = None
    """Othello: between which differences of discs the result is, where the value was not found."""

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
        answer = {name: getattr(self, name) for name in names}
        if self.state.game.family == OTHELLO:
            answer |= {"discs": self.discs, "pv": list(self.pv)}
        if self.bounds is not None:
            answer["bounds"] = list(self.bounds)
        return answer

    def rows(self) -> list[dict[str, Any]]:
        """One row with the position and the fields."""
        return [{"position": self.state.text, **self.json()}]

    def plot(self) -> Picture:
        """The chances of both sides."""
        chance = 0.5 if self.win_probability is None else self.win_probability
        mover = self.state.mover
        sides = self.state.game.sides[mover], self.state.game.sides[1 - mover]
        return Picture(charts.chance_bars(sides, (chance, 1.0 - chance)))

    def sentence(self) -> str:
        """The answer in one sentence."""
        mover = self.state.game.sides[self.state.mover]
        spent = f"after {self.seconds:.3g} s and {self.nodes:,} nodes"
        if self.bounds is not None:
            best = "" if self.best is None else f", best so far {self.best}"
            return (
                f"no: {spent} only this is proven: {_bounds_text(self.state, *self.bounds)}{best} "
                "(a later position, more --time, --threads 2 or --wld may do)"
            )
        if self.value is None:
            return (
                f"no: {spent} the search is {self.depth} plies deep and the game still not over "
                "(a smaller board, a later position or more --time may do)"
            )
        chosen = f" with {self.best}" if self.best is not None else ""
        if self.method == DISCS:
            result = {1: f"{mover} wins", 0: "a draw", -1: f"{mover} loses"}[int(self.value)]
            discs = "" if self.discs is None else f" by {self.discs:+d} discs"
            return f"{result}{discs}{chosen}, exactly"
        wins = (self.value + 1.0) / 2.0
        return f"{mover} wins {wins:.6%} (value {self.value:+.12f}){chosen}, exactly, by {self.method}"

    def __rich__(self) -> "RenderableType":
        from rich.console import Group
        from rich.text import Text

        lines = [self.sentence()]
        if self.pv:
            lines.append(f"line: {' '.join(self.pv)}")
        if self.method == DISCS:
            lines.append(f"{self.nodes:,} nodes, {self.seconds:.2f} s")
        return Group(Board(self.state), "", *map(Text, lines))

    def _repr_html_(self) -> str:
        return html.solve_html(self)

    def __repr__(self) -> str:
        return f"<solution of {self.state.text!r}: {self.sentence()}>"


def solve(state: State, *, time: float = 30.0, wld: bool = False, threads: int = 1) -> SolveResult:
    """The exact value of a position on a small board or late in a game; `value` is None when that takes too long.

    Othello is solved in discs; with `wld` only who wins, which is quicker.

    >>> from starscout import parse
    >>> solution = solve(parse("ewn-3x3-3", "12./3.a/.cb r -"))
    >>> solution.exact, round(solution.value, 6)
    (True, 0.399177)
    """
    game = state.game
    othello = game.family == OTHELLO
    if wld and not othello:
        raise GameError(f"--wld is for Othello: the value of {game.name} already says who wins")
    if state.over:
        discs = disc_difference(game, state.position) if othello else None
        return SolveResult(state, float(game.outcome(state.position)), None, "the game is over", 0, 0.0, discs=discs)
    if othello:
        return _by_discs(state, time, threads, wld=wld)
    began = perf_counter()
    found = search_solution(game, evaluate.load(game, "zero"), state.position, state.roll, time)
    best = None if found.best is None else game.format_move(state.position, found.best)
    return SolveResult(state, found.value, best, "search", found.nodes, perf_counter() - began, found.depth)


def _by_discs(state: State, seconds: float, threads: int, *, wld: bool) -> SolveResult:
    game, position = state.game, state.position
    solver = OthelloSolver(game, threads=threads)
    solver.compile()
    solver.begin()
    began = perf_counter()
    found: DiscSolution | None = None
    pv: list[int] = []

    finished = 0.0

    def draw() -> str:
        return f"solving: {finished:.0%}, {solver.nodes:,} nodes"

    try:
        with redrawn(draw) as redraw, stop_after(seconds, *solver.flags):
            for found in solver.solve(position, wld=wld):
                finished = found.finished
                redraw()
            if found is not None and found.exact:
                pv = [*solver.line(position, found.lower)]
    except KeyboardInterrupt:
        if found is not None:
            print(f"{_bounds_text(state, found.lower, found.upper)} when it was interrupted", file=sys.stderr)
        raise
    assert found is not None
    solved = found.exact or (wld and found.outcome is not None)
    return SolveResult(
        state,
        value=float(found.outcome or 0) if solved else None,
        best=None if found.best is None else game.format_move(position, found.best),
        method=DISCS,
        nodes=solver.nodes,
        seconds=perf_counter() - began,
        discs=found.lower if found.exact else None,
        pv=_texts(state, pv),
        bounds=None if solved else (found.lower, found.upper),
    )


def _bounds_text(state: State, lower: int, upper: int) -> str:
    return f"{state.game.sides[state.mover]} ends between {lower:+d} and {upper:+d} discs"


def _texts(state: State, moves: list[int]) -> tuple[str, ...]:
    position = state.position
    texts: list[str] = []
    for move in moves:
        texts.append(state.game.format_move(position, move))
        position = state.game.play_position(position, move)
    return tuple(texts)
