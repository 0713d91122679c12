"""Tables of results for terminals."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


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
