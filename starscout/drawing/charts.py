"""Charts as SVG for the page and its reports, with default colours that a style sheet may override.

.chart .axis .half .line-0 .line-1 .band-0 .band-1 .bar .whisker .won .lost .reported      CSS classes
"""

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

WIDTH, HEIGHT = 640, 240
LEFT, RIGHT, TOP, BOTTOM = 60, 14, 30, 42
MAX_POINTS = 300
"""Maximum number of points drawn per line."""
COLOURS = ("#2f6f73", "#b97a1e", "#8a4f7d", "#4c7a3f")
WON, LOST, PALE = "#3f8f5f", "#b8442f", "#9a948a"
MAX_LABEL = 30
"""Maximum number of characters of a label; the title element has the whole text."""
OUTLIER_RATIO = 8.0
"""The maximum is an outlier if it exceeds the median by this factor."""
LETTER_WIDTH = 6.4
"""Approximate width of a letter."""
WIDE_LETTER = 9.8
"""The same in the larger type of small charts of the page."""


class Band(NamedTuple):
    """A line with an optional confidence band."""

    name: str
    values: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()


class _Axis(NamedTuple):
    """Linear scale that maps `low` … `high` to `start` … `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        part = (value - self.low) / (self.high - self.low)
        return self.start + (self.end - self.start) * min(max(part, 0.0), 1.0)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round tick values from `low` to `high`: at most about `most`."""
    rough = (high - low) / most
    scale = 10.0 ** math.floor(math.log10(rough))
    step = next(scale * factor for factor in (1, 2, 5, 10) if scale * factor >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [step * number for number in range(first, math.floor(high / step + 1e-9) + 1)]


def lines(bands: Sequence[Band], along: str, up: str, *, level: float | None = None, percent: bool = False) -> str:
    """Line chart over 1, 2, 3, …; `level` is a reference value, drawn if it is close to the data."""
    longest = max((len(band.values) for band in bands), default=0)
    if longest == 0:
        return _nothing(up)
    low, high = _range(bands, level)
    if percent:
        # Estimates may leave the range of percentages; the axis does not.
        low, high = max(low, 0.0), min(high, 1.0)
    x, y = _Axis(1, max(2, longest), LEFT, WIDTH - RIGHT), _Axis(low, high, HEIGHT - BOTTOM, TOP)
    parts = [_frame([(x(tick), tick) for tick in ticks(x.low, x.high, 8)], y, along, up, percent)]
    if level is not None and low <= level <= high:
        parts.append(
            _line("half", (LEFT, y(level)), (WIDTH - RIGHT, y(level)), f'stroke="{PALE}" stroke-dasharray="3 4"')
        )
    for number, band in enumerate(bands):
        colour, shown = COLOURS[number % len(COLOURS)], _thinned(len(band.values))
        if band.low:
            around = [(x(n + 1), y(_within(band.low[n], low, high))) for n in shown]
            around += [(x(n + 1), y(_within(band.high[n], low, high))) for n in reversed(shown)]
            parts.append(f'<polygon class="band-{number}" points="{_points(around)}" fill="{colour}" opacity="0.18"/>')
        path = _points([(x(n + 1), y(_within(band.values[n], low, high))) for n in shown])
        parts.append(
            f'<polyline class="line-{number}" points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        if len(bands) > 1:
            right = WIDTH - RIGHT - 150 * (len(bands) - 1 - number)
            parts.append(_text(right, 15, band.name, anchor="end", fill=colour, key=True))
    return _picture(f"{up} / {along}", parts)


def _within(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


def histogram(values: Sequence[float], along: str, counted: str, *, logarithmic: bool = False) -> str:
    """Histogram; integers in a small range get one bar each.

    `logarithmic`: log-scaled bins if the maximum is an outlier.
    """
    if not values:
        return _nothing(counted)
    median = sorted(values)[len(values) // 2]
    if logarithmic and median > 0 and max(values) > OUTLIER_RATIO * median:
        # Clip small values, which would stretch the scale.
        logs = [math.log10(max(value, median / 100)) for value in values]
        edges = _edges(logs)
        counts = _counts(logs, edges)
        x = _Axis(edges[0], edges[-1], LEFT, WIDTH - RIGHT)
        marks = [(x(math.log10(tick)), tick) for tick in _powers(10 ** edges[0], 10 ** edges[-1])]
    else:
        edges = _edges(values)
        counts = _counts(values, edges)
        x = _Axis(edges[0], edges[-1], LEFT, WIDTH - RIGHT)
        marks = [(x(tick), tick) for tick in ticks(x.low, x.high, 8)]
    y = _Axis(0, max(counts), HEIGHT - BOTTOM, TOP)
    parts = [_frame(marks, y, along, counted, percent=False)]
    for number, count in enumerate(counts):
        left, right = x(edges[number]), x(edges[number + 1])
        parts.append(
            f'<rect class="bar" x="{left + 0.5:.1f}" y="{y(count):.1f}" width="{max(right - left - 1, 0.5):.1f}" '
            f'height="{HEIGHT - BOTTOM - y(count):.1f}" fill="{COLOURS[0]}"/>'
        )
    return _picture(f"{counted} / {along}", parts)


def probability_bars(names: Sequence[str], values: Sequence[float], errors: Sequence[float] | None = None) -> str:
    """Bars for probabilities or scores in [0, 1] with optional error bars, the first on top."""
    height = 30 * len(names)
    x = _Axis(0.0, 1.0, 220, WIDTH - RIGHT - 60)
    parts = [_line("half", (x(0.5), 6), (x(0.5), height + 6), f'stroke="{PALE}" stroke-dasharray="3 4"')]
    for number, (name, value) in enumerate(zip(names, values, strict=True)):
        middle = 21 + 30 * number
        parts.append(_text(210, middle + 4, name, anchor="end"))
        parts.append(
            f'<rect class="bar" x="{x(0):.1f}" y="{middle - 8}" width="{x(value) - x(0):.1f}" height="16" rx="4" '
            f'fill="{COLOURS[0]}"/>'
        )
        if errors is not None:
            ends = (x(value - errors[number]), middle), (x(value + errors[number]), middle)
            parts.append(_line("whisker", *ends, 'stroke="currentColor"'))
        parts.append(_text(WIDTH - RIGHT, middle + 4, f"{value:.1%}", anchor="end"))
    return _picture("probabilities", parts, height + 16)


def intervals(names: Sequence[str], values: Sequence[float], errors: Sequence[float], along: str) -> str:
    """Points with error bars, the first on top."""
    if not names:
        return _nothing(along)
    height = 30 * len(names)
    low = min([0.0, *(value - error for value, error in zip(values, errors, strict=True))])
    high = max([0.0, *(value + error for value, error in zip(values, errors, strict=True))])
    room = 0.05 * (high - low) or 1.0
    left = _names_width(names)
    x = _Axis(low - room, high + room, left + 10, WIDTH - RIGHT)
    parts = [_line("axis", (x(0), 6), (x(0), height + 6), f'stroke="{PALE}"')]
    for number, (name, value, error) in enumerate(zip(names, values, errors, strict=True)):
        middle = 21 + 30 * number
        parts.append(_text(left, middle + 4, name, anchor="end"))
        parts.append(_line("whisker", (x(value - error), middle), (x(value + error), middle), 'stroke="currentColor"'))
        parts.append(f'<circle class="bar" cx="{x(value):.1f}" cy="{middle}" r="5" fill="{COLOURS[0]}"/>')
    for tick in ticks(low - room, high + room):
        parts.append(_text(x(tick), height + 24, f"{tick:g}", anchor="middle"))
    parts.append(_text(WIDTH - RIGHT, height + 38, along, anchor="end", key=True))
    return _picture(along, parts, height + 44)


class Estimate(NamedTuple):
    """A score and a reported score, each with its confidence interval; any may be missing."""

    name: str
    score: float | None = None
    interval: tuple[float, float] | None = None
    reported: float | None = None
    reported_interval: tuple[float, float] | None = None


def estimates(rows: Sequence[Estimate]) -> str:
    """Scores with confidence intervals, the first on top; reported scores are hollow diamonds."""
    height = 30 * len(rows)
    longest = max((len(row.name) for row in rows), default=0)
    left = 30 + LETTER_WIDTH * longest
    ends = [
        end for row in rows for end in (*_ends(row.score, row.interval), *_ends(row.reported, row.reported_interval))
    ]
    low, high = (math.floor(10 * min(ends, default=0.0)) / 10, math.ceil(10 * max(ends, default=1.0)) / 10)
    x = _Axis(low, max(high, low + 0.1), left, WIDTH - RIGHT - 14)
    parts = []
    for tick in ticks(x.low, x.high):
        paint = f'stroke="{PALE}" stroke-opacity="0.3"'
        parts.append(_line("axis", (x(tick), 6), (x(tick), height + 6), paint))
        parts.append(_text(x(tick), height + 24, f"{100 * tick:g} %", anchor="middle"))
    if low <= 0.5 <= high:
        parts.append(_line("half", (x(0.5), 6), (x(0.5), height + 6), f'stroke="{PALE}" stroke-dasharray="3 4"'))
    for number, row in enumerate(rows):
        middle = 21 + 30 * number
        parts.append(_text(left - 14, middle + 4, row.name, anchor="end", whole=True))
        if row.reported is not None:
            ends = [(x(end), middle + 7) for end in _ends(row.reported, row.reported_interval)]
            parts.append(
                _line(
                    "reported-whisker",
                    ends[0],
                    ends[-1],
                    f'stroke="{COLOURS[1]}" stroke-opacity="0.6"',
                )
            )
            parts.append(_diamond(x(row.reported), middle + 7))
        if row.score is not None:
            ours = [(x(end), middle - 3) for end in _ends(row.score, row.interval)]
            parts.append(_line("whisker", ours[0], ours[-1], 'stroke="currentColor" stroke-width="2"'))
            parts.append(f'<circle class="bar" cx="{x(row.score):.1f}" cy="{middle - 3}" r="5" fill="{COLOURS[0]}"/>')
    key = height + 36
    if any(row.reported is not None for row in rows):
        parts.append(f'<circle class="bar" cx="{left + 6:.1f}" cy="{key}" r="5" fill="{COLOURS[0]}"/>')
        parts.append(_text(left + 16, key + 4, "ours", key=True))
        parts.append(_diamond(left + 66, key))
        parts.append(_text(left + 78, key + 4, "report", key=True))
    parts.append(_text(WIDTH - RIGHT, key + 4, "score of the first player", anchor="end", key=True))
    return _picture("scores", parts, height + 44)


def differences(rows: Sequence[Estimate], along: str, keys: tuple[str, str]) -> str:
    """Differences of scores with confidence intervals, the name above each; reported ones are hollow diamonds."""
    height = 44 * len(rows)
    x = _Axis(-0.5, 0.5, 24, WIDTH - RIGHT - 14)
    parts = []
    for tick in ticks(x.low, x.high):
        paint = f'stroke="{PALE}" stroke-opacity="{0.9 if tick == 0 else 0.3}"'
        parts.append(_line("axis", (x(tick), 6), (x(tick), height + 6), paint))
        parts.append(_text(x(tick), height + 24, f"{100 * tick:+g}" if tick else "0", anchor="middle"))
    for number, row in enumerate(rows):
        top = 18 + 44 * number
        parts.append(_text(4, top, row.name, whole=True))
        if row.reported is not None:
            ends = [(x(end), top + 21) for end in _ends(row.reported, row.reported_interval)]
            parts.append(_line("reported-whisker", ends[0], ends[-1], f'stroke="{COLOURS[1]}" stroke-opacity="0.6"'))
            parts.append(_diamond(x(row.reported), top + 21))
        if row.score is not None:
            ours = [(x(end), top + 11) for end in _ends(row.score, row.interval)]
            parts.append(_line("whisker", ours[0], ours[-1], 'stroke="currentColor" stroke-width="2"'))
            parts.append(f'<circle class="bar" cx="{x(row.score):.1f}" cy="{top + 11}" r="5" fill="{COLOURS[0]}"/>')
    key = height + 42
    parts.append(f'<circle class="bar" cx="10" cy="{key}" r="5" fill="{COLOURS[0]}"/>')
    parts.append(_text(20, key + 4, keys[0], whole=True))
    parts.append(_diamond(120, key))
    parts.append(_text(132, key + 4, keys[1], whole=True))
    parts.append(_text(WIDTH - RIGHT, key + 4, along, anchor="end", whole=True))
    return _picture(along, parts, height + 52)


def _ends(score: float | None, interval: tuple[float, float] | None) -> tuple[float, ...]:
    """The ends of an interval; empty without a score."""
    return () if score is None else interval or (score, score)


def heat_map(names: Sequence[str], scores: Sequence[Sequence[float | None]]) -> str:
    """Cross table of scores, row against column: green for wins, red for losses, paler when close."""
    edge = _names_width([f"{row + 1} {name}" for row, name in enumerate(names)])
    side = min(44.0, (WIDTH - edge - 20) / max(1, len(names)))
    height = round(30 + side * len(names))
    parts = []
    for row, name in enumerate(names):
        parts.append(_text(edge, 30 + side * (row + 0.5) + 4, f"{row + 1} {name}", anchor="end"))
        parts.append(_text(edge + 10 + side * (row + 0.5), 20, str(row + 1), anchor="middle"))
        for column, score in enumerate(scores[row]):
            if score is None:
                continue
            left, top = edge + 10 + side * column, 30 + side * row
            kind, colour = ("won", WON) if score >= 0.5 else ("lost", LOST)
            parts.append(
                f'<rect class="{kind}" x="{left + 1:.1f}" y="{top + 1:.1f}" width="{side - 2:.1f}" '
                f'height="{side - 2:.1f}" rx="4" fill="{colour}" opacity="{0.12 + abs(score - 0.5):.2f}"/>'
            )
            if side >= 26:
                middle = f'x="{left + side / 2:.1f}" y="{top + side / 2 + 4:.1f}" text-anchor="middle"'
                parts.append(f'<text class="cell" {middle}>{100 * score:.0f}</text>')
    return _picture("cross table", parts, height)


# Parts of a chart.


def _names_width(names: Sequence[str]) -> float:
    """The right edge of a column of names."""
    return 10 + WIDE_LETTER * max((min(len(name), MAX_LABEL) for name in names), default=0)


def _range(bands: Sequence[Band], level: float | None) -> tuple[float, float]:
    """The range of the data without the first values, whose bands are widest."""
    numbers: list[float] = []
    for band in bands:
        settled = min(len(band.values) // 10, 20)
        numbers += list(band.values[settled:])
        numbers += [*band.low[settled:], *band.high[settled:]]
    low, high = min(numbers), max(numbers)
    spread = high - low or abs(high) * 0.1 or 1.0
    if level is not None and low - spread <= level <= high + spread:
        low, high = min(low, level), max(high, level)
    room = 0.06 * (high - low or spread)
    return low - room, high + room


def _edges(values: Sequence[float]) -> list[float]:
    """The bin edges of a histogram."""
    low, high = min(values), max(values)
    if all(value == round(value) for value in values) and high - low <= 60:
        return [low - 0.5 + number for number in range(int(high - low) + 2)]
    if high == low:
        return [low - 0.5, low + 0.5]
    count = min(40, max(8, round(math.sqrt(len(values)))))
    return [low + (high - low) * number / count for number in range(count + 1)]


def _counts(values: Sequence[float], edges: Sequence[float]) -> list[int]:
    """The number of values in each bin."""
    counts = [0] * (len(edges) - 1)
    width = edges[1] - edges[0]
    for value in values:
        counts[min(int((value - edges[0]) / width), len(counts) - 1)] += 1
    return counts


def _powers(low: float, high: float) -> list[float]:
    """Logarithmic ticks: 1, 2 and 5 times the powers of ten, or the powers alone if there are many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    factors = (1, 2, 5) if len(powers) <= 4 else (1,)
    return [factor * 10.0**power for power in powers for factor in factors if low <= factor * 10.0**power <= high]


def _thinned(count: int) -> list[int]:
    """The indices of the points to draw, including the last one."""
    step = max(1, math.ceil(count / MAX_POINTS))
    return sorted({*range(0, count, step), count - 1})


def _frame(marks: Sequence[tuple[float, float]], y: _Axis, along: str, up: str, percent: bool) -> str:
    """The axes; `marks` are pairs of x coordinate and tick value."""
    parts = []
    for tick in ticks(y.low, y.high, 5):
        parts.append(_line("axis", (LEFT, y(tick)), (WIDTH - RIGHT, y(tick)), f'stroke="{PALE}" stroke-opacity="0.3"'))
        parts.append(_text(LEFT - 6, y(tick) + 4, f"{100 * tick:g} %" if percent else f"{tick:g}", anchor="end"))
    parts += [_text(place, HEIGHT - BOTTOM + 16, f"{tick:g}", anchor="middle") for place, tick in marks]
    parts.append(_text(WIDTH - RIGHT, HEIGHT - 6, along, anchor="end", key=True))
    parts.append(_text(4, 15, up, key=True))
    return "".join(parts)


def _diamond(x: float, y: float) -> str:
    corners = ((x - 6, y), (x, y - 6), (x + 6, y), (x, y + 6))
    return f'<polygon class="reported" points="{_points(corners)}" fill="none" stroke="{COLOURS[1]}" stroke-width="2"/>'


def _line(kind: str, start: tuple[float, float], end: tuple[float, float], paint: str) -> str:
    return f'<line class="{kind}" x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}" {paint}/>'


def _text(
    x: float, y: float, text: str, *, anchor: str = "start", fill: str = "", key: bool = False, whole: bool = False
) -> str:
    """A text, shortened unless `whole`; a `key` is a text that the page translates."""
    title = "" if whole or len(text) <= MAX_LABEL else f"<title>{escape(text)}</title>"
    # Keep both ends: descriptions of players often differ in the last option.
    half = MAX_LABEL // 2
    shown = text if not title else f"{text[: half - 1]}…{text[-half:]}"
    marks = (' data-t=""' if key else "") + (f' fill="{fill}"' if fill else "")
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{marks}>{escape(shown)}{title}</text>'


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _nothing(name: str) -> str:
    return _picture(name, [_text(WIDTH / 2, 40, "no data yet", anchor="middle", key=True)], 70)


def _picture(name: str, parts: Sequence[str], height: int = HEIGHT) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(name)}" font-family="system-ui, sans-serif" font-size="12" fill="currentColor">'
        f"{''.join(parts)}</svg>"
    )
