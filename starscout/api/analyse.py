"""`starscout.analyse`: search a position with a player."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from html import escape
from json import dumps as json_text
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Unpack

from starscout.api.players import player_object
from starscout.api.progress import interruptible_kernels
from starscout.api.result import Board, Picture, PlottedResult, rich_table
from starscout.drawing import charts
from starscout.drawing.svg import board_html
from starscout.errors import public
from starscout.game import GameError
from starscout.game.state import State
from starscout.game.values import outcome_text, result_text, win_probability
from starscout.players.analysis import Analysis, line_text
from starscout.players.analysis import analyse as analysis_of
from starscout.players.player import Decision, Player
from starscout.players.python_class import PlayerLike
from starscout.search.limits import Limit
from starscout.search.mcts.result import tree_as_graphviz
from starscout.settings.arguments import checked
from starscout.settings.schema import Lines, SearchLimits, Seed, SettingError, Tree, TreeDepth
from starscout.views.html import table as html_table

if TYPE_CHECKING:
    from rich.console import RenderableType

DEFAULT_SECONDS = 1.0
TREE_FILES = (".dot", ".gv", ".json")


@dataclass(frozen=True)
class MoveAnalysis:
    """The value of one move: the mover's expected result in [−1, 1].

    >>> MoveAnalysis("A1B2", 0.25, visits=None).json()
    {'move': 'A1B2', 'value': 0.25, 'visits': None}
    """

    move: str
    value: float | None
    visits: int | None
    interval: tuple[float, float] | None = None
    """95 % confidence interval of the value, for searches that sample."""
    proven: bool = False
    """Whether the value is exact."""
    pruned: int | None = None
    """The simulation at which progressive pruning dropped the move."""

    @property
    def status(self) -> str:
        """Return `proven`, `pruned at 1,200`, or an empty string."""
        if self.proven:
            return "proven"
        return "" if self.pruned is None else f"pruned at {self.pruned:,}"

    def json(self, *, complete: bool = False) -> dict[str, Any]:
        """Return the fields that `--json` prints; `complete` adds those of sampling searches to every move."""
        fields = {"move": self.move, "value": self.value, "visits": self.visits}
        sampled = {"interval": self.interval, "proven": self.proven, "pruned": self.pruned}
        return fields | sampled if complete or self.interval is not None else fields


@dataclass(frozen=True)
class RollAnalysis:
    """The best move after one roll or another chance event.

    >>> RollAnalysis(roll=3, best="A1B2", value=0.25, die="3").best
    'A1B2'
    """

    roll: int | str
    """The number of a plain die, or the event in the game's notation."""
    best: str | None
    """None if the event ends the game."""
    value: float | None
    """The expected result of the side to move before the event."""
    die: str
    """The event as displayed."""
    weight: int | None = None
    """The weight of the event; None for a plain die, whose faces are equally likely."""

    def json(self, *, complete: bool = False) -> dict[str, Any]:
        """Return the fields that `--json` prints; `complete` adds the die."""
        fields = {"roll": self.roll, "best": self.best, "value": self.value}
        fields |= {} if self.weight is None else {"weight": self.weight}
        return fields | {"die": self.die} if complete else fields


@dataclass(frozen=True)
class AnalysisLine:
    """One of the best moves and the line of play that follows it.

    >>> AnalysisLine("f5", 0.25, ("f5", "d6")).pv
    ('f5', 'd6')
    """

    move: str
    value: float | None
    pv: tuple[str, ...]
    """The line, beginning with the move; only the move if a chance event follows."""


