"""The board of backgammon as text: stacks of checkers on the points, the bar, borne-off checkers and pip counts."""

from starscout.drawing.text import Drawable, Span
from starscout.games.backgammon.picture import BAR_COLUMN, COLUMNS, OFF_COLUMN, pips_of_sides

SHOWN = 5
"""Maximum number of checkers drawn on a point; if there are more, the last one shows their number."""
SHAPES = ("O", "X")
"""Checkers of white and black without colours."""
TOP = (*range(13, 19), 0, *range(19, 25))
"""White's point in each column of the upper row; 0: the bar."""


def draw_text_board(state: Drawable, coloured: bool) -> list[list[Span]]:
    """Draw the board of a state, with white's points 24 to 13 above and 1 to 12 below.

    A star marks the points of the last play.
    """
    upper = [_line(state, 0, depth, coloured) for depth in range(SHOWN)]
    lower = [_line(state, 1, depth, coloured) for depth in reversed(range(SHOWN))]
    middle: list[Span] = [("   ", None), (" " * 18 + "│BAR│" + " " * 18 + "│", None)]
    return [_numbers(state, 0), *upper, middle, *lower, _numbers(state, 1), _pips(state)]


def _numbers(state: Drawable, row: int) -> list[Span]:
    """The numbers of the points of a row."""
    parts = []
    for column in range(OFF_COLUMN):
        number = TOP[column] if row == 0 else 25 - TOP[column]
        star = "*" if row * COLUMNS + column in state.last_squares else " "
        parts.append("│   │" if column == BAR_COLUMN else f"{number:2}{star}")
    return [("   ", None), ("".join(parts) + "│ off", None)]


def _line(state: Drawable, row: int, depth: int, coloured: bool) -> list[Span]:
    """The checkers of a row at a distance from the edge."""
    cells = state.game.cells(state.position)[row * COLUMNS : (row + 1) * COLUMNS]
    line: list[Span] = [("   ", None)]
    for column, cell in enumerate(cells):
        count = int(cell.text) if cell.text else 0
        if column == OFF_COLUMN:
            shown = f"{count:3} " if count and depth == 0 else "    "
        elif depth < min(count, SHOWN):
            shape = "●" if coloured else SHAPES[cell.side or 0]
            shown = f"{count:2} " if count > SHOWN and depth == SHOWN - 1 else f" {shape} "
        else:
            shown = " · " if depth == 0 and column != BAR_COLUMN else "   "
        if column in (BAR_COLUMN, OFF_COLUMN):
            line.append(("│", None))
        line.append((shown, cell.side if shown.strip(" ·") else None))
        if column == BAR_COLUMN:
            line.append(("│", None))
    return line


def _pips(state: Drawable) -> list[Span]:
    """The pip counts, and the shapes of both sides without colours."""
    pips = pips_of_sides(state.game.cells(state.position))
    counts = [
        f"{name} {shape}: {pips[side]} pips"
        for side, (name, shape) in enumerate(zip(state.game.sides, SHAPES, strict=True))
    ]
    return [("   " + "   ".join(counts), None)]
