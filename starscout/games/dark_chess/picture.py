"""The pieces of dark chess as SVG: round, with Chinese characters or Western letters, face up or face down.

Every piece has both texts; a style sheet chooses (`data-pieces="western"` on the page).
"""

from starscout.drawing.svg import FIELD, BoardView, round_piece, standard_board
from starscout.drawing.text import Drawable
from starscout.game import Cell

FACE, EDGE, BACK, BACK_EDGE = "#f3e3c3", "#b08a54", "#8a5a3a", "#5e3b24"
RED, BLACK = "#b3261e", "#23211f"
RADIUS = 25
MIDDLE = FIELD / 2
RED_CHARACTERS, BLACK_CHARACTERS = "帥仕相俥傌炮兵", "將士象車馬包卒"
LETTERS = "KAERNCP"


def draw_board(state: Drawable, view: BoardView) -> str:
    """Draw the board of a state."""
    return standard_board(state, view, _piece)


def _piece(square: int, cell: Cell) -> str:
    if not cell.text:
        return ""
    if cell.side is None:
        return (
            f'<g class="piece hidden">{round_piece(MIDDLE, MIDDLE, RADIUS, BACK, BACK_EDGE)}'
            f'<circle cx="{MIDDLE:g}" cy="{MIDDLE:g}" r="16" fill="none" stroke="#c9a075" stroke-width="1.5" '
            'stroke-dasharray="3 3"/></g>'
        )
    red, kind = _red_and_kind(cell.text)
    colour = RED if red else BLACK
    character = (RED_CHARACTERS if red else BLACK_CHARACTERS)[kind]
    letter = LETTERS[kind].lower() if red else LETTERS[kind]
    style = f'x="{MIDDLE:g}" y="{MIDDLE + 9:g}" font-size="25" text-anchor="middle" fill="{colour}" font-weight="700"'
    western = cell.text in "KAERNCPkaerncp"
    hanzi_shown, letter_shown = ("none", "inline") if western else ("inline", "none")
    return (
        f'<g class="piece side-{cell.side}">{round_piece(MIDDLE, MIDDLE, RADIUS, FACE, EDGE)}'
        f'<circle cx="{MIDDLE:g}" cy="{MIDDLE:g}" r="20.5" fill="none" stroke="{colour}" stroke-width="1.6"/>'
        f'<text class="hanzi" {style} display="{hanzi_shown}">{character}</text>'
        f'<text class="latin" {style} display="{letter_shown}">{letter.upper()}</text>'
        "</g>"
    )


def _red_and_kind(text: str) -> tuple[bool, int]:
    """Whether a drawn piece is red, and the number of its kind."""
    if text in LETTERS or text.upper() in LETTERS:
        return text.islower(), LETTERS.index(text.upper())
    red = text in RED_CHARACTERS
    return red, (RED_CHARACTERS if red else BLACK_CHARACTERS).index(text)
