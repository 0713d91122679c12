"""Free placement: each side chooses the squares of its cubes."""

import json
import sys
from pathlib import Path

import pytest

from starscout import games
from starscout.game import GameError
from starscout.players.spec import make_player
from starscout.protocols.tcg_ewn import PROTOCOL, check_placement, placed
from starscout.referee.series import Series
from starscout.search.limits import Limit

CANNED = Path(__file__).parent / "canned.py"
ANSWERS = {"name": "foo", "version": "1", "time_setting": "1", "board_setting": "1", "get": "A1 A1"}


@pytest.mark.parametrize(
    ("squares", "board"),
    [
        ("A1 B1 C1 A2 B2 A3", "123../45.../6...e/...df/..cba"),
        ("A1 A1 C1 A2 B2 A3", "123../64.../5...e/...df/..cba"),
        ("E5 D5 C5 E4 D4 E3", "123../64.../5...e/...df/..cba"),
    ],
)
def test_valid_preferred_squares_are_used(squares: str, board: str) -> None:
    game = games.load("ewn")
    agent = make_player(f"tcg-ewn:{sys.executable} {CANNED} '{json.dumps({**ANSWERS, 'ini': squares})}'", game)
    players = agent, make_player("random", game)
    limits = Limit(time=5.0), Limit(time=5.0)
    series = Series(game, schedule=PROTOCOL.courses["ewn"].schedule, arrange=placed)
    games_played = [series.play(0, half, players, limits) for half in (0, 1)]
    assert [played.record.start for played in games_played] == [f"{board} r -", f"{board} b -"]
    assert {played.record.reason for played in games_played} == {"illegal move"}
    agent.close()


def test_an_agent_that_fails_before_the_game_loses() -> None:
    game = games.load("ewn")
    players = make_player("tcg-ewn:/bin/false", game), make_player("random", game)
    series = Series(game, schedule=PROTOCOL.courses["ewn"].schedule, arrange=placed)
    played = series.play(0, 0, players, (Limit(), Limit()))
    assert (played.record.winner, played.record.reason) == (1, "crash")


def test_free_placement_requires_ewn() -> None:
    check_placement("free", games.load("ewn"))
    check_placement("random", games.load("kari"))
    with pytest.raises(GameError, match="requires ewn"):
        check_placement("free", games.load("kari"))
    with pytest.raises(GameError, match="random or free"):
        check_placement("fre", games.load("ewn"))
