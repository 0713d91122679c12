"""Boards as SVG for the page, reports and notebooks; the squares to click for a move; replays in HTML.

Colours are attributes, which a style sheet may override by class:

    <g class="square" data-square="7" data-name="C2" data-spoken="C2, red 3">   one per square
    .board .square .field .piece .side-0 .side-1 .last .mark .note .arrow      CSS classes

Squares are numbered by rows from the top left, as in `Game.cells`, in either orientation of the board.
"""

import math
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from types import MappingProxyType
from typing import NamedTuple

from starscout.drawing.text import Drawable, column_letters, state_summary
from starscout.game import Cell, Game, Position


def input_squares(game: Game, position: Position, move: int) -> tuple[int, ...]:
    """The squares to click for a move, in order: those that the game names, else those that the move changes.

    (from, to)   a piece moves from one square to another
    (square,)    a piece is placed on a square
    ()           a pass, or a move that changes the board in another way
    """
    return tuple(game.move_squares(position, move)) or changed_squares(
        game, position, game.play_position(position, move)
    )


def changed_squares(game: Game, position: Position, following: Position) -> tuple[int, ...]:
    """The squares that a move has left and entered; none unless it moved exactly one piece."""
    before, after = game.cells(position), game.cells(following)
    changed = [square for square, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    left = [square for square in changed if before[square].side == position.mover != after[square].side]
    entered = [square for square in changed if after[square].side == position.mover]
    if len(entered) != 1 or len(left) > 1:
        return ()
    return (*left, *entered)


STYLE = """
.GROUP .step { display: none; }
.GROUP input { margin: 0 1px; accent-color: #2f6f73; }
.GROUP label, .GROUP .end { display: inline-block; min-width: 2.2em; text-align: center; border-radius: 4px;
  background: #2f6f73; color: #ffffff; cursor: pointer; user-select: none; }
.GROUP .end { opacity: 0.25; cursor: default; }
.GROUP p { margin: 0.4em 0; }
"""


def replay_html(states: Sequence[Drawable], captions: Sequence[str]) -> str:
    """A replay of a game in HTML and CSS without scripts, which still works in an exported notebook.

    Every state is an SVG with a radio button, and the style sheet shows the one that is checked. The labels of the
    previous and the next radio button serve as buttons. `captions` are the moves played in the states.
    """
    # The same game may occur twice on a page.
    group, many = f"starscout-{secrets.token_hex(6)}", len(states)
    style = STYLE.replace("GROUP", group) + "\n".join(
        f".{group} input:nth-of-type({n}):checked ~ .step-{n} {{ display: block; }}" for n in range(1, many + 1)
    )
    buttons = "".join(
        f'<input type="radio" name="{group}" id="{group}-{number}" title="{number}: {escape(caption)}"'
        f"{' checked' if number == 1 else ''}>"
        for number, caption in enumerate(captions, 1)
    )
    boards = "".join(
        f'<div class="step step-{number}">{board_svg(state, width=BOARD_PIXELS)}'
        f"<p>{_label(group, number - 1, many, '◀')} {_label(group, number + 1, many, '▶')} "
        f"{number} of {many}: {escape(state_summary(state))} · {escape(caption)}</p></div>"
        for number, (state, caption) in enumerate(zip(states, captions, strict=True), 1)
    )
    return f'<div class="{group}"><style>{style}</style>{buttons}{boards}</div>'


def _label(group: str, number: int, many: int, sign: str) -> str:
    """A button to another state; disabled if there is none."""
    if not 1 <= number <= many:
        return f'<span class="end">{sign}</span>'
    return f'<label for="{group}-{number}">{sign}</label>'


FIELD, MARGIN = 60, 24
"""The width of a square, and of the margin with the coordinates."""

PAPER, LIGHT, DARK, LINE, INK = "#efe7da", "#faf6ee", "#f1eadd", "#d5c8b3", "#7d7263"
FELT, FELT_LINE = "#5b8a72", "#4b7561"
LAST, MARK, FELT_MARK, ARROW = "#f1d48a", "#3f8f5f", "#bfe3cb", "#d9822b"

BOARD_PIXELS = 300
"""Width of a board in a notebook."""
PIECES = {
    "red": ("#c4493d", "#9c352b", "#fff7f2"),
    "blue": ("#35659f", "#274c79", "#f3f8ff"),
    "black": ("#25292e", "#101214", "#f5f5f5"),
    "white": ("#f8f6f0", "#b9b3a4", "#33363a"),
    "yellow": ("#e3b23c", "#b58a22", "#3a2f10"),
    "green": ("#4c8f5b", "#376b43", "#f4fff6"),
}
"""Name of a side → the colours of its pieces: fill, border, text."""

ROUND_PIECES = ("●", "○")
BEST = "✓"
"""Label of the arrow of the best move."""


class Arrow(NamedTuple):
    """An arrow between the centres of two squares; a ring if they are the same."""

    source: int
    target: int
    label: str = ""
    strength: float = 1.0
    """Opacity, from 0 (pale) to 1."""


def board_svg(
    state: Drawable,
    *,
    width: int | None = None,
    last: Iterable[int] | None = None,
    marks: Iterable[int] = (),
    notes: Mapping[int, str] | None = None,
    arrows: Sequence[Arrow] = (),
    turned: bool = False,
    goals: Mapping[int, int] | None = None,
) -> str:
    """Draw the board of a state as SVG.

    `width` is in pixels (None: as wide as the container); `last` are the squares of the last move (None: those of the
    state); `marks` are squares to mark with a dot, `notes` short texts on squares; `turned` rotates the board by 180°;
    `goals` are the goal squares of the sides (0 or 1).
    """
    game = state.game
    view = BoardView(
        width, frozenset(state.last_squares if last is None else last), frozenset(marks), notes or {}, tuple(arrows),
        turned, goals or {},
    )  # fmt: skip
    return standard_board(state, view) if game.picture is None else game.picture(state, view)


class BoardView(NamedTuple):
    """How to draw a board: see `board_svg`."""

    width: int | None = None
    touched: frozenset[int] = frozenset()
    """The squares of the last move."""
    marks: frozenset[int] = frozenset()
    notes: Mapping[int, str] = MappingProxyType({})
    arrows: tuple[Arrow, ...] = ()
    turned: bool = False
    goals: Mapping[int, int] = MappingProxyType({})


def standard_board(state: Drawable, view: BoardView, piece: Callable[[int, Cell], str] | None = None) -> str:
    """Draw a board of squares; `piece` draws (square, cell) instead of the default shapes."""
    game = state.game
    felt = game.sides == ("black", "white")
    whole = game.columns * FIELD + 2 * MARGIN, game.rows * FIELD + 2 * MARGIN
    parts = [
        svg_start(state, view, whole),
        f'<rect class="frame" width="{whole[0]}" height="{whole[1]}" rx="14" fill="{PAPER}"/>',
        *_labels(game, view.turned),
    ]
    for square, cell in enumerate(game.cells(state.position)):
        left, top = _corner(game, square, view.turned)
        parts.append(square_start(square, square_label(game, square), _spoken(game, cell), left, top, view))
        parts.append(_field(square, game, felt))
        if square in view.touched:
            parts.append(f'<rect class="trace" width="{FIELD}" height="{FIELD}" fill="{LAST}" fill-opacity="0.7"/>')
        if square in view.goals:
            parts.append(_goal(game, view.goals[square]))
        parts.append(_piece(game, cell) if piece is None else piece(square, cell))
        if square in view.marks:
            parts.append(_mark(cell, FELT_MARK if felt else MARK))
        if square in view.notes:
            parts.append(_note(view.notes[square]))
        parts.append("</g>")

    def middle(square: int) -> tuple[float, float]:
        left, top = _corner(game, square, view.turned)
        return left + FIELD / 2, top + FIELD / 2

    parts += [arrow_svg(arrow, middle(arrow.source), middle(arrow.target)) for arrow in view.arrows]
    return "".join([*parts, "</svg>"])


def svg_start(state: Drawable, view: BoardView, whole: tuple[int, int]) -> str:
    """The opening tag of a board of this width and height."""
    width = view.width
    size = "" if width is None else f' width="{width}" height="{round(width * whole[1] / whole[0])}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board" viewBox="0 0 {whole[0]} {whole[1]}"{size} role="img" '
        f'aria-label="{escape(f"{state.game.title}: {state_summary(state)}")}" font-family="system-ui, sans-serif">'
    )


