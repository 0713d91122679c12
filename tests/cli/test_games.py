"""`starscout games`: the list as text and as JSON."""

import json

import pytest

from starscout.cli import games
from tests.cli.conftest import CommandLine


def test_games_as_json(plain_command_line: CommandLine) -> None:
    rows = json.loads(plain_command_line("games", "--json").stdout)["games"]
    assert [row["name"] for row in rows] == ["backgammon", "dark-chess", "ewn", "ewn-cyclic", "kari", "othello"]
    assert all(set(row) == {"name", "title", "board", "dice", "description"} for row in rows)


def test_games_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    games.games()
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].split() == ["name", "title", "board", "dice", "description"]
    names = [line.split()[0] for line in shown[1:] if line[:2].strip()]
    assert names[:6] == ["backgammon", "dark-chess", "ewn", "ewn-cyclic", "kari", "othello"]
    assert shown[-1] == "Other sizes: ewn-4x4-3, othello-6x6. Your own games: a file that defines GAME, ./my_game.py"
