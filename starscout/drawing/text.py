"""Boards as text with coordinates, pieces and the last move; coloured for terminals, plain otherwise.

Plain text distinguishes the sides by shape: `3` belongs to the first side and `(3)` to the second, `●` is black and `○`
white; the squares of the last move are in brackets. Coloured text uses the same shapes for both sides.

Narrow terminals get narrower squares, so that no row is wrapped:

    wide    ` 3    (3)   [3]  [(3)] `     narrow  ` 3 (3)[3]{3}`     tight  `33'` (last move not marked)
"""

import unicodedata
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from starscout.game import Cell, Game, Outcome, Position

if TYPE_CHECKING:
    from rich.text import Text

SHOWN_DICE = 10
"""Maximum number of known future dice to print."""

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


class Drawable(Protocol):
    """The part of a `State` that drawing needs; this module cannot import `State`, which imports it."""

    @property
    def game(self) -> Game: ...
    @property
    def position(self) -> Position: ...
    @property
    def shown_event(self) -> str | None: ...
    @property
    def last_squares(self) -> tuple[int, ...]: ...
    @property
    def mover(self) -> int: ...
    @property
    def outcome(self) -> Outcome | None: ...
    @property
    def text(self) -> str: ...


Span = tuple[str, int | None]
"""A part of a line, and the side whose colour it has."""


def draw_plain(state: Drawable, width: int | None = None) -> str:
    """Draw the board without colours, at most `width` characters wide."""
    own = _own_board(state, width, coloured=False)
    if own is not None:
        lines = ["".join(text for text, _ in line).rstrip() for line in own]
        return "\n".join([*lines, state_summary(state), *_notes(state)])
    layout = _layout(state, width, (_wide, _narrow, _tight))
    lines = [_header(state, layout.width)]
    for row, cells in enumerate(_rows(state)):
        squares = (_centred(layout.shape(cell, last), layout.width) for cell, last in cells)
        lines.append(f"{row + 1:2} {''.join(squares)}".rstrip())
    return "\n".join([*(line[:width] for line in lines), state_summary(state), *_notes(state)])


def draw(state: Drawable, width: int | None = None) -> "Text":
    """Draw the board with colours, at most `width` characters wide."""
    from rich.text import Text

    own = _own_board(state, width, coloured=True)
    if own is not None:
        drawn = [Text.assemble(*((text, _style_of_side(state, side)) for text, side in line)) for line in own]
        return Text("\n").join([*drawn, *map(Text, (state_summary(state), *_notes(state)))])
    layout = _layout(state, width, (_coloured,) * 3)
    drawing = Text("\n").join([_coloured_row(state, layout, row, cells) for row, cells in enumerate(_rows(state))])
    lines = [Text(_header(state, layout.width)), *drawing.split("\n")]
    return Text("\n").join([*(line[:width] for line in lines), *map(Text, (state_summary(state), *_notes(state)))])


def _own_board(state: Drawable, width: int | None, *, coloured: bool) -> list[list[Span]] | None:
    """The game's own drawing; None if it has none or if it is too wide."""
    if state.game.text_board is None:
        return None
    lines: list[list[Span]] = state.game.text_board(state, coloured)
    fits = width is None or all(sum(len(text) for text, _ in line) <= width for line in lines)
    return lines if fits else None


def _style_of_side(state: Drawable, side: int | None) -> str:
    return "" if side is None else _PIECES.get(state.game.sides[side], "bold")


