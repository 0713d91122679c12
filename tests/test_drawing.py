"""Boards as people see them, with and without colours."""

import pytest

import starscout
from starscout.drawing import draw

pytestmark = pytest.mark.plain


def test_the_last_move_stands_in_brackets() -> None:
    state = starscout.parse("ewn", "1..../...../...../...../....a r 1").play("A1B2")
    assert str(state).splitlines() == [
        "     A    B    C    D    E",
        " 1  [·]   ·    ·    ·    ·",
        " 2   ·   [1]   ·    ·    ·",
        " 3   ·    ·    ·    ·    ·",
        " 4   ·    ·    ·    ·    ·",
        " 5   ·    ·    ·    ·   (1)",
        "blue to move",
    ]


def test_othello_counts_its_discs() -> None:
    drawn = str(starscout.start("othello").play("f5")).splitlines()
    assert drawn[0].split() == list("abcdefgh")
    assert drawn[5] == " 5   ·    ·    ·    ●    ●   [●]   ·    ·"
    assert drawn[-1] == "white to move (4–1)"


def test_the_end_says_who_won_and_why() -> None:
    assert str(starscout.parse("kari", "d...../....../....../....../....../.....3 r")).endswith("a draw: numbers")
    assert str(starscout.parse("ewn", "...../...../...../...../a...1 b -")).endswith("red wins: corner")


def test_the_known_die_of_the_cyclic_game_is_shown() -> None:
    text = "0....../......./......./......./......./......a r 340123401234012340123 0"
    assert str(starscout.parse("ewn-cyclic", text)).endswith("red to move, die 3")


def test_colours_tell_the_sides_and_the_last_move() -> None:
    drawing = draw(starscout.parse("ewn", "1..../...../...../...../....a r 1").play("A1B2"))
    styles = {drawing.plain[span.start : span.end].strip(): str(span.style) for span in drawing.spans}
    assert styles["1"] in ("bold white on bright_red", "bold white on blue")
    assert {str(span.style) for span in drawing.spans} >= {"bold white on bright_red", "bold white on blue"}
    assert "(" not in drawing.plain
    othello = draw(starscout.start("othello"))
    assert "○" not in othello.plain
    assert "bold bright_white on green" in {str(span.style) for span in othello.spans}
