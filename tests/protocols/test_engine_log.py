"""The log of the traffic with engines."""

import re
import sys
from pathlib import Path

import pytest

from starscout import games
from starscout.game.state import parse
from starscout.players.spec import make_player
from starscout.protocols.channel import VARIABLE, EngineLog
from starscout.referee.game_in_progress import play_game
from starscout.search.limits import Limit

ROGUE = Path(__file__).parent / "rogue.py"


def test_every_line_is_logged_with_time_and_direction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "talk.log"
    monkeypatch.setenv(VARIABLE, str(log))
    game = games.load("ewn")
    players = make_player(f"lab:{sys.executable} {ROGUE} crash", game), make_player("random", game)
    record = play_game(parse(game, "1..../...../...../...../....a r -"), players, (Limit(time=5.0), Limit()))
    players[0].close()
    lines = log.read_text().splitlines()
    assert all(re.fullmatch(r"\d\d:\d\d:\d\d\.\d{3} lab:\S+ \S+ crash [<>!] .*", line) for line in lines)
    talk = [line.split(" crash ", 1)[1] for line in lines]
    assert talk[:2] == ["> lab 1", "< id name Rogue"]
    assert f"< bestmove {record.plies[0].text}" in talk
    assert "! Traceback: out of ideas" in talk


def test_no_file_without_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    log = EngineLog("engine")
    log.write(">", b"hello\n")
    log.close()
    assert list(tmp_path.iterdir()) == []