def _columns(text: str) -> int:
    """The number of terminal columns of a text; East Asian characters take two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _centred(text: str, width: int) -> str:
    """`text.center(width)`, in terminal columns."""
    return text.center(width - (_columns(text) - len(text)))


def _notes(state: Drawable) -> tuple[str, ...]:
    """Lines below the board, such as the captured pieces."""
    return state.game.notes(state.position)


class _Layout(NamedTuple):
    """The width of squares, and (cell, whether the last move touched it) → text."""

    width: int
    shape: Callable[[Cell, bool], str]


def _layout(state: Drawable, width: int | None, shapes: tuple[Callable[[Cell, bool], str], ...]) -> _Layout:
    """The widest layout that fits, or the narrowest one."""
    cells = [cell for row in _rows(state) for cell in row]
    layouts = [
        _Layout(max(least, *(_columns(shape(cell, last)) for cell, last in cells)), shape)
        for least, shape in zip((5, 3, 1), shapes, strict=True)
    ]
    fitting = [layout for layout in layouts if width is None or MARGIN + state.game.columns * layout.width <= width]
    return (fitting or layouts[-1:])[0]


MARGIN = 3
"""Width of the row number and a space."""


def _coloured_row(state: Drawable, layout: _Layout, row: int, cells: list[tuple[Cell, bool]]) -> "Text":
    from rich.text import Text

    drawing = Text(f"{row + 1:2} ")
    for cell, last in cells:
        drawing.append(_centred(layout.shape(cell, last), layout.width), style=_style(state, cell, last))
    return drawing


def _header(state: Drawable, width: int) -> str:
    return "   " + "".join(letter.center(width) for letter in column_letters(state.game)).rstrip()


def column_letters(game: Game) -> list[str]:
    """Column letters: lower case on boards with black and white pieces, else upper case."""
    first = "a" if game.sides == ("black", "white") else "A"
    return [chr(ord(first) + column) for column in range(game.columns)]


def _rows(state: Drawable) -> list[list[tuple[Cell, bool]]]:
    """The cells of each row, each with whether the last move touched it."""
    cells = [(cell, square in state.last_squares) for square, cell in enumerate(state.game.cells(state.position))]
    return [cells[start : start + state.game.columns] for start in range(0, len(cells), state.game.columns)]


def _is_second_number(cell: Cell) -> bool:
    """Whether the cell is a number of the second side, which plain text marks by shape."""
    return cell.side == 1 and cell.text.isdigit()


def _wide(cell: Cell, last: bool) -> str:
    shape = f"({cell.text})" if _is_second_number(cell) else cell.text or "·"
    return f"[{shape}]" if last else shape


def _narrow(cell: Cell, last: bool) -> str:
    if _is_second_number(cell):
        return f"{{{cell.text}}}" if last else f"({cell.text})"
    return f"[{cell.text or '·'}]" if last else cell.text or "·"


def _tight(cell: Cell, last: bool) -> str:
    return f"{cell.text}'" if _is_second_number(cell) else cell.text or "·"


def _coloured(cell: Cell, last: bool) -> str:
    return "●" if cell.text == "○" else cell.text or "·"


def _style(state: Drawable, cell: Cell, last: bool) -> str:
    if cell.side is not None:
        return (_LAST_PIECES if last else _PIECES).get(state.game.sides[cell.side], "bold reverse" if last else "bold")
    if state.game.sides == ("black", "white"):
        return "black on green"
    return "white on bright_black" if last else "bright_black"


def state_summary(state: Drawable) -> str:
    """The result, or the side to move and the event."""
    outcome = state.outcome
    if outcome is not None:
        winner = "a draw" if outcome.winner is None else f"{state.game.sides[outcome.winner]} wins"
        if state.game.points > 1 and outcome.winner is not None:
            winner += f" {outcome.points} point{'' if outcome.points == 1 else 's'}"
        return f"{winner}: {outcome.reason}{_score(state)}"
    event = state.shown_event
    shown = "" if event is None else f", {event_name(state.game)} {event}{_dice_to_come(state)}"
    return f"{state.game.sides[state.mover]} to move{shown}{_score(state)}"


def event_name(game: Game) -> str:
    """The name of a chance event in this game: `die` or `event`."""
    return "die" if game.has_plain_die else "event"


def _dice_to_come(state: Drawable) -> str:
    """The dice of the next plies in games that fix them in advance."""
    coming = list(state.game.dice_to_come(state.position))
    rest = " …" if len(coming) > SHOWN_DICE else ""
    return f", then {' '.join(coming[:SHOWN_DICE])}{rest}" if coming else ""


def _score(state: Drawable) -> str:
    """The piece counts, on boards with black and white pieces."""
    if state.game.sides != ("black", "white"):
        return ""
    sides = [cell.side for cell in state.game.cells(state.position)]
    return f" ({sides.count(0)}–{sides.count(1)})"
