"""`tcg-raw`: codes and headers round-trip on every reachable position."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from starscout import games
from starscout.game import GameError
from starscout.game.state import parse, start
from starscout.protocols.tcg_raw import PASS, code, header, move_of, start_from_header
from tests.protocols.conftest import converse_here, walk


@pytest.mark.parametrize("name", ["ewn-cyclic", "kari"])
@pytest.mark.parametrize("seed", range(4))
def test_raw_codes_are_two_characters_and_unambiguous(name: str, seed: int) -> None:
    for state in walk(name, seed):
        codes = [code(state.game, state.position, move) for move in state.legal]
        assert len(set(codes)) == len(codes)
        for move, text in zip(state.legal, codes, strict=True):
            assert text == PASS or (text[0] in "012345" and text[1] in "0123")
            assert move_of(state, text) == move
        assert move_of(state, "99") is None


def test_raw_directions_match_the_course() -> None:
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
def test_raw_headers_round_trip(seed: int, name: str, side: int) -> None:
    state = start(games.load(name), seed)
    text = header(state, side)
    assert len(text) == (34 if name == "ewn-cyclic" else 13)
    assert start_from_header(state.game, text) == (state, side)


@settings(deadline=None)
@given(st.text("0123456789fsxy", min_size=0, max_size=40))
@example("01234f")
@example("f")
def test_malformed_raw_headers_raise(text: str) -> None:
    game = games.load("kari")
    try:
        state, side = start_from_header(game, text)
    except GameError:
        return
    assert header(state, side) == text


def test_header_of_a_known_start() -> None:
    # Red's cells from A1 row by row, then blue's.
    text = "012.../34..../5...../.....f/....ed/...cba r"
    assert header(parse(games.load("kari"), text), 0) == "012345543210f"
    assert header(parse(games.load("kari"), text), 1) == "012345543210s"


def test_agents_only_play_from_a_start() -> None:
    state = start(games.load("kari"))
    with pytest.raises(GameError, match="play only from a start"):
        header(state.play(state.moves[0]), 0)


def test_the_engine_of_red_moves_first_and_stops_at_the_end_of_input() -> None:
    game = games.load("kari")
    first = start(game, 3)
    answers = converse_here("tcg-raw", header(first, 0), "kari")
    assert move_of(first, answers) is not None
    assert len(answers) == 2


def test_an_illegal_move_of_the_referee_raises() -> None:
    with pytest.raises(GameError, match="the referee sent '99', which is not a legal move in"):
        converse_here("tcg-raw", header(start(games.load("kari")), 1) + "99", "kari")