def square_start(
    square: int,
    name: str,
    spoken: str,
    left: float,
    top: float,
    view: BoardView,
    anchor: tuple[float, float] | None = None,
) -> str:
    """The opening tag of a square; `anchor` is the middle of its marks, unless it is the middle of a normal square."""
    marks = "" if anchor is None else f'data-anchor="{anchor[0]:g} {anchor[1]:g}" '
    last = " last" if square in view.touched else ""
    return (
        f'<g class="square{last}" data-square="{square}" data-name="{name}" {marks}'
        f'data-spoken="{escape(f"{name}, {spoken}")}" transform="translate({left:g} {top:g})">'
    )


def board_html(state: Drawable) -> str:
    """The board and a caption, for a notebook."""
    picture, summary = board_svg(state, width=BOARD_PIXELS), escape(state_summary(state))
    return f'<figure style="margin:0">{picture}<figcaption>{summary}</figcaption></figure>'


def square_label(game: Game, square: int) -> str:
    """The name of a square: `B2`, or `b2` on boards with black and white pieces."""
    row, column = divmod(square, game.columns)
    return f"{column_letters(game)[column]}{row + 1}"


def side_colours(game: Game, side: int) -> tuple[str, str, str]:
    """The colours of a side's pieces: fill, border, text."""
    return PIECES.get(game.sides[side].lower(), PIECES["blue" if side else "red"])


