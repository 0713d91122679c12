"""HTML elements of views. Text is escaped; labels can be translated by the page.

A label is an English text in an element with the attribute `data-t`; the page translates it.
"""

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any

BAR_PIXELS = 120
BAR_STYLE = "display:inline-block;height:0.8em;background:#4878a8;vertical-align:middle"
CELL_STYLE = "text-align:left;white-space:pre"
"""Inline style of cells; sequences of spaces are preserved."""


class Markup(str):
    """HTML, which is not escaped again."""

    __slots__ = ()


NOTHING = Markup("")


def label(text: str) -> Markup:
    """A text that the page translates."""
    return Markup(f"<span data-t>{escape(text)}</span>")


COMMA = Markup('<span data-t="comma">, </span>')
"""A comma with its space, which the page translates."""


def code_text(text: str) -> Markup:
    """A player or a position, in a code font."""
    return Markup(f"<code>{escape(text)}</code>")


def concat(*parts: Any) -> Markup:
    """Concatenate the parts."""
    return Markup("".join(_html(part) for part in parts))


def heading(text: str, level: int = 2) -> Markup:
    """A translated heading."""
    return Markup(f"<h{level} data-t>{escape(text)}</h{level}>")


def paragraph(*parts: Any, kind: str = "") -> Markup:
    """A paragraph."""
    return Markup(f"<p{f' class={kind!r}' if kind else ''}>{concat(*parts)}</p>")


def table(
    headings: Sequence[str],
    rows: Iterable[Sequence[Any]],
    kind: str = "",
    *,
    bars: Sequence[float | None] = (),
    inline: bool = False,
) -> Markup:
    """A table with translated headings; a column of numbers is aligned to the right.

    `kind` is a class of the style sheet; `inline` tables carry their own style, for notebooks. `bars` appends a column
    of bars with lengths from 0 to 1.
    """
    shown = list(rows)
    numeric = [all(_is_number(row[n]) for row in shown) and bool(shown) for n in range(len(headings))]
    head = "".join(
        f"<th data-t{_cell_style(number, inline)}>{escape(text)}</th>"
        for text, number in zip(headings, numeric, strict=True)
    )
    body = "".join(
        f"<tr>{''.join(_cell(value, inline) for value in row)}{_bar_cell(bars[number]) if bars else ''}</tr>"
        for number, row in enumerate(shown)
    )
    top = f"<thead><tr>{head}{'<th></th>' if bars else ''}</tr></thead>" if any(headings) else ""
    if inline:
        return Markup(f"<table>{top}<tbody>{body}</tbody></table>")
    return Markup(f'<div class="scroll"><table class="{kind}">{top}<tbody>{body}</tbody></table></div>')


def _bar_cell(length: float | None) -> str:
    bar = "" if length is None else f'<span style="{BAR_STYLE};width:{round(BAR_PIXELS * length)}px"></span>'
    return f'<td style="{CELL_STYLE};min-width:{BAR_PIXELS}px">{bar}</td>'


class NumberText(str):
    """A formatted number, aligned to the right in tables."""

    __slots__ = ()


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | NumberText) and not isinstance(value, bool)


def _cell_style(number: bool, inline: bool) -> str:
    if inline:
        return f' style="{CELL_STYLE}"'
    return ' class="number"' if number else ""


def _cell(value: Any, inline: bool) -> str:
    return f"<td{_cell_style(_is_number(value), inline)}>{_html(value)}</td>"


def _html(value: Any) -> str:
    return value if isinstance(value, Markup) else escape(str(value))


def percent(share: float) -> str:
    """A share formatted as a percentage, as on the page."""
    return f"{100 * share:.1f} %"


def estimate(
    value: float | None, ends: Sequence[float | None], form: Callable[[float], str], infinite: str = "+∞"
) -> str:
    """A number with its 95 % confidence interval; None is infinite, `infinite` for the number."""
    low, high = (sign if end is None else form(end) for sign, end in zip(("−∞", "+∞"), ends, strict=True))
    return f"{infinite if value is None else form(value)}   (95 %: {low} … {high})".replace("-", "−")


def progress_line(done: int, wanted: int, unit: str, seconds: float, *, finished: bool) -> Markup:
    """The progress of a match or a tournament that has taken this time so far, with the estimated time left."""
    share = 1.0 if finished else min(1.0, done / max(1, wanted))
    left = seconds / done * (wanted - done) if done and seconds > 0 and not finished else None
    parts: list[Any] = [progress_bar(share), f" {done:,} / {wanted:,} ", label(unit), COMMA]
    parts.append(label("finished") if finished else label("unfinished"))
    if left is not None and left > 0:
        parts += [COMMA, label("time left"), f" ≈ {duration(left)}"]
    return paragraph(*parts, kind="progress")


def duration(seconds: float) -> str:
    """A time as `m:ss`, `h:mm:ss` or in days."""
    whole = round(seconds)
    if whole >= 2 * 86_400:
        return f"{whole / 86_400:.1f} d"
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def progress_bar(share: float) -> Markup:
    """A small bar for a fraction."""
    return Markup(
        '<svg class="share" viewBox="0 0 60 8" aria-hidden="true"><rect class="track" width="60" height="8" rx="4" '
        f'fill="currentColor" opacity="0.14"/><rect class="bar" width="{60 * share:.1f}" height="8" rx="4" '
        'fill="#2f6f73"/></svg>'
    )


def score_bar(score: float, low: float, high: float) -> Markup:
    """A chart of a score in [0, 1] with its confidence interval."""
    left, right = 600 * max(low, 0.0), 600 * min(high, 1.0)
    middle = min(max(600 * score, 7), 593)
    return Markup(
        '<svg class="chart" viewBox="0 0 600 34" role="img" '
        f'aria-label="{percent(score)}, {percent(low)} … {percent(high)}"><rect x="0" y="13" width="600" height="8" '
        'rx="4" class="track" fill="currentColor" opacity="0.12"/><line class="half" x1="300" x2="300" y1="6" y2="28" '
        f'stroke="currentColor"/><rect class="band-0" x="{left:.1f}" y="9" width="{max(right - left, 2):.1f}" '
        f'height="16" rx="5" fill="#2f6f73" opacity="0.3"/><circle class="bar" cx="{middle:.1f}" cy="17" r="7" '
        'fill="#2f6f73"/></svg>'
    )
