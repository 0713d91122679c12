"""`starscout.solve`: the exact value of a position.

`starscout.tables`: endgame tables.
"""

import os
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Literal

from starscout import games
from starscout.api.games import given_game
from starscout.api.progress import Interrupted, interruptible_kernels, progress_bar, redrawn
from starscout.api.result import Board, Picture, PlottedResult, Result
from starscout.drawing import charts
from starscout.drawing.svg import board_html
from starscout.evaluation import exact_table, knowledge_of, load_evaluation
from starscout.evaluation.knowledge import Score
from starscout.game import ONGOING, Game, GameError, WorkError
from starscout.game.state import State
from starscout.game.values import outcome_text, win_probability
from starscout.search.endgame import ScoreSolution, ScoreSolver, TableClass
from starscout.search.endgame import solve as search_solution
from starscout.search.negascout import MAX_DEPTH
from starscout.search.time_control import stop_after
from starscout.search.value_iteration import solve_by_iteration
from starscout.settings.arguments import checked
from starscout.settings.schema import Cubes, Progress, Setting, SettingError, Threads, Time

if TYPE_CHECKING:
    from rich.console import RenderableType


BUILD, CHECK = "build", "check"


@dataclass(frozen=True)
class TablesResult(Result):
    """A verified table: its classes of positions and its file.

    >>> from pathlib import Path
    >>> TablesResult(classes=(), bytes=100, seconds=0.1, file=Path("ewn.table")).json()["bytes"]
    100
    """

    classes: tuple[TableClass, ...]
    """Number of positions and sum of the mover's win probabilities, by the number of pieces of both sides."""
    bytes: int
    seconds: float
    file: Path

    def json(self) -> dict[str, Any]:
        """The fields of `starscout tables --json`."""
        return {"classes": self.rows(), "bytes": self.bytes, "seconds": self.seconds}

    def rows(self) -> list[dict[str, Any]]:
        """One row per class."""
        return [dict(vars(part)) for part in self.classes]

    def __rich__(self) -> "RenderableType":
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        shown = Table(box=None, header_style="bold")
        for heading in ("mover's pieces", "enemy's", "positions", "sum of chances", "mean chance"):
            shown.add_column(heading, justify="right")
        for part in self.classes:
            mean = part.sum / part.positions
            shown.add_row(str(part.own), str(part.enemy), f"{part.positions:,}", f"{part.sum:,.2f}", f"{mean:.4f}")
        file = Text(f"\n{self.file}: {self.bytes / 1e6:,.1f} MB, {self.seconds:.1f} s", overflow="ignore", no_wrap=True)
        return Group(shown, file)


@checked
def tables(
    action: Literal["build", "check"],
    game: str | Game,
    *,
    cubes: Cubes | None = None,
    threads: Threads | None = None,
    progress: Progress = True,
) -> TablesResult:
    """Build or check the table of late positions, which players and `solve` then use.

    `cubes` is the maximum number of pieces on the board (default 4, or all if fewer). `threads` defaults to one per
    core. Raises GameError for a game without tables, and WorkError for a missing or damaged table.

    >>> try:
    ...     tables("build", "othello")
    ... except GameError as error:
    ...     print(error)
    there are no tables for othello: only for backgammon, dark-chess, ewn and their variants
    """
    given: Any = action
    if not isinstance(given, str) or given not in (BUILD, CHECK):
        raise GameError(f"action: expected 'build' or 'check', got {action!r}")
    rules = given_game(game)
    files = knowledge_of(rules).table_files
    if files is None:
        known = ", ".join(name for name in games.NAMES if knowledge_of(games.load(name)).table_files)
        raise GameError(f"there are no tables for {rules.name}: only for {known} and their variants")
    most = files.default_size(rules) if cubes is None else cubes
    files.check_size(rules, most)
    began = perf_counter()
    if action == BUILD:
        with interruptible_kernels(), progress_bar("building", shown=progress) as show:
            for finished in files.build(rules, most, threads or os.cpu_count() or 1):
                show(finished)
    table, path = files.open(rules, most), files.path(rules, most)
    remedy = f"starscout tables build {rules.name} --{files.size_option} {most}"
    if table is None:
        what = "is damaged" if path.exists() else "does not exist"
        raise WorkError(f"the table {path} {what}: {remedy}")
    wrong = table.first_wrong_value()
    if wrong is not None:
        raise WorkError(f"the table {path} has a wrong value for {wrong!r}: {remedy}")
    return TablesResult(tuple(table.classes()), path.stat().st_size, perf_counter() - began, path)


SEARCH, TABLE, ITERATION, OVER = "search", "table", "value iteration", "the game is over"

TOLERANCE = 1e-6
"""Maximum error of value iteration at which a position counts as solved."""
MOST_ITERATED = 2_000_000
"""Maximum number of positions for which `solve` tries value iteration before a search."""


