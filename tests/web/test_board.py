"""States and arrows as JSON for the page."""

import pytest

import starscout
from starscout.drawing.svg import Arrow
from starscout.web.board import line_arrows, state_json

pytestmark = pytest.mark.plain


def test_moves_have_squares() -> None:
    shown = state_json(starscout.parse("ewn", "1..../...../...../...../....a r 1"))
    assert shown["moves"][0] == {"text": "A1B1", "squares": [0, 1]}
    assert (shown["die"], shown["mover"], shown["over"]) == ("1", 0, None)
    assert shown["svg"].startswith("<svg")
    assert state_json(starscout.start("othello"))["pieces"] == [2, 2]


def test_before_the_roll_there_are_no_moves() -> None:
    shown = state_json(starscout.start("ewn"))
    assert (shown["moves"], shown["die"], shown["rolls"]) == ([], None, True)


def test_known_dice_are_listed() -> None:
    shown = state_json(starscout.start("ewn-cyclic", 4))
    assert len(shown["coming"]) == 20
    assert not shown["rolls"]


def test_outcome_is_included() -> None:
    assert state_json(starscout.parse("ewn", "...../...../...../...../a...1 b -"))["over"] == {
        "winner": 0,
        "reason": "corner",
    }


def test_line_arrows_play_the_rolls() -> None:
    state = starscout.parse("ewn", "1..../...../...../...../....a r 1")
    assert line_arrows(state, ["A1B2", "1", "E5D4"]) == [Arrow(0, 6, "1", 1.0), Arrow(24, 18, "2", 0.75)]
    assert line_arrows(state, ["A1B2", "9", "E5D4"]) == [Arrow(0, 6, "1", 1.0)]
    assert line_arrows(state, ["E5D4"]) == []
    assert line_arrows(starscout.start("othello"), ["f5"]) == [Arrow(37, 37, "1", 1.0)]
