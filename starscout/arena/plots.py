"""The plots of a report, each as the text of an SVG picture."""

import io
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from starscout.arena.statistics import Z_95

WIDTH, HEIGHT = 7.0, 3.0


def _picture(draw: Callable[[Any], None], width: float = WIDTH, height: float = HEIGHT) -> str:
    """What `draw` puts on its axes, as SVG."""
    # Figure needs neither a display nor pyplot's global state; the fixed salt makes equal plots equal bytes.
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(
        {"svg.hashsalt": "starscout", "svg.fonttype": "none", "font.size": 9, "text.parse_math": False}
    ):
        figure = Figure(figsize=(width, height), layout="constrained")
        axes = figure.add_subplot()
        draw(axes)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def score_over_time(scores: Sequence[float], adjusted: Sequence[float] | None) -> str:
    """The running score with its 95 % band over the pairs, raw and luck-adjusted."""

    def draw(axes: Any) -> None:
        for values, name, colour in ((scores, "raw", "tab:blue"), (adjusted, "luck-adjusted", "tab:orange")):
            if values is None or len(values) == 0:
                continue
            array = numpy.asarray(values, dtype=float)
            n = numpy.arange(1, len(array) + 1)
            mean = numpy.cumsum(array) / n
            variance = numpy.maximum(numpy.cumsum(array**2) / n - mean**2, 0)
            half = Z_95 * numpy.sqrt(variance / n)
            axes.plot(n, mean, color=colour, label=name, linewidth=1.2)
            axes.fill_between(n, mean - half, mean + half, color=colour, alpha=0.2, linewidth=0)
        axes.axhline(0.5, color="black", linewidth=0.6)
        axes.set_ylim(0, 1)
        axes.set_xlabel("pairs")
        axes.set_ylabel("score of A")
        axes.legend(frameon=False)

    return _picture(draw)


def histogram(values: Sequence[float], label: str) -> str:
    """How often each value occurs; whole numbers get one bar each."""

    def draw(axes: Any) -> None:
        array = numpy.asarray(values, dtype=float)
        if len(array) and numpy.all(array == numpy.round(array)) and numpy.ptp(array) <= 200:
            bins: Any = numpy.arange(array.min() - 0.5, array.max() + 1.5)
        else:
            bins = 40
        axes.hist(array, bins=bins, color="tab:blue")
        axes.set_xlabel(label)
        axes.set_ylabel("games")

    return _picture(draw)


def rating_bars(names: Sequence[str], ratings: Sequence[float], errors: Sequence[float]) -> str:
    """Ratings with their 95 % intervals, the best on top."""

    def draw(axes: Any) -> None:
        places = numpy.arange(len(names))[::-1]
        axes.barh(places, ratings, xerr=errors, color="tab:blue", ecolor="black", capsize=2)
        axes.set_yticks(places, names)
        axes.axvline(0, color="black", linewidth=0.6)
        axes.set_xlabel("Elo")

    return _picture(draw, height=1 + 0.25 * len(names))


def chance_bars(names: Sequence[str], chances: Sequence[float], errors: Sequence[float] | None = None) -> str:
    """Chances or scores between 0 and 1, with 95 % intervals where they are known, the first on top."""

    def draw(axes: Any) -> None:
        places = numpy.arange(len(names))[::-1]
        axes.barh(places, chances, xerr=errors, color="tab:blue", ecolor="black", capsize=2)
        axes.set_yticks(places, names)
        axes.set_xlim(0, 1)
        axes.axvline(0.5, color="black", linewidth=0.6)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")

    return _picture(draw, height=1 + 0.25 * len(names))


def estimates(
    names: Sequence[str],
    scores: Sequence[float | None],
    errors: Sequence[float | None],
    reported: Sequence[float | None],
) -> str:
    """Scores with their 95 % intervals, the first name on top, and what somebody else reported as hollow diamonds."""

    def draw(axes: Any) -> None:
        places = numpy.arange(len(names))[::-1]
        known = [(place, score, error) for place, score, error in zip(places, scores, errors, strict=True) if score]
        if known:
            heights, means, halves = zip(*known, strict=True)
            axes.errorbar(means, heights, xerr=halves, fmt="o", color="tab:blue", capsize=2, label="here")
        told = [(score, place) for place, score in zip(places, reported, strict=True) if score is not None]
        if told:
            axes.plot(*zip(*told, strict=True), "D", color="tab:orange", fillstyle="none", label="report")
            axes.legend(frameon=False)
        axes.axvline(0.5, color="black", linewidth=0.6)
        axes.set_xlim(0, 1)
        axes.set_yticks(places, names)
        axes.set_ylim(-0.6, len(names) - 0.4)
        axes.set_xlabel("score of the first player")

    return _picture(draw, height=1 + 0.25 * len(names))


def heat_map(names: Sequence[str], scores: Sequence[Sequence[float | None]]) -> str:
    """The cross table: row against column, red is lost and green is won."""

    def draw(axes: Any) -> None:
        matrix = numpy.array([[numpy.nan if score is None else score for score in row] for row in scores], dtype=float)
        axes.imshow(matrix, cmap="RdYlGn", vmin=0, vmax=1)
        axes.set_xticks(range(len(names)), [str(rank) for rank in range(1, len(names) + 1)])
        axes.set_yticks(range(len(names)), [f"{rank} {name}" for rank, name in enumerate(names, 1)])
        if len(names) <= 12:
            for row, column in zip(*numpy.nonzero(~numpy.isnan(matrix)), strict=True):
                axes.text(column, row, f"{matrix[row, column]:.0%}", ha="center", va="center", fontsize=7)

    return _picture(draw, height=1.2 + 0.3 * len(names))


def lines(histories: dict[str, Sequence[float]], label: str) -> str:
    """One line per name over the steps of a tuning."""

    def draw(axes: Any) -> None:
        for name, values in histories.items():
            axes.plot(range(len(values)), values, label=name, linewidth=1.2)
        axes.set_xlabel("step")
        axes.set_ylabel(label)
        axes.legend(frameon=False)

    return _picture(draw)
