"""Wrong, late and missing answers in external protocols: each has its outcome, and the match continues."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from starscout import games
from starscout.players.spec import make_player
from starscout.protocols.tcg_raw import TcgRawPlayer
from starscout.referee.game_in_progress import play_game
from starscout.search.limits import Limit
from tests.starts import any_start

CANNED = Path(__file__).parent / "canned.py"
EWN = {"name": "foo", "version": "1", "time_setting": "1", "board_setting": "1", "ini": "C1 B2 A3 A1 B1 A2"}
OTP = {"name": "name foo", "clear_board": "clear_board"}

CASES: list[tuple[str, str, dict[str, Any], str]] = [
    ("tcg-ewn", "ewn", {**EWN, "get": "E5 A1"}, "illegal move"),
    ("tcg-ewn", "ewn", {**EWN, "get": "\0 what?"}, "illegal move"),
    ("tcg-ewn", "ewn", {**EWN, "get": None}, "timeout"),
    ("tcg-ewn", "ewn", {**EWN, "get": "DIE"}, "crash"),
    ("tcg-ewn", "ewn", {**EWN, "time_setting": "0"}, "illegal move"),
    ("tcg-ewn", "ewn", {**EWN, "ini": "anywhere"}, "illegal move"),
    ("tcg-raw", "kari", {"RAW": ["zz"]}, "illegal move"),
    ("tcg-raw", "kari", {"RAW": ["??"]}, "illegal move"),
    ("tcg-raw", "kari", {"RAW": ["5", "DIE"]}, "crash"),
    ("tcg-raw", "kari", {"RAW": ["5"]}, "timeout"),
    ("tcg-raw", "ewn-cyclic", {"RAW": [None]}, "timeout"),
    ("otp", "othello", {**OTP, "genmove": "genmove 0 0"}, "illegal move"),
    ("otp", "othello", {**OTP, "genmove": "genmove 9 9"}, "illegal move"),
    ("otp", "othello", {**OTP, "genmove": "unknown command"}, "illegal move"),
    ("otp", "othello", {**OTP, "genmove": None}, "timeout"),
    ("otp", "othello", {**OTP, "genmove": "DIE"}, "crash"),
    ("otp", "othello", {**OTP, "clear_board": "what?"}, "illegal move"),
    ("nboard", "othello", {"ping 1": "pong 1", "ping 2": "pong 2", "go": "=== a1/0/0"}, "illegal move"),
    ("nboard", "othello", {"ping 1": "pong 1", "ping 2": "pong 2", "go": "==="}, "illegal move"),
    ("nboard", "othello", {"ping 1": "pong 1", "ping 2": None}, "timeout"),
    ("nboard", "othello", {"ping 1": "DIE"}, "crash"),
]


@pytest.mark.parametrize(("protocol", "name", "answers", "reason"), CASES)
def test_the_engine_loses_for_the_right_reason(protocol: str, name: str, answers: dict[str, Any], reason: str) -> None:
    game = games.load(name)
    engine = make_player(f"{protocol}:{sys.executable} {CANNED} '{json.dumps(answers)}'", game)
    # The time is short only where it decides the game: a busy machine may need more for everything else.
    seconds = 0.2 if reason == "timeout" else 60.0
    if isinstance(engine, TcgRawPlayer):
        engine.startup = seconds
    other = make_player("random", game)
    for half in (0, 1):
        record = play_game(any_start(game, 2, 0), (engine, other), (Limit(time=seconds), Limit()), half=half)
        assert (record.winner, record.reason, record.plies) == (1, reason, ()), record.detail
    engine.close()