@dataclass(frozen=True, repr=False)
class SolveResult(PlottedResult):
    """The exact value of a position, or how far the search got.

    >>> solution = solve(parse("othello-4x4", "XXXXXXXXXXXXXXXX O"))
    >>> solution.exact, solution.win_probability
    (True, 0.0)
    """

    state: State
    value: float | None
    """The mover's expected result in [−1, 1], exact within `error`; None if it was not found."""
    best: str | None
    """A best move after the roll; None before the roll and in a finished game."""
    method: str
    """How it was solved: the unit of the score (by a solver), search, table or value iteration; else why it was not."""
    nodes: int
    seconds: float = 0.0
    allowed: float = 0.0
    """The time limit in seconds."""
    depth: int = 0
    """The depth of the search in plies."""
    score: int | None = None
    """The mover's final score, in games that have one; None if it was not found."""
    pv: tuple[str, ...] = ()
    """A best line to the end, in games with a score."""
    bounds: tuple[int, int] | None = None
    """The proven bounds of the score, if the value was not found."""
    error: float = 0.0
    """An upper bound of |value − exact value|: more than 0 for a rounded table and for value iteration."""

    @property
    def unit(self) -> str | None:
        """The unit of the score; None in games without one."""
        score = knowledge_of(self.state.game).score
        return None if score is None else score.unit

    @property
    def exact(self) -> bool:
        """Whether the exact value was found."""
        return self.value is not None and self.error == 0

    @property
    def solved(self) -> bool:
        """Whether the value is exact, or known to within 10⁻⁶ by value iteration."""
        return self.exact or (self.value is not None and self.method == ITERATION and self.error <= TOLERANCE)

    @property
    def win_probability(self) -> float | None:
        """The mover's win probability, (1 + value) / 2, a draw counted as half.

        In a game with points it is a scale for the expected points, not a probability: see `points`.
        """
        return None if self.value is None else win_probability(self.value)

    @property
    def points(self) -> float | None:
        """The mover's expected points; equal to the value in a game without a scale of points."""
        return None if self.value is None else self.value * self.state.game.points

    def json(self) -> dict[str, Any]:
        """The fields of `starscout solve --json`."""
        names = ["value", "win_probability", "best", "exact", "method", "nodes", "seconds"]
        fields = {name: getattr(self, name) for name in names}
        fields |= {"points": self.points} if self.state.game.points > 1 else {}
        if self.unit is not None:
            fields |= {self.unit: self.score, "pv": self.pv}
        fields |= {} if self.error == 0 else {"error": self.error}
        return fields if self.bounds is None else {**fields, "bounds": self.bounds}

    def rows(self) -> list[dict[str, Any]]:
        """One row with the position and the fields."""
        return [{"position": self.state.text, **self.json()}]

    def plot(self) -> Picture:
        """Bar chart of the win probabilities of both sides."""
        chance = 0.5 if self.win_probability is None else self.win_probability
        mover = self.state.mover
        sides = self.state.game.sides[mover], self.state.game.sides[1 - mover]
        return Picture(charts.probability_bars(sides, (chance, 1.0 - chance)))

    def sentence(self) -> str:
        """The answer in one sentence."""
        mover = self.state.game.sides[self.state.mover]
        chosen = f" with {self.best}" if self.best is not None else ""
        if self.value is None and self.bounds is not None:
            return (
                f"not solved: after {self.allowed:g} s and {self.nodes:,} nodes only this is proven: {self.proven()} "
                "(try a later position, more --time, --threads 2 or --wld)"
            )
        if self.value is None:
            return (
                f"not solved: after {self.allowed:g} s and {self.nodes:,} nodes the search is {self.depth} plies deep "
                "and the game is still not over (try a smaller board, a later position or more --time)"
            )
        if self.method == self.unit or not self.state.game.has_chance:
            result = f"{mover} wins" if self.value > 0 else f"{mover} loses" if self.value < 0 else "a draw"
            how = "" if self.method == self.unit else f", by {self.method}"
            return f"{result}{'' if self.score is None else f' by {self.score:+d} {self.unit}'}{chosen}, exactly{how}"
        points = self.state.game.points
        if self.method == ITERATION:
            error = f"error at most {self.error:.0e}"
            result = outcome_text(self.value, points, 4)
            return f"{mover} {result} (value {self.value:+.8f}, {error}){chosen}, by {self.method}"
        if self.error:
            return (
                f"not solved exactly: {mover} {outcome_text(self.value, points, 2)} (value {self.value:+.4f}, "
                f"error at most {self.error:.4f}){chosen}, by a table with rounded values (more --time may give the "
                "exact value)"
            )
        result = outcome_text(self.value, points, 6)
        return f"{mover} {result} (value {self.value:+.10f}){chosen}, exactly, by {self.method}"

    def proven(self) -> str:
        """The proven bounds of the score as text."""
        mover = self.state.game.sides[self.state.mover]
        low, high = self.bounds or (0, 0)
        best = "" if self.best is None else f", best so far {self.best}"
        return f"{mover} ends between {low:+d} and {high:+d} {self.unit}{best}"

    def __rich__(self) -> "RenderableType":
        from rich.console import Group
        from rich.text import Text

        lines = [self.sentence()]
        if self.method == self.unit and self.exact:
            lines += [f"line: {' '.join(self.pv)}"] if self.pv else []
            lines.append(f"{self.nodes:,} nodes, {self.seconds:.2f} s")
        return Group(Board(self.state), "", Text("\n".join(lines)))

    def _repr_html_(self) -> str:
        return f"<div>{board_html(self.state)}<p>{escape(self.sentence())}</p></div>"

    def __repr__(self) -> str:
        return f"<solution of {self.state.text!r}: {self.sentence()}>"


