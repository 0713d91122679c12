"""`load`, `start` and `parse` take a game by name, by file or as a game."""

from pathlib import Path

import pytest

import starscout

EXAMPLE = Path(__file__).parents[2] / "examples" / "dice_race.py"


@pytest.mark.parametrize("name", ["ewn-3x3-3", str(EXAMPLE)])
def test_by_name_by_file_and_as_a_game(name: str) -> None:
    game = starscout.load(name)
    assert starscout.start(game) == starscout.start(name)
    state = starscout.start(name).rolled(2)
    assert starscout.parse(game, state.text) == state
    assert eval(repr(state)) == state
