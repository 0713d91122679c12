"""The board of backgammon as text."""

from starscout import games
from starscout.drawing.text import draw, draw_plain
from starscout.game import NOT_ROLLED
from starscout.game.state import State, parse
from starscout.games.backgammon.rules import position_of
from tests.games.backgammon.test_rules import board

DMP = games.load("backgammon-dmp")


def test_stacks_bar_and_borne_off_checkers_are_drawn() -> None:
    position = position_of(board(p23=1, p6=7, p3=2), board(p1=9, p21=1, bar=2), 0)
    lines = draw_plain(State(DMP, position, NOT_ROLLED)).splitlines()
    assert lines == [
        "   13 14 15 16 17 18 │   │19 20 21 22 23 24 │ off",
        "    ·  ·  ·  ·  ·  · │   │ ·  ·  ·  ·  O  X │  3",
        "                     │   │                X │",
        "                     │   │                X │",
        "                     │   │                X │",
        "                     │   │                9 │",
        "                     │BAR│                  │",
        "                     │   │ 7                │",
        "                     │   │ O                │",
        "                     │   │ O                │",
        "                     │ X │ O        O       │",
        "    ·  ·  ·  ·  ·  · │ X │ O  ·  X  O  ·  · │  5",
        "   12 11 10  9  8  7 │   │ 6  5  4  3  2  1 │ off",
        "   white O: 71 pips   black X: 80 pips",
        "white to move",
    ]


def test_the_last_play_has_stars_and_narrow_terminals_get_the_grid() -> None:
    state = parse(DMP, "4HPwATDgc/ABMA w 31").play("8/5 6/5")
    lines = draw_plain(state).splitlines()
    assert lines[12] == "   12 11 10  9  8* 7 │   │ 6* 5* 4  3  2  1 │ off"
    assert "pips" not in draw_plain(state, 40)
    coloured = draw(state)
    assert coloured.plain.count("●") == 30
    assert {str(span.style) for span in coloured.spans} == {"bold bright_white on green", "bold black on green"}
