"""The notations of other protocols and ours: inverse to each other on every position that play reaches."""

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from starscout import games
from starscout.game import GameError
from starscout.games.othello import PASS
from starscout.protocols.otp import _split, move_text, read_move_text
from starscout.protocols.tcg_ewn import COLOURS, read_get, squares_text
from starscout.protocols.tcg_raw import PASS as RAW_PASS
from starscout.protocols.tcg_raw import code, header, move_of, start_from_header
from starscout.state import State, start


def walk(name: str, seed: int) -> list[State]:
    """The states of a random game, dice rolled, without the last."""
    generator = random.Random(seed)
    state = start(games.load(name), seed).rolled(generator)
    states = []
    while not state.over:
        states.append(state)
        state = state.play(generator.choice(state.legal)).rolled(generator)
    return states


@pytest.mark.parametrize("name", ["ewn-cyclic", "kari"])
@pytest.mark.parametrize("seed", range(4))
def test_raw_codes_are_two_characters_and_unambiguous(name: str, seed: int) -> None:
    for state in walk(name, seed):
        codes = [code(state.game, state.position, move) for move in state.legal]
        assert len(set(codes)) == len(codes)
        for move, text in zip(state.legal, codes, strict=True):
            assert text == RAW_PASS or (text[0] in "012345" and text[1] in "0123")
            assert move_of(state, text) == move
        assert move_of(state, "99") is None


def test_raw_directions_are_the_courses() -> None:
    """Cyclic: 0 horizontal, 1 vertical; kari: 0 vertical, 1 horizontal."""
    for name, along, down in (("ewn-cyclic", "0", "1"), ("kari", "1", "0")):
        for state in walk(name, 1)[:4]:
            for move in state.legal:
                squares = state.game.move_squares(state.position, move)
                direction = code(state.game, state.position, move)[1]
                if squares[0] // state.game.columns == squares[1] // state.game.columns:
                    assert direction == along
                elif squares[0] % state.game.columns == squares[1] % state.game.columns:
                    assert direction == down
                else:
                    assert direction in "23"


@settings(deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(["ewn-cyclic", "kari"]), st.integers(0, 1))
def test_raw_headers_come_back(seed: int, name: str, side: int) -> None:
    state = start(games.load(name), seed)
    text = header(state, side)
    assert len(text) == (34 if name == "ewn-cyclic" else 13)
    assert start_from_header(state.game, text) == (state, side)


@settings(deadline=None)
@given(st.text("0123456789fsxy", min_size=0, max_size=40))
@example("01234f")
@example("f")
def test_raw_headers_of_another_form_are_refused(text: str) -> None:
    game = games.load("kari")
    try:
        state, side = start_from_header(game, text)
    except GameError:
        return
    assert header(state, side) == text


@pytest.mark.parametrize("seed", range(4))
def test_get_lines_come_back(seed: int) -> None:
    for state in walk("ewn", seed):
        words = f"{COLOURS[state.mover]} {state.roll} {squares_text(state.position)}".split()
        again = read_get(words)
        assert (again.position, again.roll) == (state.position, state.roll)


def test_get_as_in_the_rules() -> None:
    state = read_get(["R", "2", "D4", "D5", "E5", "E4", "C5", "E3", "B2", "B1", "A1", "A2", "C1", "A3"])
    assert state.text == "325../41.../6...f/...ad/..ebc r 2"
    assert "B1B2" in state.moves


@settings(deadline=None)
@given(st.lists(st.text("RBA15E0 ", max_size=3), max_size=16))
def test_get_lines_of_another_form_are_refused(words: list[str]) -> None:
    with pytest.raises(GameError):
        read_get(words)


@given(st.one_of(st.integers(0, 63), st.just(PASS)))
def test_othello_squares_come_back(move: int) -> None:
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
def test_commands_without_line_ends(text: str, commands: list[str]) -> None:
    assert _split(text) == commands


@pytest.mark.parametrize(
    ("x", "y"), [("4", "12"), ("01", "2"), ("", "1"), ("²", "1"), ("8", "1"), ("٣", "3"), ("1" * 5_000, "2")]
)
def test_what_is_no_othello_square_is_refused(x: str, y: str) -> None:
    with pytest.raises(GameError, match="no square"):
        read_move_text(x, y)
