"""Compilation never loses a game: whole games with an empty kernel cache, in every protocol, within its limits."""

import sys
from pathlib import Path

import pytest

import starscout
from starscout import games
from starscout.players.spec import make_player
from starscout.protocols.registry import course_of
from starscout.referee.game_in_progress import play_game
from starscout.search.limits import Limit
from tests.starts import any_start


@pytest.mark.slow
@pytest.mark.parametrize(
    ("protocol", "name"),
    [
        ("lab", "ewn"),
        ("tcg-ewn", "ewn"),
        ("tcg-raw", "ewn-cyclic"),
        ("tcg-raw", "kari"),
        ("otp", "othello"),
        ("nboard", "othello"),
    ],
)
def test_the_first_answer_is_in_time(protocol: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = games.load(name)
    other = make_player("random", game)
    monkeypatch.setenv("PYTHONPATH", str(Path(starscout.__file__).parents[1]))
    monkeypatch.setenv("STARSCOUT_CACHE", str(tmp_path))
    monkeypatch.delenv("NUMBA_DISABLE_JIT")
    option = f" --game {name}" if protocol == "tcg-raw" else ""
    spec = f"'negascout depth=2' --protocol {protocol}{option}"
    engine = make_player(f"{protocol}:{sys.executable} -m starscout engine {spec}", game)
    limit = Limit(time=1.0) if protocol == "lab" else course_of(game)[1].limit
    record = play_game(any_start(game, 1, 0), (engine, other), (limit, limit))
    engine.close()
    assert not record.forfeit, record.detail
