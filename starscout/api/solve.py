"""`starscout.solve`: the exact value of a position, or a clear no."""

from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from starscout.api import html
from starscout.api.ctrl_c import interruptible_kernels
from starscout.api.progress import redrawn
from starscout.api.result import Board, Picture, PlottedResult
from starscout.api.running import Interrupted
from starscout.drawing import charts
from starscout.evaluation import load_evaluation
from starscout.game import GameError
from starscout.game.state import State
from starscout.game.values import win_probability
from starscout.games.ewn.endgame_table import best_table_move, find_table, table_moves
from starscout.games.othello.disc_counts import disc_difference
from starscout.games.othello.solver import DiscSolution, OthelloSolver
from starscout.search.solve import solve as search_solution
from starscout.search.time_control import stop_after
from starscout.settings.arguments import LONG, checked

if TYPE_CHECKING:
    from rich.console import RenderableType

SEARCH, DISCS, OVER = "search", "discs", "the game is over"
OTHELLO = "othello"
"""The family of games that is solved in discs."""

TABLE = "table"
TABLE_SECONDS = 1.0
"""How long a search may take before the answer is that of a table."""


@dataclass(frozen=True, repr=False)
class SolveResult(PlottedResult):
    """The exact value, if it was found; else how far the search got.

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
    seconds: float = 0.0
    allowed: float = 0.0
    """The seconds after which the answer is no."""
    depth: int = 0
    """How many plies deep a search got."""
    discs: int | None = None
    """Othello: the mover's discs − the other's at the end, empty squares to the winner."""
    pv: tuple[str, ...] = ()
    """Othello: a best line to the end."""
    bounds: tuple[int, int] | None = None
    """Othello: the least and the most discs, where nothing more is proven."""

    @property
    def exact(self) -> bool:
        """Whether the value was found."""
        return self.value is not None

    @property
    def win_probability(self) -> float | None:
        """The mover's chance to win, a draw counted as half."""
        return None if self.value is None else win_probability(self.value)

    def json(self) -> dict[str, Any]:
        """The fields of `starscout solve --json`."""
        names = ["value", "win_probability", "best", "exact", "method", "nodes", "seconds"]
        if self.state.game.family == OTHELLO:
            names += ["discs", "pv"]
        if self.bounds is not None:
            names.append("bounds")
        return {name: getattr(self, name) for name in names}

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
        chosen = f" with {self.best}" if self.best is not None else ""
        if self.value is None and self.bounds is not None:
            return (
                f"no: after {self.allowed:g} s and {self.nodes:,} nodes only this is proven: {self.proven()} "
                "(a later position, more --time, --threads 2 or --wld may do)"
            )
        if self.value is None:
            return (
                f"no: after {self.allowed:g} s and {self.nodes:,} nodes the search is {self.depth} plies deep and "
                "the game still not over (a smaller board, a later position or more --time may do)"
            )
        if self.method == DISCS or not self.state.game.has_dice:
            result = {1: f"{mover} wins", 0: "a draw", -1: f"{mover} loses"}[int(self.value)]
            how = "" if self.method == DISCS else f", by {self.method}"
            return f"{result}{'' if self.discs is None else f' by {self.discs:+d} discs'}{chosen}, exactly{how}"
        wins = win_probability(self.value)
        if self.method == TABLE:
            return f"{mover} wins {wins:.2%} (value {self.value:+.4f}){chosen}, by an exact table"
        return f"{mover} wins {wins:.6%} (value {self.value:+.12f}){chosen}, exactly, by {self.method}"

    def proven(self) -> str:
        """What is known about the discs where the value is not."""
        mover = self.state.game.sides[self.state.mover]
        low, high = self.bounds or (0, 0)
        best = "" if self.best is None else f", best so far {self.best}"
        return f"{mover} ends between {low:+d} and {high:+d} discs{best}"

    def __rich__(self) -> "RenderableType":
        from rich.console import Group
        from rich.text import Text

        lines = [self.sentence()]
        if self.method == DISCS and self.exact:
            lines += [f"line: {' '.join(self.pv)}"] if self.pv else []
            lines.append(f"{self.nodes:,} nodes, {self.seconds:.2f} s")
        return Group(Board(self.state), "", Text("\n".join(lines)))

    def _repr_html_(self) -> str:
        return html.solve_html(self)

    def __repr__(self) -> str:
        return f"<solution of {self.state.text!r}: {self.sentence()}>"


