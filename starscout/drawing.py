"""Boards as text: coordinates, the cubes' numbers, the last move; with colours for a terminal, plain otherwise.

Plain text tells the sides apart by shape: `3` is a red cube and `(3)` a blue one, `●` is black and `○` white; the
squares of the last move stand in brackets. In colours the shapes are the same for both sides.
"""

from typing import TYPE_CHECKING

from starscout.game import Cell
from starscout.state import State

if TYPE_CHECKING:
    from rich.text import Text

SQUARE_WIDTH = 5
_PIECES = {
    "red": "bold white on red",
    "blue": "bold white on blue",
    "black": "bold black on green",
    "white": "bold bright_white on green",
}
_LAST_PIECES = {
    "red": "bold white on bright_red",
    "blue": "bold white on bright_blue",
    "black": "bold black on bright_green",
    "white": "bold bright_white on bright_green",
}


def draw_plain(state: State) -> str:
    """The board without colours."""
    lines = [_header(state)]
    for row, cells in enumerate(_rows(state)):
        squares = (_plain_square(cell, last).center(SQUARE_WIDTH) for cell, last in cells)
        lines.append(f"{row + 1:2} {''.join(squares)}".rstrip())
    return "\n".join([*lines, _sentence(state)])


def draw(state: State) -> "Text":
    """The board with colours."""
    from rich.text import Text

    drawing = Text(_header(state) + "\n", style="")
    for row, cells in enumerate(_rows(state)):
        drawing.append(f"{row + 1:2} ")
        for cell, last in cells:
            shape = "●" if cell.text == "○" else cell.text or "·"
            drawing.append(shape.center(SQUARE_WIDTH), style=_style(state, cell, last))
        drawing.append("\n")
    drawing.append(_sentence(state))
    return drawing


def _header(state: State) -> str:
    first = "a" if state.game.sides == ("black", "white") else "A"
    letters = (chr(ord(first) + column) for column in range(state.game.columns))
    return "   " + "".join(letter.center(SQUARE_WIDTH) for letter in letters).rstrip()


def _rows(state: State) -> list[list[tuple[Cell, bool]]]:
    """For each row its cells, and whether the last move touched them."""
    cells = [(cell, square in state.last_squares) for square, cell in enumerate(state.game.cells(state.position))]
    return [cells[start : start + state.game.columns] for start in range(0, len(cells), state.game.columns)]


def _plain_square(cell: Cell, last: bool) -> str:
    shape = f"({cell.text})" if cell.side == 1 and cell.text.isdigit() else cell.text or "·"
    return f"[{shape}]" if last else shape


def _style(state: State, cell: Cell, last: bool) -> str:
    if cell.side is not None:
        return (_LAST_PIECES if last else _PIECES).get(state.game.sides[cell.side], "bold reverse" if last else "bold")
    if state.game.sides == ("black", "white"):
        return "black on green"
    return "white on bright_black" if last else "bright_black"


def _sentence(state: State) -> str:
    """Who won and why, or who is to move with which die."""
    outcome = state.outcome
    if outcome is not None:
        winner = "a draw" if outcome.winner is None else f"{state.game.sides[outcome.winner]} wins"
        return f"{winner}: {outcome.reason}{_score(state)}"
    die = state.game.die(state.position, state.roll)
    return f"{state.game.sides[state.mover]} to move" + (f", die {die}" if die is not None else "") + _score(state)


def _score(state: State) -> str:
    """The number of discs, for games that it decides."""
    if state.game.sides != ("black", "white"):
        return ""
    sides = [cell.side for cell in state.game.cells(state.position)]
    return f" ({sides.count(0)}–{sides.count(1)})"
