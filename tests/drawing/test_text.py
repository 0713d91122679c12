"""Boards as text, plain and coloured."""

import pytest

import starscout
from starscout.drawing.text import draw, draw_plain

pytestmark = pytest.mark.plain


def test_last_move_is_in_brackets() -> None:
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


def test_othello_piece_counts() -> None:
    drawn = str(starscout.start("othello").play("f5")).splitlines()
    assert drawn[0].split() == list("abcdefgh")
    assert drawn[5] == " 5   ·    ·    ·    ●    ●   [●]   ·    ·"
    assert drawn[-1] == "white to move (4–1)"


def test_summary_of_a_finished_game() -> None:
    assert str(starscout.parse("kari", "d...../....../....../....../....../.....3 r")).endswith("a draw: numbers")
    assert str(starscout.parse("ewn", "...../...../...../...../a...1 b -")).endswith("red wins: corner")


def test_known_die_of_the_cyclic_game() -> None:
    text = "0....../......./......./......./......./......a r 340123401234012340123 0"
    assert str(starscout.parse("ewn-cyclic", text)).endswith("red to move, die 3, then 4 0 1 2 3 4 0 1 2 3 …")


def test_known_dice_start_after_the_current_die() -> None:
    text = "0....../......./......./......./......./......a b 012345432101234543210 1"
    state = starscout.parse("ewn-cyclic", text)
    assert str(state).endswith("blue to move, die 1, then 2 3 4 5 4 3 2 1 0 1 …")
    assert "".join(state.game.dice_to_come(state.position)) == "23454321012345432100"


ROWS = {
    28: ["     A    B    C    D    E", " 1  [·]   ·    ·    ·    ·", " 2   ·   [1]   ·    ·    ·"],
    27: ["    A  B  C  D  E", " 1 [·] ·  ·  ·  ·", " 2  · [1] ·  ·  ·"],
    18: ["    A  B  C  D  E", " 1 [·] ·  ·  ·  ·", " 2  · [1] ·  ·  ·"],
    17: ["   A B C D E", " 1 · · · · ·", " 2 · 1 · · ·"],
    10: ["   A B C D", " 1 · · · ·", " 2 · 1 · ·"],
}


@pytest.mark.parametrize("width", ROWS)
def test_narrow_terminal(width: int) -> None:
    state = starscout.parse("ewn", "1..../...../...../...../....a r 1").play("A1B2")
    lines = draw_plain(state, width).splitlines()
    assert [line.rstrip() for line in lines[:3]] == [line.rstrip()[:width] for line in ROWS[width]]
    assert max(map(len, lines[:-1])) <= width
    coloured = draw(state, width).plain.splitlines()
    assert max(map(len, coloured[:-1])) <= width
    assert len(coloured) == len(lines) == 7


@pytest.mark.parametrize("width", [None, 20, 10])
def test_plain_text_distinguishes_the_sides(width: int | None) -> None:
    lines = draw_plain(starscout.parse("ewn-3x3-1", "1../.../..a r 1"), width).splitlines()
    assert "".join(lines[1].split()[1:]).strip("·") == "1"
    assert "".join(lines[3].split()[1:]).strip("·") in ("(1)", "1'")
    othello = draw_plain(starscout.start("othello"), width)
    assert "●" in othello
    assert width == 10 or "○" in othello


def test_colours_of_sides_and_last_move() -> None:
    drawing = draw(starscout.parse("ewn", "1..../...../...../...../....a r 1").play("A1B2"))
    styles = {drawing.plain[span.start : span.end].strip(): str(span.style) for span in drawing.spans}
    assert styles["1"] in ("bold white on bright_red", "bold white on blue")
    assert {str(span.style) for span in drawing.spans} >= {"bold white on bright_red", "bold white on blue"}
    assert "(" not in drawing.plain
    othello = draw(starscout.start("othello"))
    assert "○" not in othello.plain
    assert "bold bright_white on green" in {str(span.style) for span in othello.spans}
