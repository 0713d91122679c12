"""`starscout.analyse`: what a player thinks of a position."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from json import dumps as json_text
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from starscout.api import html
from starscout.api.ctrl_c import interruptible_kernels
from starscout.api.players import thinker
from starscout.api.result import Board, Picture, PlottedResult
from starscout.drawing import charts
from starscout.game import GameError
from starscout.game.state import State
from starscout.game.values import win_probability
from starscout.players.analysis import Analysis, line_text
from starscout.players.analysis import analyse as analysis_of
from starscout.players.player import Decision, Player
from starscout.search.limits import Limit
from starscout.search.mcts.export import tree_as_graphviz
from starscout.settings.arguments import LONG, checked

if TYPE_CHECKING:
    from rich.console import RenderableType

DEFAULT_SECONDS = 1.0
TREE_FILES = (".dot", ".gv", ".json")


@dataclass(frozen=True)
class MoveAnalysis:
    """What the player thinks of one move; the value is the mover's expected result in [−1, 1].

    >>> MoveAnalysis("A1B2", 0.25, visits=None).json()
    {'move': 'A1B2', 'value': 0.25, 'visits': None}
    """

    move: str
    value: float | None
    visits: int | None
    interval: tuple[float, float] | None = None
    """The 95 % confidence interval of the value, for searches that sample."""
    proven: bool = False
    """Whether the value is exact."""
    pruned: int | None = None
    """The simulation at which progressive pruning dropped the move."""

    @property
    def fate(self) -> str:
        """`proven`, `pruned at 1,200`, or nothing."""
        if self.proven:
            return "proven"
        return "" if self.pruned is None else f"pruned at {self.pruned:,}"

    def json(self, *, complete: bool = False) -> dict[str, Any]:
        """The fields that `--json` prints; `complete` adds those of sampling searches to every move."""
        fields = {"move": self.move, "value": self.value, "visits": self.visits}
        sampled = {"interval": self.interval, "proven": self.proven, "pruned": self.pruned}
        return fields | sampled if complete or self.interval is not None else fields


@dataclass(frozen=True)
class RollAnalysis:
    """The answer to one roll.

    >>> RollAnalysis(roll=3, best="A1B2", value=0.25, die="3").best
    'A1B2'
    """

    roll: int
    best: str
    value: float | None
    die: str
    """The roll as a person reads it."""

    def json(self, *, complete: bool = False) -> dict[str, Any]:
        """The fields that `--json` prints; `complete` adds the die."""
        fields = {"roll": self.roll, "best": self.best, "value": self.value}
        return fields | {"die": self.die} if complete else fields


@dataclass(frozen=True, repr=False)
class AnalysisResult(PlottedResult):
    """The value of a position for the side to move, every move (before a roll: every roll), and the expected line.

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
    """Every roll; empty after one."""
    pv: tuple[str, ...]
    """The line that the player expects; rolls are plain numbers."""
    depth: int | None
    nodes: int | None
    seconds: float

    @property
    def win_probability(self) -> float | None:
        """The mover's chance to win, a draw counted as half."""
        return None if self.value is None else win_probability(self.value)

    def json(self, *, complete: bool = False) -> dict[str, Any]:
        """The fields of `starscout analyse --json`; `complete` adds all fields of moves and rolls."""
        fields: dict[str, Any] = {"value": self.value, "win_probability": self.win_probability}
        if self.best is None:
            fields["rolls"] = [part.json(complete=complete) for part in self.rolls]
        else:
            fields |= {"best": self.best, "moves": [part.json(complete=complete) for part in self.moves]}
        return fields | {"pv": list(self.pv), "depth": self.depth, "nodes": self.nodes, "seconds": self.seconds}

    def rows(self) -> list[dict[str, Any]]:
        """One row per move; before a roll one per roll."""
        return [part.json() for part in (self.moves if self.best is not None else self.rolls)]

    def plot(self) -> Picture:
        """The mover's winning chance after each move, or after each roll."""
        if self.best is None:
            parts = [(part.die, part.value) for part in self.rolls]
        else:
            parts = [(part.move, part.value) for part in self.ranked()]
        known = [(name, win_probability(value)) for name, value in parts if value is not None]
        return Picture(charts.chance_bars([name for name, _ in known], [chance for _, chance in known]))

    def ranked(self) -> list[MoveAnalysis]:
        """The moves from the most visited, or the best, to the least."""
        return sorted(self.moves, key=lambda part: (-(part.visits or 0), -(part.value or 0.0)))

    def __rich__(self) -> "RenderableType":
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, header_style="bold")
        headings, rows = self.table()
        for heading in headings:
            table.add_column(heading, justify="right")
        for row in rows:
            table.add_row(*row)
        listed = (table, "") if rows else ()
        return Group(Board(self.state), "", *listed, Text("\n".join(self.sentences())))

    def table(self) -> tuple[list[str], list[list[str]]]:
        """The headings and the rows for people."""
        if self.best is None:
            headings = ["roll", "best", "value", "wins"]
            return headings, [[part.die, part.best, *value_texts(part.value)] for part in self.rolls]
        visited = any(part.visits is not None for part in self.moves)
        headings = ["move", "value", "wins", *(["visits", "95 % interval", ""] if visited else [])]
        rows: list[list[str]] = []
        for part in self.ranked():
            interval = "" if part.interval is None else f"{part.interval[0]:+.4f} … {part.interval[1]:+.4f}"
            visits = [f"{part.visits or 0:,}", interval, part.fate] if visited else []
            rows.append([part.move, *value_texts(part.value), *visits])
        return headings, rows

    def sentences(self) -> list[str]:
        """What stands below the table: the value, the line, the work."""
        value, wins = value_texts(self.value)
        mover = self.state.game.sides[self.state.mover]
        chosen = "" if self.best is None else f" with {self.best}"
        said = [f"{mover} wins {wins} (value {value}){chosen}"]
        if self.value is None:
            # Some players report only a move.
            said = [] if self.best is None else [f"{mover} plays {self.best}"]
        if self.pv:
            said.append(f"line: {line_text(self.state.game, self.pv)}")
        depth = "" if self.depth is None else f"{self.depth} plies, "
        nodes = "" if self.nodes is None else f"{self.nodes:,} nodes, "
        return [*said, f"{depth}{nodes}{self.seconds:.2f} s"]

    def _repr_html_(self) -> str:
        return html.analysis_html(self)

    def __repr__(self) -> str:
        value, wins = value_texts(self.value)
        chosen = "" if self.best is None else f" with {self.best}"
        return f"<analysis of {self.state.text!r}: {wins} (value {value}){chosen}>"


