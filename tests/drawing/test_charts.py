"""Charts: well-formed SVG with labels and fitting axes."""

import re
from collections.abc import Callable
from xml.etree import ElementTree

import pytest

from starscout.drawing.charts import (
    LEFT,
    TOP,
    WIDTH,
    Band,
    Estimate,
    estimates,
    heat_map,
    histogram,
    intervals,
    lines,
    probability_bars,
    ticks,
)

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["negascout", "a < b & c"]

CHARTS: dict[str, Callable[[], str]] = {
    "score": lambda: lines(
        [Band("raw", [0.5, 0.52, 0.53], [0.4, 0.5, 0.51], [0.6, 0.54, 0.55])], "pairs", "score of A"
    ),
    "one": lambda: lines([Band("raw", [1.0])], "pairs", "score of A"),
    "none": lambda: lines([], "pairs", "score of A"),
    "flat": lambda: lines([Band("raw", [0.0, 0.0])], "pairs", "score of A", level=0.5),
    "plies": lambda: histogram([20, 21, 21, 30], "plies", "games"),
    "times": lambda: histogram([0.1, 0.25, 0.3], "seconds", "moves"),
    "same": lambda: histogram([0.25, 0.25], "seconds", "moves"),
    "nothing": lambda: histogram([], "plies", "games"),
    "chances": lambda: probability_bars(NAMES, [0.25, 1.0], [0.1, 0.0]),
    "plain chances": lambda: probability_bars(NAMES, [0.25, 1.0]),
    "ratings": lambda: intervals(NAMES, [35.0, -35.0], [12.0, 12.0], "Elo"),
    "nobody": lambda: intervals([], [], [], "Elo"),
    "estimates": lambda: estimates(
        [Estimate(NAMES[0], 0.7, (0.6, 0.8)), Estimate(NAMES[1], None, None, 0.6, (0.3, 0.9))]
    ),
    "no estimates": lambda: estimates([]),
    "cross": lambda: heat_map(NAMES, [[None, 0.75], [0.25, None]]),
}


def texts(picture: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(picture).iter(f"{SVG}text")]


@pytest.mark.parametrize("chart", CHARTS.values(), ids=CHARTS)
def test_charts_are_self_contained_svg(chart: Callable[[], str]) -> None:
    picture = chart()
    assert ElementTree.fromstring(picture).tag == f"{SVG}svg"
    assert not re.search(r"<style|<script|href|url\(|nan|inf", picture)


def test_estimates_and_reported_scores() -> None:
    picture = CHARTS["estimates"]()
    assert {"report", "score of the first player", *NAMES} <= set(texts(picture))
    # A point and a reported score, each with its interval, and both again in the legend.
    assert [picture.count(part) for part in ("<circle", '"whisker"', "<polygon", '"reported-whisker"')] == [2, 1, 2, 1]
    ours_alone = estimates([Estimate("a", 0.7, (0.6, 0.8))])
    assert "<polygon" not in ours_alone
    assert "report" not in texts(ours_alone)


def test_estimates_fill_the_chart() -> None:
    picture = estimates([Estimate("a", 0.93, (0.91, 0.95)), Estimate("b", 0.98, (0.93, 1.0), 1.0)])
    assert {"90 %", "100 %"} <= set(texts(picture))
    assert "50 %" not in texts(picture)
    assert 'class="half"' not in picture
    across = [float(number) for number in re.findall(r'x[12]="([\d.]+)"', picture)]
    assert max(across) - min(across) > 400
    assert max(across) < WIDTH


def test_charts_have_labels() -> None:
    assert {"pairs", "score of A"} <= set(texts(CHARTS["score"]()))
    two = lines([Band("raw", [0.5, 0.6]), Band("luck-adjusted", [0.5, 0.55])], "pairs", "score of A")
    assert {"raw", "luck-adjusted"} <= set(texts(two))
    assert {"milliseconds", "moves"} <= set(texts(histogram([1.5, 2.5], "milliseconds", "moves")))
    assert texts(CHARTS["nothing"]()) == ["no data yet"]
    assert [text for text in texts(CHARTS["cross"]()) if text.isdigit() and len(text) == 2] == ["75", "25"]
    assert {"1 negascout", "2 a < b & c"} <= set(texts(CHARTS["cross"]()))


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0.48, 0.53, [0.48, 0.49, 0.5, 0.51, 0.52, 0.53]),
        (0, 130, [0, 50, 100]),
    ],
)
def test_ticks_are_round_numbers_inside_the_range(low: float, high: float, expected: list[float]) -> None:
    assert ticks(low, high) == pytest.approx(expected)


