"""Pages for notebooks: names are escaped, bars are as long as chances."""

import starscout
from starscout.api.html import board_html, table_html


def test_a_table_with_bars() -> None:
    page = table_html(("move", "wins"), [("<A1>", "25%"), ("B2", "?")], (0.25, None))
    assert '<td style="text-align:left">&lt;A1&gt;</td>' in page
    assert "width:30px" in page
    assert page.count("<td></td>") == 1
    assert table_html(("a",), [("1",)]).count("<th>") == 1


def test_a_board() -> None:
    page = board_html(starscout.start("ewn-3x3-3"))
    assert page.count('class="square') == 9
    assert "red to move" in page
