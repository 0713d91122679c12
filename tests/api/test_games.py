"""`load`, `start` and `parse` accept a game by name, by file or as an object."""

from pathlib import Path

import pytest

import starscout

EXAMPLE = Path(__file__).parents[2] / "examples" / "dice_race.py"


@pytest.mark.parametrize("name", ["ewn-3x3-3", str(EXAMPLE)])
def test_games_by_name_file_and_object(name: str) -> None:
    game = starscout.load(name)
    assert starscout.start(game) == starscout.start(name)
    state = starscout.start(name).rolled(2)
    assert starscout.parse(game, state.text) == state
    assert eval(repr(state)) == state
