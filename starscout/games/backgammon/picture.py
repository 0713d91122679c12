"""The board of backgammon as SVG: points, bar, trays of borne-off checkers, and the pip count.

A square of the diagram is a point, a half of the bar or a tray. Checkers are stacked on it from the edge of the board.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from starscout.drawing.svg import PIECES, BoardView, arrow_svg, round_piece, square_start, svg_start
from starscout.drawing.text import Drawable

if TYPE_CHECKING:
    from starscout.game import Cell

COLUMNS, BAR_COLUMN, OFF_COLUMN = 14, 6, 13
WIDTH, DEPTH, GAP, MARGIN = 60, 250, 50, 30
"""Width and depth of a point, the space between the two rows, and the frame with the numbers."""
RADIUS, SHOWN = 24, 5
"""Radius of a checker, and the maximum number that is drawn on one point."""
TRAY_CHECKER = 13
WOOD, FIELD, DARK, LIGHT, RAIL, INK = "#6b4a2f", "#e9dcc3", "#a4693f", "#d8bd90", "#5a3d26", "#f3e7d2"
TOTAL = WIDTH * COLUMNS + 2 * MARGIN, 2 * DEPTH + GAP + 2 * MARGIN
INNER = TOTAL[1] - 2 * MARGIN
LAST = "#f1d48a"


def draw_board(state: Drawable, view: BoardView) -> str:
    """Draw the board of a state."""
    cells = state.game.cells(state.position)
    parts = [
        svg_start(state, view, TOTAL),
        f'<rect width="{TOTAL[0]}" height="{TOTAL[1]}" rx="14" fill="{WOOD}"/>',
        f'<rect x="{MARGIN}" y="{MARGIN}" width="{WIDTH * OFF_COLUMN}" height="{INNER}" fill="{FIELD}"/>',
        *_RAILS,
    ]
    for square, cell in enumerate(cells):
        parts += _place(square, cell, state.game.sides, view)
    parts += [arrow_svg(arrow, _point(arrow.source, view), _point(arrow.target, view)) for arrow in view.arrows]
    return "".join([*parts, _pips(cells), "</svg>"])


def _column_and_top(square: int, turned: bool) -> tuple[int, bool]:
    """The column of a square on the screen, and whether it is in the upper row: Black's home is below if turned."""
    row, column = divmod(square, COLUMNS)
    return column, row == int(turned)


def _corner(square: int, turned: bool) -> tuple[int, int]:
    column, top = _column_and_top(square, turned)
    return MARGIN + column * WIDTH, MARGIN if top else MARGIN + DEPTH + GAP


def _point(square: int, view: BoardView) -> tuple[float, float]:
    """The centre of a point, for arrows."""
    left, top = _corner(square, view.turned)
    return left + WIDTH / 2, top + DEPTH / 2


_RAILS = [
    f'<rect x="{MARGIN + column * WIDTH}" y="{MARGIN}" width="{WIDTH}" height="{INNER}" fill="{RAIL}"/>'
    for column in (BAR_COLUMN, OFF_COLUMN)
]
"""The bar and the trays."""


def point_name(square: int, turned: bool = False) -> str:
    """The name of a square: the number of the point for White, or for Black if turned; bar or off."""
    row, column = divmod(square, COLUMNS)
    if column == BAR_COLUMN:
        return "bar"
    if column == OFF_COLUMN:
        return "off"
    column -= column > BAR_COLUMN
    number = 13 + column if row == 0 else 12 - column
    return str(25 - number if turned else number)


