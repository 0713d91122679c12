"""`starscout.tables`: exact tables of late positions."""

import os
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

from starscout import games
from starscout.api.games import given_game
from starscout.api.interrupt import interruptible_kernels
from starscout.api.progress import progress_bar
from starscout.api.result import Result
from starscout.evaluation import knowledge_of
from starscout.game import Game, GameError, WorkError
from starscout.search.endgame import TableClass
from starscout.settings.arguments import checked
from starscout.settings.schema import Cubes, Progress, Threads

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
        for heading in ("mover's cubes", "enemy's", "positions", "sum of chances", "mean chance"):
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
    """Build or check the exact table of late positions, which players and `solve` then use.

    `cubes` is the maximum number of pieces on the board (default 4, or all if fewer). `threads` defaults to one per
    core. Raises GameError for a game without tables, and WorkError for a missing or damaged table.

    >>> try:
    ...     tables("build", "othello")
    ... except GameError as error:
    ...     print(error)
    there are no tables for othello: only for ewn and its variants
    """
    if action not in (BUILD, CHECK):
        raise GameError(f"action: expected 'build' or 'check', got {action!r}")
    rules = given_game(game)
    files = knowledge_of(rules).table_files
    if files is None:
        known = ", ".join(name for name in games.NAMES if knowledge_of(games.load(name)).table_files)
        raise GameError(f"there are no tables for {rules.name}: only for {known} and its variants")
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
