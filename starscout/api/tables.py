"""Tables of results, for terminals and as HTML for notebooks."""

from collections.abc import Collection, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

BAR_PIXELS = 120
CELL_STYLE = "text-align:left;white-space:pre"
BAR_STYLE = "display:inline-block;height:0.8em;background:#4878a8;vertical-align:middle"


def rich_table(headings: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[str] = ()) -> "Table":
    """Build a table for a terminal; columns are right-aligned unless their heading is in `left`."""
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    for heading in headings:
        table.add_column(heading, justify="left" if heading in left else "right")
    for row in rows:
        table.add_row(*row)
    return table


def html_table(headings: Sequence[str], rows: Sequence[Sequence[str]], bars: Sequence[float | None] = ()) -> str:
    """Build a table as HTML; `bars` adds a bar of a length between 0 and 1 to each row."""
    head = "".join(f'<th style="{CELL_STYLE}">{escape(heading)}</th>' for heading in headings)
    body: list[str] = []
    for number, row in enumerate(rows):
        cells = "".join(f'<td style="{CELL_STYLE}">{escape(cell)}</td>' for cell in row)
        part = bars[number] if bars else None
        bar = "" if part is None else f'<span style="{BAR_STYLE};width:{round(BAR_PIXELS * part)}px"></span>'
        last = f'<td style="{CELL_STYLE};min-width:{BAR_PIXELS}px">{bar}</td>' if bars else ""
        body.append(f"<tr>{cells}{last}</tr>")
    return f"<table><tr>{head}{'<th></th>' if bars else ''}</tr>{''.join(body)}</table>"


def elo_text(number: float | None, sign: int) -> str:
    """Format an Elo difference; None is infinite in the direction of the sign."""
    return ("+∞" if sign > 0 else "−∞") if number is None else f"{round(number):+d}"