@checked
def solve(
    state: State,
    *,
    wld: bool = False,
    time: Annotated[Time, Setting(low=0.0)] = 30.0,
    threads: Threads = 1,
    progress: Progress = True,
) -> SolveResult:
    """The exact value of a position on a small board or late in a game; `value` is None if the time was too short.

    If the time is too short and a table covers the position, `value` is the rounded value of the table, `exact` is
    False and `error` bounds the difference.

    Games with a score are solved for the score: `wld` proves only win, loss or draw, which is faster, and `threads`
    share the work. Ctrl-C raises `Interrupted` with what is proven. Raises GameError.

    >>> from starscout import parse
    >>> solution = solve(parse("ewn-3x3-3", "12./3.a/.cb r -"))
    >>> solution.exact, round(solution.value, 6)
    (True, 0.399177)
    """
    game, score = state.game, knowledge_of(state.game).score
    if wld and score is None:
        raise SettingError("{}", ("wld",), f": {game.name} has no score, its value already gives the winner")
    if state.over:
        final = None if score is None else score.final(game, state.position)
        result = game.outcome(state.position)
        value = 0.0 if result == ONGOING else result / game.points  # a draw by repetition
        return SolveResult(state, value, None, OVER, 0, score=final)
    if score is None:
        began = perf_counter()
        return replace(_by_search(state, time), seconds=perf_counter() - began)
    solver = score.solver(game, threads)
    # Compilation does not count against the time limit.
    solver.compile()
    began = perf_counter()
    found = _by_solver(solver, score, state, wld, time, progress)
    return replace(found, seconds=perf_counter() - began)


def _by_search(state: State, seconds: float) -> SolveResult:
    game = state.game
    with interruptible_kernels():
        known = _by_table(state, seconds)
        if known is not None and known.exact:
            return known
        iterated = _by_iteration(state, seconds / 2)
        if iterated is not None:
            return iterated
        answer = search_solution(game, load_evaluation(game, "zero"), state.position, state.roll, seconds)
    if known is not None and not answer.exact:
        return replace(known, nodes=answer.nodes, allowed=seconds)
    best = None if answer.best is None else game.format_move(state.position, answer.best)
    return SolveResult(state, answer.value, best, SEARCH, answer.nodes, allowed=seconds, depth=answer.depth)


def _by_iteration(state: State, seconds: float) -> SolveResult | None:
    """The value in a game whose end no search reaches; None if it has too many positions or takes too long."""
    game = state.game
    if game.max_depth <= MAX_DEPTH or game.repetition:
        return None
    try:
        solved = solve_by_iteration(game, state.position, most=MOST_ITERATED, seconds=seconds)
    except GameError:
        return None
    if state.needs_roll:
        value = solved.value(state.position)
        return SolveResult(state, value, None, ITERATION, solved.positions, allowed=seconds, error=solved.error)
    values = solved.move_values(state.position, state.roll)
    best = max(values, key=values.__getitem__)
    text = game.format_move(state.position, best)
    return SolveResult(state, values[best], text, ITERATION, solved.positions, allowed=seconds, error=solved.error)


def _by_table(state: State, seconds: float) -> SolveResult | None:
    """The value from the game's endgame table, exact if it takes at most `seconds`; None if there is none."""
    rounded = exact_table(state.game)
    if rounded is None or not rounded.covers(state.position):
        return None
    table = rounded.refined(state.position, seconds) or rounded
    error = table.error(state.position)
    if state.needs_roll:
        return SolveResult(state, table.value(state.position), None, TABLE, 0, error=error)
    values = table.move_values(state.position, state.roll)
    best = table.best_move(state.position, state.roll)
    return SolveResult(state, values[best], state.game.format_move(state.position, best), TABLE, 0, error=error)


def _by_solver(
    solver: ScoreSolver, score: Score, state: State, wld: bool, seconds: float, progress: bool
) -> SolveResult:
    solver.begin()
    found: ScoreSolution | None = None
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
        raise Interrupted(_score_result(state, score, found, [], solver.nodes, seconds, wld)) from stop
    assert found is not None
    return _score_result(state, score, found, line, solver.nodes, seconds, wld)


def _score_result(
    state: State, score: Score, found: ScoreSolution, line: list[int], nodes: int, allowed: float, wld: bool
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
        score.unit,
        nodes,
        allowed=allowed,
        score=found.lower if found.exact else None,
        pv=tuple(names),
        bounds=None if solved else (found.lower, found.upper),
    )