def heights(picture: str) -> list[float]:
    line = next(element for element in ElementTree.fromstring(picture).iter(f"{SVG}polyline"))
    return [float(point.split(",")[1]) for point in line.attrib["points"].split()]


def test_line_fills_the_chart() -> None:
    values = [0.5 + 0.0001 * (number % 100) for number in range(1000)]
    ys = heights(lines([Band("raw", values)], "pairs", "score of A", level=0.5, percent=True))
    assert max(ys) - min(ys) > 140
    assert min(ys) >= TOP
    assert len(ys) <= 301


def test_level_is_drawn_only_near_the_data() -> None:
    def level_is_drawn(value: float) -> bool:
        return 'class="half"' in lines([Band("raw", [value, value + 0.02])], "pairs", "score of A", level=0.5)

    assert level_is_drawn(0.51)
    assert not level_is_drawn(0.9)


def bars(picture: str) -> list[float]:
    return [
        float(e.attrib["height"]) for e in ElementTree.fromstring(picture).iter(f"{SVG}rect") if e.get("class") == "bar"
    ]


def test_integer_histogram() -> None:
    tall = bars(CHARTS["plies"]())
    assert len(tall) == 11
    assert tall[1] == pytest.approx(2 * tall[0])
    assert tall[2:10] == [0.0] * 8
    assert sum(bars(histogram([number / 7 for number in range(100)], "s", "moves"))) > 0


def test_logarithmic_histogram() -> None:
    values = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5] * 20 + [80.0]
    even, growing = (bars(histogram(values, "ms", "moves", logarithmic=flag)) for flag in (False, True))
    assert sum(height > 0 for height in even) == 2
    assert sum(height > 0 for height in growing) > 2
    assert {"1", "2", "5", "10", "50"} <= set(texts(histogram(values, "ms", "moves", logarithmic=True)))
    assert histogram([1.0, 2.0], "ms", "moves", logarithmic=True) == histogram([1.0, 2.0], "ms", "moves")


def test_long_labels_are_shortened() -> None:
    name = "negascout depth=8 eval=distance+determinacy table=18"
    picture = intervals([name], [0.0], [1.0], "Elo")
    assert any("…" in text and text.endswith("table=18") for text in texts(picture))
    assert f"<title>{name}</title>" in picture


def test_probability_bar_length() -> None:
    bars = [e for e in ElementTree.fromstring(CHARTS["chances"]()).iter(f"{SVG}rect") if e.get("class") == "bar"]
    assert float(bars[1].attrib["width"]) == pytest.approx(4 * float(bars[0].attrib["width"]))
    assert {"25.0%", "100.0%"} <= set(texts(CHARTS["chances"]()))
    assert CHARTS["chances"]().count("whisker") == 2
    assert "whisker" not in CHARTS["plain chances"]()


def test_interval_width() -> None:
    root = ElementTree.fromstring(CHARTS["ratings"]())
    first, second = (element for element in root.iter(f"{SVG}line") if element.get("class") == "whisker")
    assert float(first.attrib["x1"]) > float(second.attrib["x2"])
    assert LEFT < float(second.attrib["x1"]) < float(first.attrib["x2"]) < WIDTH


def test_percentages_end_at_100() -> None:
    band = Band("luck-adjusted", [0.9, 1.2, 0.95], [0.7, 0.8, 0.9], [1.4, 1.6, 1.0])
    assert "120 %" not in lines([band], "pairs", "score of A", level=0.5, percent=True)
    assert "120 %" not in lines([band._replace(values=[-0.2, 0.1, 0.2])], "pairs", "score", percent=True)
