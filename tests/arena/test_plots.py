"""Plots: well-formed SVG with the names and numbers in it, and the same bytes for the same numbers."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable

import pytest

from starscout.arena.plots import estimates, heat_map, histogram, lines, rating_bars, score_over_time

NAMES = ["negascout", "a < b & c"]

PLOTS: dict[str, Callable[[], str]] = {
    "score": lambda: score_over_time([1.0, 0.5, 0.0, 1.0], [0.9, 0.6, 0.2, 0.8]),
    "raw": lambda: score_over_time([1.0], None),
    "plies": lambda: histogram([20, 21, 21, 30], "plies"),
    "times": lambda: histogram([0.1, 0.25, 0.3], "seconds"),
    "nothing": lambda: histogram([], "plies"),
    "ratings": lambda: rating_bars(NAMES, [35.0, -35.0], [12.0, 12.0]),
    "cross": lambda: heat_map(NAMES, [[None, 0.75], [0.25, None]]),
    "estimates": lambda: estimates(NAMES, [0.7, None], [0.1, None], [None, 0.6]),
    "tuning": lambda: lines({"c": [1.0, 1.1], "k": [500.0, 490.0]}, "value"),
}


def texts(picture: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("plot", PLOTS.values(), ids=PLOTS)
def test_equal_numbers_are_equal_pictures(plot: Callable[[], str]) -> None:
    picture = plot()
    assert picture.startswith("<svg")
    assert ElementTree.fromstring(picture).tag == "{http://www.w3.org/2000/svg}svg"
    assert plot() == picture


def test_what_is_plotted_is_named() -> None:
    assert {"raw", "luck-adjusted", "pairs", "score of A"} <= set(texts(PLOTS["score"]()))
    assert "luck-adjusted" not in texts(PLOTS["raw"]())
    assert {"plies", "games"} <= set(texts(PLOTS["plies"]()))
    assert {"here", "report", *NAMES, "score of the first player"} <= set(texts(PLOTS["estimates"]()))
    assert {"c", "k", "step", "value"} <= set(texts(PLOTS["tuning"]()))


def test_the_cross_table_says_per_cent_and_leaves_gaps() -> None:
    shown = texts(PLOTS["cross"]())
    assert [text for text in shown if text.endswith("%")] == ["75%", "25%"]
    assert {"1 negascout", "2 a < b & c"} <= set(shown)


def test_names_of_players_are_text_whatever_is_in_them() -> None:
    for name in ("nboard[depth=4]:./ntest", "lab:./a_$x_$y", "<script>"):
        assert name in texts(rating_bars([name], [0.0], [1.0]))


def test_whole_numbers_get_a_bar_each() -> None:
    def bars(picture: str) -> int:
        return picture.count('id="patch_')

    assert bars(histogram([20, 21, 22, 23], "plies")) - bars(histogram([20, 21], "plies")) == 2
