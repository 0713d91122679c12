"""`otp`: the notation of squares and commands, and the answers of our engine."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starscout import games
from starscout.game import GameError
from starscout.game.state import start
from starscout.games.othello.rules import PASS
from starscout.protocols.otp import _split, move_text, read_move_text
from tests.protocols.conftest import converse, converse_here


def test_squares_are_row_and_column_from_the_top_left() -> None:
    assert [move_text(move) for move in (0, 7, 19, 63, PASS)] == ["0 0", "0 7", "2 3", "7 7", "8 0"]


@pytest.mark.parametrize(("x", "y"), [("8", "1"), ("0", "8"), ("9", "9")])
def test_squares_off_the_board_raise(x: str, y: str) -> None:
    with pytest.raises(GameError, match=f"square: expected row and column from 0 to 7, or 8 0 for a pass, got {x} {y}"):
        read_move_text(x, y)


@given(st.one_of(st.integers(0, 63), st.just(PASS)))
def test_othello_squares_round_trip(move: int) -> None:
    assert read_move_text(*move_text(move).split()) == move


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("clear_boardgenmove", ["clear_board", "genmove"]),
        ("play 2 3play 8 0", ["play 2 3", "play 8 0"]),
        ("GENMOVE\n", ["GENMOVE"]),
        ("hello world", ["hello world"]),
        ("namehello", ["name", "hello"]),
        (" ", []),
    ],
)
def test_commands_without_newlines(text: str, commands: list[str]) -> None:
    assert _split(text) == commands


def test_otp_as_the_course_describes_it() -> None:
    answers = converse(
        "otp", "name", "CLEAR_BOARD", "play 2 3", "genmove", "final_score", "undo", "undo", "showboard", "play 0 0",
        "Play 4 5", "hello", "undo", "play 2 3", "play 8 0", "quit", "name",
    )  # fmt: skip
    assert answers[:3] == ["name Foo", "clear_board", "play"]
    assert answers[3] in ("genmove 2 2", "genmove 2 4", "genmove 4 2")
    assert answers[4:9] == ["final_score 0", "undo", "undo", "showboard", "unknown command"]
    assert answers[9:] == ["play", "unknown command", "undo", "play", "unknown command", "quit"]


def test_passes_after_the_end_are_answered() -> None:
    """Our game ends with a full board; the course's game continues until both sides have passed."""
    state, talk = start(games.load("othello")), "clear_board\n"
    while not state.over:
        move = state.legal[0]
        talk += f"play {move_text(move)}\n"
        state = state.play(move)
    answers = converse_here("otp", talk + "genmove\nplay 8 0\nfinal_score\nquit\n").splitlines()
    assert set(answers[1 : 1 + state.ply]) == {"play"}
    board = state.text.split()[0]
    assert answers[1 + state.ply :] == [
        "genmove 8 0", "play", f"final_score {board.count('X') - board.count('O')}", "quit",
    ]  # fmt: skip


@pytest.mark.parametrize(("x", "y"), [("01", "2"), ("", "1"), ("²", "1"), ("8", "1"), ("٣", "3"), ("1" * 5_000, "2")])
def test_malformed_squares_raise(x: str, y: str) -> None:
    with pytest.raises(GameError, match="square: expected row and column"):
        read_move_text(x, y)


def test_blank_lines_are_skipped() -> None:
    assert converse("otp", "name", *([""] * 3_000), "undo", "quit") == ["name Foo", "undo", "quit"]
