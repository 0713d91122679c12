"""`tcg-ewn`: `get` lines round-trip, and our engine answers as the course specifies."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starscout.game import GameError
from starscout.protocols.tcg_ewn import COLOURS, read_get, squares_text
from tests.protocols.conftest import converse, walk


@pytest.mark.parametrize("seed", range(4))
def test_get_lines_round_trip(seed: int) -> None:
    for state in walk("ewn", seed):
        words = f"{COLOURS[state.mover]} {state.roll} {squares_text(state.position)}".split()
        again = read_get(words)
        assert (again.position, again.roll) == (state.position, state.roll)


def test_get_matches_the_rules() -> None:
    state = read_get(["R", "2", "D4", "D5", "E5", "E4", "C5", "E3", "B2", "B1", "A1", "A2", "C1", "A3"])
    assert state.text == "325../41.../6...f/...ad/..ebc r 2"
    assert "B1B2" in state.moves


@settings(deadline=None)
@given(st.lists(st.text("RBA15E0 ", max_size=3), max_size=16))
def test_malformed_get_lines_raise(words: list[str]) -> None:
    with pytest.raises(GameError):
        read_get(words)


def test_tcg_ewn_as_the_course_describes_it() -> None:
    answers = converse(
        "tcg-ewn",
        "name",
        "version",
        "time_setting 60 0 0",
        "board_setting 5 6 2",
        "ini B",
        "get R 2 D4 D5 E5 E4 C5 E3 B2 B1 A1 A2 C1 A3",
        "get B 3 0 0 E5 0 0 0 0 0 0 0 A1 0",
        "exit",
    )
    assert answers[0] == "Foo"
    assert answers[2:4] == ["1", "1"]
    assert sorted(answers[4].split()) == ["C5", "D4", "D5", "E3", "E4", "E5"]
    assert answers[5] in ("B1 C1", "B1 B2", "B1 C2")
    assert answers[6] in ("E5 D5", "E5 E4", "E5 D4")
    assert len(answers) == 7