def _corner(game: Game, square: int, turned: bool) -> tuple[int, int]:
    """The coordinates of the top left corner of a square."""
    row, column = divmod(square, game.columns)
    if turned:
        row, column = game.rows - 1 - row, game.columns - 1 - column
    return MARGIN + column * FIELD, MARGIN + row * FIELD


def _labels(game: Game, turned: bool) -> list[str]:
    """Column letters below the board and row numbers beside it."""
    letters, numbers = column_letters(game), [str(row + 1) for row in range(game.rows)]
    if turned:
        letters, numbers = letters[::-1], numbers[::-1]
    bottom = MARGIN + game.rows * FIELD + 17
    style = f'font-size="13" text-anchor="middle" fill="{INK}" aria-hidden="true"'
    along = [
        f'<text class="label" x="{MARGIN + (index + 0.5) * FIELD:g}" y="{bottom}" {style}>{escape(letter)}</text>'
        for index, letter in enumerate(letters)
    ]
    beside = [
        f'<text class="label" x="{MARGIN / 2:g}" y="{MARGIN + (index + 0.5) * FIELD + 5:g}" {style}>{number}</text>'
        for index, number in enumerate(numbers)
    ]
    return [*along, *beside]


def _field(square: int, game: Game, felt: bool) -> str:
    if felt:
        fill, line, kind = FELT, FELT_LINE, "felt"
    else:
        dark = sum(divmod(square, game.columns)) % 2
        fill, line, kind = (DARK if dark else LIGHT), LINE, ("dark" if dark else "light")
    return f'<rect class="field {kind}" width="{FIELD}" height="{FIELD}" fill="{fill}" stroke="{line}"/>'


def _piece(game: Game, cell: Cell) -> str:
    if not cell.text:
        return ""
    middle = FIELD / 2
    text_style = f'x="{middle:g}" y="{middle + 9:g}" font-size="26" font-weight="600" text-anchor="middle"'
    if cell.side is None:
        return f'<text class="sign" {text_style} fill="{INK}">{escape(cell.text)}</text>'
    face, edge, ink = side_colours(game, cell.side)
    paint = f'fill="{face}" stroke="{edge}" stroke-width="2"'
    if cell.text.isdigit():
        size = FIELD - 16
        shape = (
            f'<rect x="8" y="11" width="{size}" height="{size}" rx="10" fill="#000" fill-opacity="0.25"/>'
            f'<rect x="8" y="8" width="{size}" height="{size}" rx="10" {paint}/>'
            '<rect x="12" y="11" width="36" height="12" rx="6" fill="#fff" fill-opacity="0.16"/>'
        )
    else:
        shape = round_piece(middle, middle, 23, face, edge)
    text = "" if cell.text in ROUND_PIECES else f'<text {text_style} fill="{ink}">{escape(cell.text)}</text>'
    return f'<g class="piece side-{cell.side}">{shape}{text}</g>'


