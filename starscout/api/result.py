"""Base classes of results: they print like the command line and convert to JSON, DataFrames and plots."""

import io
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from starscout.drawing.convert import write_plot
from starscout.drawing.text import draw, draw_plain
from starscout.errors import public
from starscout.game import GameError
from starscout.game.state import State

if TYPE_CHECKING:
    import pandas  # pyright: ignore[reportMissingTypeStubs]
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.table import Table

PLAIN_WIDTH = 160


@dataclass(frozen=True)
class Picture:
    """A plot as SVG, displayed by notebooks and saved by `save`.

    >>> Picture("<svg></svg>").svg
    '<svg></svg>'
    """

    svg: str

    @public
    def save(self, path: str | Path) -> None:
        """Write the plot to an .svg, .png or .pdf file; raises GameError. PNG and PDF require the extra `plots`."""
        write_plot(self.svg, path)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<picture of {len(self.svg):,} characters: .save(FILE) writes it as .svg, .png or .pdf>"


class Result(ABC):
    """A frozen result; its fields are named as in the JSON of the command line.

    >>> solution = solve(parse("othello-4x4", "XXXXXXXXXXXXXXXX O"))
    >>> isinstance(solution, Result), solution.json()["value"]
    (True, -1.0)
    """

    @abstractmethod
    def json(self) -> dict[str, Any]:
        """Return the fields that `--json` prints."""

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of `frame` as dictionaries: by default, one row of all fields."""
        return [dict(vars(self))]

    @abstractmethod
    def __rich__(self) -> "RenderableType":
        """Render the result for a terminal."""

    def _repr_html_(self) -> str:
        """Render the result for a notebook."""
        return f"<pre>{escape(str(self))}</pre>"

    @public
    def frame(self) -> "pandas.DataFrame":
        """Return the rows as a DataFrame; requires the extra `data`."""
        return data_frame(self.rows())

    def __str__(self) -> str:
        return plain_text(self)


class PlottedResult(Result):
    """A result with a plot.

    >>> solution = solve(parse("othello-4x4", "XXXXXXXXXXXXXXXX O"))
    >>> isinstance(solution, PlottedResult), solution.plot().svg[:4]
    (True, '<svg')
    """

    @abstractmethod
    def plot(self) -> Picture:
        """Plot the result."""


@dataclass(frozen=True)
class Board:
    """A position rendered for a terminal, in colour where supported, and no wider than the terminal."""

    state: State

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        from rich.text import Text

        coloured = console.color_system is not None
        yield draw(self.state, options.max_width) if coloured else Text(draw_plain(self.state, options.max_width))


def data_frame(rows: Sequence[dict[str, Any]]) -> "pandas.DataFrame":
    """Build a DataFrame; raises GameError if pandas is not installed."""
    try:
        import pandas  # pyright: ignore[reportMissingTypeStubs]
    except ImportError as error:
        raise GameError("DataFrames need pandas: pip install 'starscout[data]'") from error
    # A mapping that is None in some rows would add a column with its name: leave that out.
    nested = {name for row in rows for name in _nested(row)}
    found = [flattened(row) for row in rows]
    return pandas.DataFrame([{name: row[name] for name in row if name not in nested} for row in found])


def _nested(row: Mapping[str, Any], prefix: str = "") -> set[str]:
    """Return the names of the fields that `flattened` replaces by several columns."""
    found: set[str] = set()
    for key, value in row.items():
        if isinstance(value, Mapping):
            name = f"{prefix}{key}"
            found |= {name} | _nested(cast("Mapping[str, Any]", value), f"{name}_")
    return found


def flattened(row: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Replace nested values: a column per key, two columns for an interval, text for other sequences and states.

    Sequences of mappings, such as the resources of single moves, are left out.

    >>> flattened({"score": 0.5, "interval": (0.4, 0.6), "used": {"A": {"depth": 3}}, "moves": ["a1", "b2"]})
    {'score': 0.5, 'interval_low': 0.4, 'interval_high': 0.6, 'used_A_depth': 3, 'moves': 'a1 b2'}
    """
    found: dict[str, Any] = {}
    for key, value in row.items():
        name = f"{prefix}{key}"
        if isinstance(value, State):
            found[name] = value.text
        elif isinstance(value, Mapping):
            found |= flattened(cast("Mapping[str, Any]", value), f"{name}_")
        elif isinstance(value, list | tuple):
            items = list(cast("Sequence[Any]", value))
            # An infinite end of an interval is None.
            ends = len(items) == 2 and all(item is None or isinstance(item, int | float) for item in items)
            if any(isinstance(item, Mapping) for item in items):
                continue
            if ends and (key.endswith("interval") or None not in items):
                found |= {f"{name}_low": items[0], f"{name}_high": items[1]}
            else:
                found[name] = " ".join(map(str, items))
        else:
            found[name] = value
    return found


def plain_text(shown: Any, width: int = PLAIN_WIDTH) -> str:
    """Render an object as plain text without trailing spaces."""
    from rich.console import Console

    buffer = io.StringIO()
    Console(file=buffer, color_system=None, highlight=False, markup=False, emoji=False, width=width).print(shown)
    return "\n".join(line.rstrip() for line in buffer.getvalue().rstrip("\n").splitlines())


def rich_table(headings: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[str] = ()) -> "Table":
    """Build a table for a terminal; columns are right-aligned unless their heading is in `left`."""
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    for heading in headings:
        table.add_column(heading, justify="left" if heading in left else "right")
    for row in rows:
        table.add_row(*row)
    return table


def elo_text(number: float | None, sign: int) -> str:
    """Format an Elo difference; None is infinite in the direction of the sign."""
    return ("+∞" if sign > 0 else "−∞") if number is None else f"{round(number):+d}"


def points_estimate(points: float, interval: tuple[float, float]) -> str:
    """Format points per game and their interval."""
    return f"{points:+.3f}   95 %: {interval[0]:+.3f} to {interval[1]:+.3f}"


def used_text(used: dict[str, Any]) -> str:
    """Format time, depth and counts per move, where known."""
    if not used["moves"]:
        return "no moves"
    seconds = used["seconds_per_move"]
    parts = [f"{seconds:.3g} s per move" if seconds >= 1 else f"{1000 * seconds:.3g} ms per move"]
    if used["mean_depth"]:
        parts.append(f"{used['mean_depth']:.1f} plies deep")
    counts = {name: used[f"{name}_per_move"] for name in ("nodes", "simulations")}
    parts += [f"{count:,.0f} {name}" for name, count in counts.items() if count]
    if used["seconds_left"] is not None:
        parts.append(f"{used['seconds_left']:.2f} s left")
    return ", ".join(parts)