@dataclass(frozen=True, repr=False)
class AnalysisResult(PlottedResult):
    """The value of a position for the side to move, every move (before an event: every event) and the expected line.

    >>> analysis = analyse(start("ewn-3x3-3"), "negascout eval=zero", depth=2)
    >>> [part.roll for part in analysis.rolls]
    [1, 2, 3]
    """

    state: State
    player: str
    value: float | None
    """The mover's expected result in [−1, 1]."""
    best: str | None
    """The best move; None before a roll."""
    moves: tuple[MoveAnalysis, ...]
    """Every move; empty before a roll."""
    rolls: tuple[RollAnalysis, ...]
    """Every roll; empty after a roll."""
    pv: tuple[str, ...]
    """Principal variation; rolls are plain numbers."""
    depth: int | None
    nodes: int | None
    seconds: float
    lines: tuple[AnalysisLine, ...] = ()
    """The best lines, the best first; before a roll none."""

    @property
    def win_probability(self) -> float | None:
        """The mover's win probability, (1 + value) / 2; a draw counts half.

        In a game with points it is a scale for the expected points, not a probability: see `points`.
        """
        return None if self.value is None else win_probability(self.value)

    @property
    def points(self) -> float | None:
        """The mover's expected points; equal to the value in a game without a scale of points."""
        return None if self.value is None else self.value * self.state.game.points

    def json(self, *, complete: bool = False) -> dict[str, Any]:
        """Return the fields of `starscout analyse --json`; `complete` adds all fields of moves and rolls."""
        fields: dict[str, Any] = {"value": self.value, "win_probability": self.win_probability}
        fields |= {"points": self.points} if self.state.game.points > 1 else {}
        if self.best is None:
            fields["rolls"] = [part.json(complete=complete) for part in self.rolls]
        else:
            fields |= {"best": self.best, "moves": [part.json(complete=complete) for part in self.moves]}
        if len(self.lines) > 1:
            fields["lines"] = [{**vars(line), "pv": list(line.pv)} for line in self.lines]
        return fields | {"pv": list(self.pv), "depth": self.depth, "nodes": self.nodes, "seconds": self.seconds}

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per move; before a roll, one per roll."""
        return [part.json() for part in (self.moves if self.best is not None else self.rolls)]

    def plot(self) -> Picture:
        """Plot the mover's win probability after each move or roll."""
        if self.best is None:
            parts = [(part.die, part.value) for part in self.rolls]
        else:
            parts = [(part.move, part.value) for part in self.ranked()]
        known = [(name, win_probability(value)) for name, value in parts if value is not None]
        return Picture(charts.probability_bars([name for name, _ in known], [chance for _, chance in known]))

    def ranked(self) -> list[MoveAnalysis]:
        """Return the moves by visits, then by value, in descending order."""
        return sorted(self.moves, key=lambda part: (-(part.visits or 0), -(part.value or 0.0)))

    def __rich__(self) -> "RenderableType":
        from rich.console import Group
        from rich.text import Text

        headings, rows = self.table()
        listed = (rich_table(headings, rows), "") if rows else ()
        return Group(Board(self.state), "", *listed, Text("\n".join(self.summary())))

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return headings and rows as text."""
        points = self.state.game.points
        result = "wins" if points == 1 else "points"
        if self.best is None:
            weighted = any(part.weight is not None for part in self.rolls)
            headings = [*(["event", "weight"] if weighted else ["roll"]), "best", "value", result]
            return headings, [
                [part.die, *([str(part.weight)] if weighted else []), part.best or "", *value_texts(part.value, points)]
                for part in self.rolls
            ]
        visited = any(part.visits is not None for part in self.moves)
        headings = ["move", "value", result, *(["visits", "95 % interval", ""] if visited else [])]
        rows: list[list[str]] = []
        for part in self.ranked():
            interval = "" if part.interval is None else f"{part.interval[0]:+.4f} … {part.interval[1]:+.4f}"
            visits = [f"{part.visits or 0:,}", interval, part.status] if visited else []
            rows.append([part.move, *value_texts(part.value, points), *visits])
        return headings, rows

    def summary(self) -> list[str]:
        """Return the lines below the table: value, principal variation, effort."""
        mover, points = self.state.game.sides[self.state.mover], self.state.game.points
        if self.value is None:
            # Some players report only a move.
            lines = [] if self.best is None else [f"{mover} plays {self.best}"]
        else:
            chosen = "" if self.best is None else f" with {self.best}"
            lines = [f"{mover} {outcome_text(self.value, points)} (value {value_texts(self.value)[0]}){chosen}"]
        if len(self.lines) > 1:
            lines += [f"{value_texts(line.value)[0]}  {line_text(self.state.game, line.pv)}" for line in self.lines]
        elif self.pv:
            lines.append(f"line: {line_text(self.state.game, self.pv)}")
        depth = "" if self.depth is None else f"{self.depth} plies, "
        nodes = "" if self.nodes is None else f"{self.nodes:,} nodes, "
        return [*lines, f"{depth}{nodes}{self.seconds:.2f} s"]

    def _repr_html_(self) -> str:
        headings, rows = self.table()
        values = [part.value for part in (self.rolls if self.best is None else self.ranked())]
        bars = [None if value is None else win_probability(value) for value in values]
        summary = "<br>".join(escape(line) for line in self.summary())
        return (
            f"<div>{board_html(self.state)}{html_table(headings, rows, bars=bars, inline=True)}<p>{summary}</p></div>"
        )

    def __repr__(self) -> str:
        value, result = value_texts(self.value, self.state.game.points)
        chosen = "" if self.best is None else f" with {self.best}"
        unit = "" if self.state.game.points == 1 else " points"
        return f"<analysis of {self.state.text!r}: {result}{unit} (value {value}){chosen}>"


@checked
def analyse(
    state: State,
    player: PlayerLike | Player | None = None,
    *,
    lines: Lines = 1,
    seed: Seed = 0,
    tree: Tree | None = None,
    tree_depth: TreeDepth = 2,
    **limits: Unpack[SearchLimits],
) -> AnalysisResult:
    """Search a position with a player: a SPEC, a class or a player object; default: the game's `strong` preset.

    The limits are `time`, `depth`, `nodes` and `simulations`; without any, the search takes one second. `tree` is a
    file for the Monte-Carlo tree down to `tree_depth` plies, in Graphviz (.dot, .gv) or .json. With `lines=3` the
    result has the three best lines, which share the limits. Raises GameError.

    >>> from starscout import parse
    >>> state = parse("ewn", "..1../...../...a./...../..... r 1")
    >>> analysis = analyse(state, "negascout", depth=3)
    >>> analysis.best, len(analysis.moves)
    ('C1D1', 3)
    """
    limit = Limit(**limits)
    if limit == Limit():
        limit = Limit(time=DEFAULT_SECONDS)
    searcher = player_object(player, state.game)
    try:
        searcher.new_game(state.game, seed)
        began = perf_counter()
        with interruptible_kernels():
            analysis = analysis_of(searcher, state, _shared(limit, state, lines))
            if tree is not None:
                _write_tree(searcher, state, Path(tree), tree_depth)
            return _with_lines(searcher, state, analysis, began, limit, lines)
    finally:
        if searcher is not player:
            searcher.close()


def _shared(limit: Limit, state: State, lines: int) -> Limit:
    """The share of the limit for each line; in games with chance, only the best line needs a search."""
    if lines == 1 or state.game.has_chance:
        return limit
    parts = min(lines, len(state.legal)) or 1
    return replace(
        limit,
        time=None if limit.time is None else limit.time / parts,
        nodes=None if limit.nodes is None else max(limit.nodes // parts, 1),
        simulations=None if limit.simulations is None else max(limit.simulations // parts, 1),
    )


def _with_lines(
    searcher: Player, state: State, analysis: Analysis, began: float, limit: Limit, count: int
) -> AnalysisResult:
    """The result with its best lines; the position after each move but the best is searched separately."""
    result = _result(state, searcher.name, analysis, perf_counter() - began)
    if result.best is None:
        return result
    ranked = [part for part in result.ranked() if part.move != result.best]
    found = [AnalysisLine(result.best, result.value, result.pv or (result.best,))]
    share = _shared(limit, state, count)
    if share.depth is not None:
        share = replace(share, depth=max(share.depth - 1, 1))
    for part in ranked[: count - 1]:
        after, rest = state.play(part.move), ()
        if not state.game.has_chance and not after.over:
            rest = analysis_of(searcher, after, share).decision
            rest = () if rest is None else rest.line or (after.game.format_move(after.position, rest.move),)
        found.append(AnalysisLine(part.move, part.value, (part.move, *rest)))
    return replace(result, lines=tuple(found), seconds=perf_counter() - began)


class AnalysisStream:
    """Results of a running analysis: iterate over it, or use it in a `with` statement, which closes the player.

    >>> with analysis(start("othello-4x4"), "negascout eval=zero", depth=3) as stream:
    ...     depths = [info.depth for info in stream]
    >>> depths
    [1, 2, 3]
    """

    def __init__(self, state: State, player: PlayerLike | Player | None, lines: int, seed: int, limit: Limit) -> None:
        self.latest: AnalysisResult | None = None
        """The last result; None before the first."""
        self._state, self._lines = state, lines
        self._given = player
        self._searcher: Player | None = player_object(player, state.game)
        self._began = perf_counter()
        self._searcher.new_game(state.game, seed)
        self._steps = _steps(limit)

    def __iter__(self) -> "AnalysisStream":
        return self

    @public
    def __next__(self) -> AnalysisResult:
        step = next(self._steps, None)
        if step is None or self._searcher is None:
            self.close()
            raise StopIteration
        with interruptible_kernels():
            found = analysis_of(self._searcher, self._state, _shared(step, self._state, self._lines))
            self.latest = _with_lines(self._searcher, self._state, found, self._began, step, self._lines)
        return self.latest

    def close(self) -> None:
        """End the analysis."""
        searcher, self._searcher = self._searcher, None
        if searcher is not None and searcher is not self._given:
            searcher.close()

    def __enter__(self) -> "AnalysisStream":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_searcher", None) is not None:
            self.close()


@checked
def analysis(
    state: State,
    player: PlayerLike | Player | None = None,
    *,
    lines: Lines = 1,
    seed: Seed = 0,
    **limits: Unpack[SearchLimits],
) -> AnalysisStream:
    """Analyse a position step by step: `for info in starscout.analysis(state, "strong")`.

    Each step searches further than the one before: by one ply up to `depth`, or with twice the time, nodes or
    simulations, up to their limit in total. Without a limit it continues until you leave the loop. Raises GameError.

    >>> state = parse("ewn", "..1../...../...a./...../..... r 1")
    >>> for info in analysis(state, "negascout", depth=2, lines=2):
    ...     print(info.depth, [line.move for line in info.lines])
    1 ['C1C2', 'C1D2']
    2 ['C1D1', 'C1C2']
    """
    if state.over:
        raise GameError(f"the game is over in {state.text!r}: there is nothing to analyse")
    return AnalysisStream(state, player, lines, seed, Limit(**limits))


FIRST_STEP = {"time": 0.05, "nodes": 1_000, "simulations": 100}
"""Limit of the first step of an analysis, if it has a limit of this kind."""


def _steps(limit: Limit) -> Iterator[Limit]:
    """Limits of the steps of an analysis."""
    if limit.depth is not None:
        yield from (replace(limit, depth=depth) for depth in range(1, limit.depth + 1))
        return
    counted = next((name for name in ("simulations", "nodes") if getattr(limit, name) is not None), "time")
    total, used, step = getattr(limit, counted), 0.0, FIRST_STEP[counted]
    while total is None or used < total:
        part = step if total is None else min(step, total - used)
        yield replace(limit, **{counted: part if counted == "time" else int(part)})
        used, step = used + part, 2 * step


def analyse_in_steps(
    state: State, player: str | Player | None, steps: Iterable[float], lines: int = 1
) -> Iterator[AnalysisResult]:
    """Analyse a position once for each time limit in `steps`; the player keeps its search tables between steps.

    The limit of a step is shared by the `lines` best lines.

    >>> from starscout import start
    >>> [step.player for step in analyse_in_steps(start("othello-4x4"), "random", [0.01, 0.02])]
    ['random', 'random']
    """
    searcher = player_object(player, state.game)
    try:
        searcher.new_game(state.game, 0)
        began = perf_counter()
        for seconds in steps:
            limit = Limit(time=seconds)
            found = analysis_of(searcher, state, _shared(limit, state, lines))
            yield _with_lines(searcher, state, found, began, limit, lines)
    finally:
        if searcher is not player:
            searcher.close()


def value_texts(value: float | None, points: int = 1) -> tuple[str, str]:
    """Format a value and its win probability or points."""
    return ("?", "?") if value is None else (f"{round(value, 4) + 0.0:+.4f}", result_text(value, points))


def _result(state: State, name: str, analysis: Analysis, seconds: float) -> AnalysisResult:
    def text(decision: Decision) -> str:
        return state.game.format_move(state.position, decision.move)

    decision = analysis.decision
    plain = state.game.has_plain_die
    rolls = tuple(
        RollAnalysis(
            part.roll if plain else part.state.event_text or str(part.roll),
            None if part.decision is None else part.state.game.format_move(part.state.position, part.decision.move),
            part.value,
            part.state.shown_event or str(part.roll),
            None if plain else part.weight,
        )
        for part in analysis.rolls
    )
    moves = tuple(
        MoveAnalysis(
            state.game.format_move(state.position, part.move),
            part.value, part.visits, part.interval, part.proven, part.pruned,
        )
        for part in (decision.moves if decision else ())
    )  # fmt: skip
    return AnalysisResult(
        state=state,
        player=name,
        value=analysis.value,
        best=text(decision) if decision else None,
        moves=moves,
        rolls=rolls,
        pv=tuple(decision.line) if decision else (),
        depth=analysis.depth,
        nodes=analysis.nodes,
        seconds=seconds,
    )


def _write_tree(player: Player, state: State, file: Path, depth: int) -> None:
    """Write the tree of the last search; raises GameError if there is none."""
    if file.suffix not in TREE_FILES:
        raise SettingError("{}", ("tree",), f": expected a file name ending in {', '.join(TREE_FILES)}, got '{file}'")
    if state.needs_roll:
        raise SettingError("{}: the position needs a roll in place of -", ("tree",))
    tree = player.tree(depth)
    text = json_text(tree, indent=1) + "\n" if file.suffix == ".json" else tree_as_graphviz(tree)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise GameError(f"{file}: cannot be written: {error.strerror}") from error
