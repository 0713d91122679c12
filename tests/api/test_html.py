"""Pages for notebooks: names are escaped, bars are as long as chances."""

from starscout.api.html import table_html


def test_a_table_with_bars() -> None:
    page = table_html(("move", "wins"), [("<A1>", "25%"), ("B2", "?")], (0.25, None))
    assert '<td style="text-align:left;white-space:pre">&lt;A1&gt;</td>' in page
    assert ";width:30px" in page
    assert page.count("min-width:120px") == 2
    assert page.count("<span") == 1
    assert table_html(("a",), [("1",)]).count("<th ") == 1