def round_piece(x: float, y: float, radius: float, face: str, edge: str) -> str:
    """A round piece with a shadow and a highlight."""
    return (
        f'<circle cx="{x:g}" cy="{y + 3:g}" r="{radius:g}" fill="#000" fill-opacity="0.25"/>'
        f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{face}" stroke="{edge}" stroke-width="2"/>'
        f'<ellipse cx="{x:g}" cy="{y - 0.45 * radius:g}" rx="{0.62 * radius:g}" ry="{0.36 * radius:g}" fill="#fff" '
        'fill-opacity="0.14"/>'
    )


def _goal(game: Game, side: int) -> str:
    """A frame in the colour of the side whose goal the square is."""
    return (
        f'<rect class="goal" x="5" y="5" width="{FIELD - 10}" height="{FIELD - 10}" rx="9" fill="none" '
        f'stroke="{side_colours(game, side)[0]}" stroke-width="3" stroke-dasharray="6 5"/>'
    )


def _mark(cell: Cell, colour: str) -> str:
    """A dot on an empty square, a ring around a piece."""
    middle = FIELD / 2
    if cell.text:
        return (
            f'<rect class="mark" x="3" y="3" width="{FIELD - 6}" height="{FIELD - 6}" rx="12" fill="none" '
            f'stroke="{colour}" stroke-width="4"/>'
        )
    return f'<circle class="mark" cx="{middle:g}" cy="{middle:g}" r="8" fill="{colour}" fill-opacity="0.75"/>'


def _note(text: str) -> str:
    middle = FIELD / 2
    return (
        f'<text class="note" x="{middle:g}" y="{FIELD - 7}" font-size="12" text-anchor="middle" fill="{INK}" '
        f'stroke="{PAPER}" stroke-width="3" paint-order="stroke">{escape(text)}</text>'
    )


def _spoken(game: Game, cell: Cell) -> str:
    """The content of a square for screen readers."""
    if not cell.text:
        return "empty"
    what = "" if cell.text in ROUND_PIECES else cell.text
    return what if cell.side is None else f"{game.sides[cell.side]} {what}".rstrip()


def arrow_svg(arrow: Arrow, source: tuple[float, float], target: tuple[float, float]) -> str:
    """An arrow between two points."""
    colour = MARK if arrow.label == BEST else ARROW
    (x0, y0), (x1, y1) = source, target
    length = math.hypot(x1 - x0, y1 - y0)
    if length == 0:
        shape = (
            f'<circle cx="{x0:g}" cy="{y0:g}" r="{FIELD / 2 - 5:g}" fill="none" stroke="{colour}" stroke-width="5"/>'
        )
        label_x, label_y = x0, y0
    else:
        along_x, along_y = (x1 - x0) / length, (y1 - y0) / length
        head_x, head_y = x1 - 8 * along_x, y1 - 8 * along_y
        neck_x, neck_y = x1 - 24 * along_x, y1 - 24 * along_y
        start_x, start_y = x0 + 12 * along_x, y0 + 12 * along_y
        wings = [(neck_x - side * 10 * along_y, neck_y + side * 10 * along_x) for side in (1, -1)]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in ((head_x, head_y), *wings))
        shape = (
            f'<line x1="{start_x:.1f}" y1="{start_y:.1f}" x2="{neck_x:.1f}" y2="{neck_y:.1f}" stroke="{colour}" '
            f'stroke-width="7" stroke-linecap="round"/><polygon points="{points}" fill="{colour}"/>'
        )
        label_x, label_y = x0 + (x1 - x0) * 0.5, y0 + (y1 - y0) * 0.5
    label = (
        f'<circle cx="{label_x:.1f}" cy="{label_y:.1f}" r="9" fill="{colour}"/><text x="{label_x:.1f}" '
        f'y="{label_y + 4:.1f}" font-size="12" text-anchor="middle" fill="#fff">{escape(arrow.label)}</text>'
        if arrow.label
        else ""
    )
    return f'<g class="arrow" opacity="{0.35 + 0.55 * arrow.strength:.2f}" pointer-events="none">{shape}{label}</g>'
