"""The summary of a reviewed game as a picture to share: the result, the luck and the mistakes of both sides."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

WIDTH, HEIGHT = 1200, 630
"""The size at which chats and forums show a picture without cropping it."""
MARGIN = 60
CHART_TOP, CHART_BOTTOM = 400, 560
ROW_TOP, ROW_HEIGHT = 262, 56
BAR_START, BAR_LENGTH = (560, 900), 130
"""Left ends of the bars of luck and mistakes, and the length of a bar of 100 %."""
MAX_POINTS = 300
PAPER, INK, FAINT = "#fbf9f4", "#22201c", "#6a655c"
GOOD, BAD = "#2f7d50", "#b04430"
WIDE_LETTERS = 0x2E80
"""First code point of the characters, such as Chinese ones, that are as wide as they are high."""


class CardSide(NamedTuple):
    """A side of the game; luck and mistakes are in win probability."""

    name: str
    colour: str
    luck: float | None
    """None in games without chance."""
    mistakes: float


class CardTexts(NamedTuple):
    """The texts of a card in the language of its reader."""

    title: str
    headline: str
    result: str
    luck: str
    mistakes: str
    chart: str


def summary_card(texts: CardTexts, sides: tuple[CardSide, CardSide], chances: Sequence[float]) -> str:
    """Draw a card; `chances` are the first side's win probabilities at all plies."""
    parts = [
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}"/>',
        f'<rect width="{WIDTH}" height="12" fill="{sides[0].colour}"/>',
        _text(MARGIN, 68, texts.title, 28, fill=FAINT, width=800),
        _text(WIDTH - MARGIN, 68, "StarScout", 28, fill=FAINT, anchor="end"),
        _text(MARGIN, 138, texts.headline, 54, bold=True, width=WIDTH - 2 * MARGIN),
        _text(MARGIN, 190, texts.result, 30, width=WIDTH - 2 * MARGIN),
    ]
    headings = ((texts.luck, sides[0].luck is not None), (texts.mistakes, True))
    for (heading, shown), start in zip(headings, BAR_START, strict=True):
        if shown:
            parts.append(_text(start, ROW_TOP - 22, heading, 22, fill=FAINT, width=240))
    for number, side in enumerate(sides):
        middle = ROW_TOP + number * ROW_HEIGHT + 12
        parts.append(f'<circle cx="{MARGIN + 14}" cy="{middle}" r="14" fill="{side.colour}" stroke="{INK}"/>')
        parts.append(_text(MARGIN + 44, middle + 10, side.name, 30, bold=True, width=430))
        for value, start in zip((side.luck, -side.mistakes), BAR_START, strict=True):
            if value is not None:
                parts.append(_bar(start, middle, value))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'role="img" aria-label="{escape(texts.headline)}" font-family="system-ui, sans-serif">'
        f"{''.join(parts)}{_curve(texts.chart, sides, chances)}</svg>"
    )


def _bar(start: int, middle: int, value: float) -> str:
    """A bar with its value; more than 100 % is drawn as 100 %."""
    length, colour = BAR_LENGTH * min(1.0, abs(value)), GOOD if value > 0 else BAD
    sign = "" if round(value, 2) == 0 else "+" if value > 0 else "−"
    figure = _text(start + BAR_LENGTH + 14, middle + 10, f"{sign}{abs(100 * value):.0f} %", 28)
    whole = f'<rect x="{start}" y="{middle - 9}" width="{BAR_LENGTH}" height="18" fill="{FAINT}" opacity="0.15"/>'
    return f'{whole}<rect x="{start}" y="{middle - 9}" width="{length:.1f}" height="18" fill="{colour}"/>{figure}'


def _curve(name: str, sides: tuple[CardSide, CardSide], chances: Sequence[float]) -> str:
    """The first side's win probability; the area above the curve has the colour of the second side."""
    last = max(1, len(chances) - 1)
    step = max(1, len(chances) // MAX_POINTS)
    shown = sorted({*range(0, len(chances), step), len(chances) - 1}) if chances else []
    high, wide = CHART_BOTTOM - CHART_TOP, WIDTH - 2 * MARGIN
    points = [
        f"{MARGIN + wide * ply / last:.1f},{CHART_BOTTOM - high * min(max(chances[ply], 0.0), 1.0):.1f}"
        for ply in shown
    ]
    below = " ".join([f"{MARGIN},{CHART_BOTTOM}", *points, f"{WIDTH - MARGIN},{CHART_BOTTOM}"])
    middle = CHART_BOTTOM - high / 2
    return (
        f'<rect x="{MARGIN}" y="{CHART_TOP}" width="{wide}" height="{high}" fill="{sides[1].colour}" opacity="0.25"/>'
        f'<polygon points="{below}" fill="{sides[0].colour}" opacity="0.6"/>'
        f'<polyline points="{" ".join(points)}" fill="none" stroke="{INK}" stroke-width="3"/>'
        f'<line x1="{MARGIN}" x2="{WIDTH - MARGIN}" y1="{middle}" y2="{middle}" stroke="{INK}" stroke-dasharray="4 6"/>'
        + _text(MARGIN, CHART_BOTTOM + 36, name, 22, fill=FAINT, width=wide)
    )


def _text(
    x: float, y: float, text: str, size: float, *, fill: str = INK, bold: bool = False, anchor: str = "start",
    width: float = WIDTH,
) -> str:  # fmt: skip
    """A text, in smaller letters if it is wider than `width`."""
    letters = sum(1.0 if ord(letter) >= WIDE_LETTERS else 0.68 if bold else 0.58 for letter in text)
    fitted = min(size, width / max(letters, 1.0))
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" font-size="{fitted:.1f}" fill="{fill}" text-anchor="{anchor}"{weight}>'
        f"{escape(text)}</text>"
    )
