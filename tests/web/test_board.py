"""States and arrows as JSON for the page."""

from pathlib import Path

import pytest

import starscout
from starscout import games
from starscout.drawing.svg import Arrow
from starscout.web.board import is_turned, line_arrows, state_json

pytestmark = pytest.mark.plain

REVEAL = str(Path(__file__).parents[1] / "reveal_game.py")
CONNECT_FOUR = Path(__file__).parents[2] / "examples" / "connect_four.py"
BREAKTHROUGH = str(Path(__file__).parents[2] / "examples" / "breakthrough.py")


def test_moves_have_squares() -> None:
    shown = state_json(starscout.parse("ewn", "1..../...../...../...../....a r 1"))
    assert shown["moves"][0] == {"text": "A1B1", "squares": [0, 1]}
    assert (shown["die"], shown["mover"], shown["over"]) == ("1", 0, None)
    assert shown["svg"].startswith("<svg")
    assert state_json(starscout.start("othello"))["pieces"] == [2, 2]


@pytest.mark.parametrize("name", ["backgammon", "dark-chess", str(BREAKTHROUGH)])
def test_pieces_are_counted_only_if_they_are_the_score(name: str) -> None:
    assert state_json(starscout.start(name))["pieces"] is None


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


def test_events_in_the_notation_of_the_game() -> None:
    game = starscout.load(REVEAL)
    chosen = starscout.parse(game, "?????? 0 0 a -").play("s2")
    shown = state_json(chosen)
    assert shown["events"] == [{"text": "o", "weight": 2}, {"text": "p", "weight": 2}, {"text": "q", "weight": 2}]
    assert (shown["moves"], shown["die"], shown["rolls"]) == ([], None, False)
    revealed = state_json(chosen.rolled("o"))
    assert (revealed["die"], revealed["mover"], revealed["events"]) == ("o", 1, [])
    assert [move["squares"] for move in revealed["moves"]] == [[0], [2], [3], [4], [5]]
    over = state_json(starscout.parse(game, "oopq?q 5 0 a -").play("s5").rolled("p"))["over"]
    assert over == {"winner": 0, "reason": "all revealed", "points": 6}


def test_line_arrows_resolve_events() -> None:
    state = starscout.parse(starscout.load(REVEAL), "?????? 0 0 a -")
    assert [arrow.source for arrow in line_arrows(state, ["s2", "o", "s1", "q", "s5"])] == [1, 0, 4]
    assert [arrow.source for arrow in line_arrows(state, ["s2", "z", "s1"])] == [1]


def test_own_pieces_start_at_the_bottom() -> None:
    assert [is_turned(games.load("ewn"), side) for side in (0, 1)] == [True, False]
    assert [is_turned(games.load("othello"), side) for side in (0, 1)] == [False, False]


def test_last_move_of_a_game_that_names_no_squares_is_marked() -> None:
    start = starscout.start(str(CONNECT_FOUR))
    assert 'class="square last"' not in state_json(start)["svg"]
    shown = state_json(start.play(start.moves[0]))["svg"]
    assert shown.count('class="square last"') == 1