def _place(square: int, cell: "Cell", sides: Sequence[str], view: BoardView) -> list[str]:
    """One point, half of the bar or tray with its checkers."""
    column, top = _column_and_top(square, view.turned)
    left, upper = _corner(square, view.turned)
    name, count = point_name(square, view.turned), int(cell.text or 0)
    spoken = "empty" if cell.side is None else f"{sides[cell.side]} {count}"
    heights = _heights(count, top, tray=name == "off", bar=name == "bar")
    anchor = WIDTH / 2, (heights[-1] if heights else _heights(1, top, tray=False, bar=name == "bar")[0])
    parts = [
        square_start(square, name, spoken, left, upper, view, anchor),
        f'<rect class="field area" width="{WIDTH}" height="{DEPTH}" fill="{FIELD}" fill-opacity="0"/>',
    ]
    if name not in ("bar", "off"):
        base, tip = (0, DEPTH - 25) if top else (DEPTH, 25)
        colour = DARK if (column + top) % 2 else LIGHT
        number = (
            f'<text class="point" x="{WIDTH / 2:g}" y="{-9 if top else DEPTH + 20}" {_style(INK, 15)}>{name}</text>'
        )
        parts += [f'<path d="M2 {base}H{WIDTH - 2}L{WIDTH / 2:g} {tip}Z" fill="{colour}"/>', number]
    if square in view.touched:
        parts.append(f'<rect class="trace" width="{WIDTH}" height="{DEPTH}" fill="{LAST}" fill-opacity="0.35"/>')
    if cell.side is not None:
        parts += _checkers(cell.side, sides, heights, count, tray=name == "off")
    return [*parts, "</g>"]


def _heights(count: int, top: bool, *, tray: bool, bar: bool) -> list[float]:
    """The centres of the checkers on a point, from the edge inwards; on the bar, from the middle outwards."""
    step = TRAY_CHECKER + 2 if tray else 2 * RADIUS
    shown = count if tray else min(count, SHOWN)
    edge = TRAY_CHECKER / 2 + 2 if tray else RADIUS + 1
    inwards = [edge + step * number for number in range(shown)]
    if bar:
        inwards = [DEPTH - height for height in inwards]
    return inwards if top else [DEPTH - height for height in inwards]


def _checkers(side: int, sides: Sequence[str], heights: list[float], count: int, *, tray: bool) -> list[str]:
    face, edge, ink = PIECES[sides[side]]
    x = WIDTH / 2
    if tray:
        shape = f'x="7" width="{WIDTH - 14}" height="{TRAY_CHECKER}" rx="3" fill="{face}" stroke="{edge}"'
        bars = [f'<rect y="{y - TRAY_CHECKER / 2:g}" {shape}/>' for y in heights]
        return [f'<g class="piece side-{side}">{"".join(bars)}</g>']
    found = [f'<g class="piece side-{side}">{round_piece(x, y, RADIUS, face, edge)}</g>' for y in heights]
    if count > SHOWN:
        found.append(f'<text class="count" x="{x:g}" y="{heights[-1] + 8:g}" {_style(ink, 22)}>{count}</text>')
    return found


def _style(colour: str, size: int) -> str:
    return f'font-size="{size}" font-weight="600" text-anchor="middle" fill="{colour}" pointer-events="none"'


def pips_of_sides(cells: Sequence["Cell"]) -> tuple[int, int]:
    """The pip counts of white and black."""
    totals = [0, 0]
    for square, cell in enumerate(cells):
        name = point_name(square)
        if cell.side is None or name == "off":
            continue
        pips = 25 if name == "bar" else int(name) if cell.side == 0 else 25 - int(name)
        totals[cell.side] += pips * int(cell.text)
    return totals[0], totals[1]


def _pips(cells: Sequence["Cell"]) -> str:
    """The pip counts of both sides, in the middle of the halves of the board."""
    totals = pips_of_sides(cells)
    y = MARGIN + DEPTH + GAP / 2 + 6
    shown = []
    for side, where in ((1, MARGIN + 3 * WIDTH), (0, MARGIN + 10 * WIDTH)):
        face = PIECES["white" if side == 0 else "black"]
        shown.append(
            f'<circle cx="{where - 52}" cy="{y - 6:g}" r="8" fill="{face[0]}" stroke="{face[1]}"/>'
            f'<text class="pips" x="{where + 6}" y="{y:g}" {_style("#4a3522", 17)}>{totals[side]} '
            '<tspan data-t="pips">pips</tspan></text>'
        )
    return "".join(shown)
