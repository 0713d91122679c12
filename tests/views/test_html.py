"""HTML elements: escaping, labels, tables."""

from starscout.views.html import (
    Markup,
    code_text,
    concat,
    estimate,
    heading,
    label,
    paragraph,
    percent,
    score_bar,
    table,
)

EVIL = "<script>&\"'"
SAFE = "&lt;script&gt;&amp;&quot;&#x27;"


def test_text_is_escaped() -> None:
    for element in (
        label(EVIL),
        code_text(EVIL),
        heading(EVIL),
        paragraph(EVIL),
        table((EVIL,), [(EVIL,)]),
        concat(EVIL),
    ):
        assert "<script>" not in element
        assert SAFE in element


def test_markup_is_not_escaped() -> None:
    assert concat(Markup("<b>a</b>"), "<", 3) == "<b>a</b>&lt;3"


def test_labels_and_number_columns() -> None:
    assert label("games") == "<span data-t>games</span>"
    made = table(("rank", "player"), [(1, "a"), (2.5, label("rests"))])
    assert '<th data-t class="number">rank</th><th data-t>player</th>' in made
    assert '<td class="number">1</td><td>a</td>' in made
    assert "<thead>" not in table(("", ""), [(1, 2)])


def test_estimate_with_infinite_ends() -> None:
    assert estimate(0.5, [0.25, 0.75], percent) == "50.0 %   (95 %: 25.0 % … 75.0 %)"
    assert estimate(None, [1.0, None], "{:+.0f}".format) == "+∞   (95 %: +1 … +∞)"
    assert estimate(None, [None, -1.0], "{:+.0f}".format, "−∞") == "−∞   (95 %: −∞ … −1)"


def test_score_bar_coordinates() -> None:
    bar = score_bar(0.5, 0.25, 1.5)
    assert 'cx="300.0"' in bar
    assert 'x="150.0" y="9" width="450.0"' in bar


def test_inline_table_with_bars() -> None:
    made = table(("move", "wins"), [("<A1>", "25%"), ("B2", "?")], bars=(0.25, None), inline=True)
    assert '<td style="text-align:left;white-space:pre">&lt;A1&gt;</td>' in made
    assert ";width:30px" in made
    assert made.count("min-width:120px") == 2
    assert made.count("<span") == 1
    assert table(("a",), [("1",)], inline=True).count("<th ") == 1
