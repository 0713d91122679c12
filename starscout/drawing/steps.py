"""A game as a board to step through: HTML and CSS alone, so that it works wherever a page is exported to.

Every state is a picture behind a radio button; the style sheet shows the picture of the button that is chosen, and a
browser moves between radio buttons by the arrow keys.
"""

import hashlib
from collections.abc import Sequence
from html import escape

from starscout.drawing.svg import BOARD_PIXELS, board_svg
from starscout.drawing.text import Drawable, state_sentence


def steps_html(states: Sequence[Drawable], captions: Sequence[str]) -> str:
    """The states of a game with the move that is played in each; the first is shown at the beginning."""
    marker = hashlib.blake2b(repr([*captions, *(state.text for state in states)]).encode(), digest_size=6).hexdigest()
    group = f"starscout-{marker}"
    style = f".{group} .step {{ display: none; }} .{group} input {{ margin: 0 1px; }} " + " ".join(
        f".{group} input:nth-of-type({n}):checked ~ .step-{n} {{ display: block; }}" for n in _numbers(states)
    )
    buttons = "".join(
        f'<input type="radio" name="{group}" title="{number}: {escape(caption)}"{" checked" if number == 1 else ""}>'
        for number, caption in zip(_numbers(states), captions, strict=True)
    )
    boards = "".join(
        f'<div class="step step-{number}">{board_svg(state, width=BOARD_PIXELS)}'
        f"<p>{number} of {len(states)}: {escape(state_sentence(state))} · {escape(caption)}</p></div>"
        for number, state, caption in zip(_numbers(states), states, captions, strict=True)
    )
    return f'<div class="{group}"><style>{style}</style>{buttons}{boards}</div>'


def _numbers(states: Sequence[Drawable]) -> range:
    return range(1, len(states) + 1)
