"""A game as a board to step through: HTML and CSS alone, so that it works wherever a page is exported to.

Every state is a picture behind a radio button; the style sheet shows the picture of the button that is chosen. Below a
picture stand the labels of the radio buttons before and after it, drawn as buttons; a browser also moves between radio
buttons by the arrow keys.
"""

import secrets
from collections.abc import Sequence
from html import escape

from starscout.drawing.svg import BOARD_PIXELS, board_svg
from starscout.drawing.text import Drawable, state_sentence

STYLE = """
.GROUP .step { display: none; }
.GROUP input { margin: 0 1px; accent-color: #2f6f73; }
.GROUP label, .GROUP .end { display: inline-block; min-width: 2.2em; text-align: center; border-radius: 4px;
  background: #2f6f73; color: #ffffff; cursor: pointer; user-select: none; }
.GROUP .end { opacity: 0.25; cursor: default; }
.GROUP p { margin: 0.4em 0; }
"""


def steps_html(states: Sequence[Drawable], captions: Sequence[str]) -> str:
    """The states of a game with the move that is played in each; the first is shown at the beginning."""
    # The same game may be shown twice on a page, each with its own buttons.
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
        f"{number} of {many}: {escape(state_sentence(state))} · {escape(caption)}</p></div>"
        for number, (state, caption) in enumerate(zip(states, captions, strict=True), 1)
    )
    return f'<div class="{group}"><style>{style}</style>{buttons}{boards}</div>'


def _label(group: str, number: int, many: int, sign: str) -> str:
    """A sign that leads to another state; pale where there is none."""
    if not 1 <= number <= many:
        return f'<span class="end">{sign}</span>'
    return f'<label for="{group}-{number}">{sign}</label>'
