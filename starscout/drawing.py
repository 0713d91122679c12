"""Boards as text: coordinates, the cubes' numbers, the last move; with colours for a terminal, plain otherwise.

A plain cube is `1` to `6` for red and `(1)` to `(6)` for blue; the squares of the last move stand in brackets.
"""

from typing import TYPE_CHECKING

from starscout.state import State

if TYPE_CHECKING:
    from rich.text import Text

SQUARE_WIDTH = 5
_SIDE_STYLES = {
    "red": "bold white on red",
    "blue": "bold white on blue",
    "black": "bold black on green",
    "white": "bold bright_white on green",
}
_LAST_STYLE = "on bright_black"


def draw_plain(state: State) -> str:
    """The board without colours; sides are told apart by the shape of their pieces."""
    return "\n".join(
        [_header(state), *("".join(text for text, _ in line).rstrip() for line in _lines(state)), *_below(state)]
    )


def draw(state: State) -> "Text":
    """The board with colours."""
    from rich.text import Text

    drawing = Text()
    drawing.append(_header(state) + "\n", style="dim")
    for line in _lines(state):
        for text, style in line:
            drawing.append(text, style=style)
        drawing.append("\n")
    drawing.append("\n".join(_below(state)))
    return drawing


def _header(state: State) -> str:
    lower = state.game.name.startswith("othello")
    letters = [chr(ord("a" if lower else "A") + column) for column in range(state.game.columns)]
    return "   " + "".join(letter.center(SQUARE_WIDTH) for letter in letters).rstrip()


def _lines(state: State) -> list[list[tuple[str, str]]]:
    """For each row, pieces of text with their styles."""
    game = state.game
    cells = game.cells(state.position)
    lines = []
    for row in range(game.rows):
        line = [(f"{row + 1:2} ", "dim")]
        for column in range(game.columns):
            square = row * game.columns + column
            cell, last = cells[square], square in state.last_squares
            inner = cell.text or "·"
            if cell.side == 1 and cell.text.isdigit():
                inner = f"({cell.text})"
            line.append(
                (
                    f"[{inner}]".center(SQUARE_WIDTH) if last else inner.center(SQUARE_WIDTH),
                    _style(state, cell.side, last),
                )
            )
        lines.append(line)
    return lines


def _style(state: State, side: int | None, last: bool) -> str:
    if side is None:
        return _LAST_STYLE if last else "dim"
    return _SIDE_STYLES.get(state.game.sides[side], "bold")


def _below(state: State) -> list[str]:
    """The sentence under the board."""
    outcome = state.outcome
    if outcome is not None:
        winner = "a draw" if outcome.winner is None else f"{state.game.sides[outcome.winner]} wins"
        return [f"{winner}: {outcome.reason}{_score(state)}"]
    die = state.game.die(state.position, state.roll)
    return [f"{state.game.sides[state.mover]} to move" + (f", die {die}" if die is not None else "") + _score(state)]


def _score(state: State) -> str:
    """The count of the pieces where a game is decided by it."""
    if state.game.sides != ("black", "white"):
        return ""
    sides = [cell.side for cell in state.game.cells(state.position)]
    return f" ({sides.count(0)}–{sides.count(1)})"