@checked(time=(0.0, LONG))
def analyse(
    state: State,
    player: str | type[Any] | Player | None = None,
    *,
    time: float | None = None,
    depth: int | None = None,
    nodes: int | None = None,
    simulations: int | None = None,
    seed: int = 0,
    tree: str | os.PathLike[str] | None = None,
    tree_depth: int = 2,
) -> AnalysisResult:
    """Let a player think about a position: a SPEC, a class or a player; by default the game's strong one.

    Without a limit it thinks for one second. `tree` names a file for a Monte-Carlo tree, Graphviz (.dot, .gv) or .json,
    of `tree_depth` plies. Raises GameError.

    >>> from starscout import parse
    >>> state = parse("ewn", "..1../...../...a./...../..... r 1")
    >>> analysis = analyse(state, "negascout", depth=3)
    >>> analysis.best, len(analysis.moves)
    ('C1D1', 3)
    """
    unlimited = depth is None and nodes is None and simulations is None
    seconds = DEFAULT_SECONDS if unlimited and time is None else time
    limit = Limit(time=seconds, depth=depth, nodes=nodes, simulations=simulations)
    thinking = thinker(player, state.game)
    try:
        thinking.new_game(state.game, seed)
        began = perf_counter()
        with interruptible_kernels():
            analysis = analysis_of(thinking, state, limit)
        taken = perf_counter() - began
        if tree is not None:
            _write_tree(thinking, state, Path(tree), tree_depth)
    finally:
        if thinking is not player:
            thinking.close()
    return _result(state, thinking.name, analysis, taken)


def analyse_in_steps(state: State, player: str | Player | None, steps: Iterable[float]) -> Iterator[AnalysisResult]:
    """Analyse a position once for each time limit in `steps`; the player keeps its search tables between steps.

    >>> from starscout import start
    >>> [step.player for step in analyse_in_steps(start("othello-4x4"), "random", [0.01, 0.02])]
    ['random', 'random']
    """
    thinking = thinker(player, state.game)
    try:
        thinking.new_game(state.game, 0)
        began = perf_counter()
        for seconds in steps:
            analysis = analysis_of(thinking, state, Limit(time=seconds))
            yield _result(state, thinking.name, analysis, perf_counter() - began)
    finally:
        if thinking is not player:
            thinking.close()


def value_texts(value: float | None) -> tuple[str, str]:
    """A value and the winning chance that it means, for people."""
    return ("?", "?") if value is None else (f"{value:+.4f}", f"{win_probability(value):.1%}")


def _result(state: State, name: str, analysis: Analysis, seconds: float) -> AnalysisResult:
    def text(decision: Decision) -> str:
        return state.game.format_move(state.position, decision.move)

    decision = analysis.decision
    rolls = tuple(
        RollAnalysis(
            part.roll,
            text(part.decision),
            part.decision.value,
            state.game.die(state.position, part.roll) or str(part.roll),
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
    """Write the tree that `player` has just grown for `state`; raises GameError when there is none to write."""
    if file.suffix not in TREE_FILES:
        raise GameError(f"{file} is neither Graphviz nor JSON: its name must end with {', '.join(TREE_FILES)}")
    if state.needs_roll:
        raise GameError("a tree is written for a position after its roll: give the roll instead of -")
    tree = player.tree(depth)
    text = json_text(tree, indent=1) + "\n" if file.suffix == ".json" else tree_as_graphviz(tree)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise GameError(f"{file} cannot be written: {error.strerror}") from error