@checked(time=(0.0, LONG))
def solve(
    state: State, *, wld: bool = False, time: float = 30.0, threads: int = 1, progress: bool = True
) -> SolveResult:
    """The exact value of a position on a small board or late in a game; `value` is None when that takes too long.

    Othello is solved in discs: `wld` asks only who wins, which is quicker, and `threads` share the work. Ctrl-C raises
    `Interrupted`, with what is proven. Raises GameError.

    >>> from starscout import parse
    >>> solution = solve(parse("ewn-3x3-3", "12./3.a/.cb r -"))
    >>> solution.exact, round(solution.value, 6)
    (True, 0.399177)
    """
    game = state.game
    if wld and game.family != OTHELLO:
        raise GameError(f"--wld is for Othello: the value of {game.name} already says who wins")
    if state.over:
        discs = disc_difference(game, state.position) if game.family == OTHELLO else None
        return SolveResult(state, float(game.outcome(state.position)), None, OVER, 0, discs=discs)
    if game.family == OTHELLO:
        solver = OthelloSolver(game, threads=threads)
        # What is compiled at the first use is not part of the time.
        solver.compile()
    else:
        solver = None
    began = perf_counter()
    found = _by_search(state, time) if solver is None else _by_discs(solver, state, wld, time, progress)
    return replace(found, seconds=perf_counter() - began)


def _by_search(state: State, seconds: float) -> SolveResult:
    game, known = state.game, _by_table(state)
    # A search may find the value to the last digit where a table has four of them.
    allowed = seconds if known is None else min(seconds, TABLE_SECONDS)
    with interruptible_kernels():
        answer = search_solution(game, load_evaluation(game, "zero"), state.position, state.roll, allowed)
    if known is not None and not answer.exact:
        return replace(known, nodes=answer.nodes)
    best = None if answer.best is None else game.format_move(state.position, answer.best)
    return SolveResult(state, answer.value, best, SEARCH, answer.nodes, allowed=seconds, depth=answer.depth)


def _by_table(state: State) -> SolveResult | None:
    """The answer of a table that has the position; None if there is none."""
    table = find_table(state.game)
    if table is None or not table.covers(state.position):
        return None
    if state.needs_roll:
        return SolveResult(state, table.value(state.position), None, TABLE, 0)
    values = table_moves(table, state.position, state.roll)
    best = best_table_move(table, state.position, state.roll)
    return SolveResult(state, values[best], state.game.format_move(state.position, best), TABLE, 0)


def _by_discs(solver: OthelloSolver, state: State, wld: bool, seconds: float, progress: bool) -> SolveResult:
    solver.begin()
    found: DiscSolution | None = None
    part = 0.0
    line: list[int] = []
    try:
        with (
            interruptible_kernels(),
            redrawn(lambda: f"solving: {part:.0%}", shown=progress) as redraw,
            stop_after(seconds, *solver.flags),
        ):
            for found in solver.solve(state.position, wld=wld):
                part = found.finished
                redraw()
            if found is not None and found.exact:
                line = [*solver.line(state.position, found.lower)]
    except KeyboardInterrupt as stop:
        if found is None:
            raise
        raise Interrupted(_disc_result(state, found, [], solver.nodes, seconds, wld)) from stop
    assert found is not None
    return _disc_result(state, found, line, solver.nodes, seconds, wld)


def _disc_result(
    state: State, found: DiscSolution, line: list[int], nodes: int, allowed: float, wld: bool
) -> SolveResult:
    solved = found.exact or (wld and found.outcome is not None)
    names: list[str] = []
    position = state.position
    for move in line:
        names.append(state.game.format_move(position, move))
        position = state.game.play_position(position, move)
    return SolveResult(
        state,
        float(found.outcome or 0) if solved else None,
        None if found.best is None else state.game.format_move(state.position, found.best),
        DISCS,
        nodes,
        allowed=allowed,
        discs=found.lower if found.exact else None,
        pv=tuple(names),
        bounds=None if solved else (found.lower, found.upper),
    )
