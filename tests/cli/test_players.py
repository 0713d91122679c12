"""`starscout players`: presets by game."""

import json

from tests.cli.conftest import CommandLine


def test_players_of_a_game(plain_command_line: CommandLine):
    run = plain_command_line("players", "ewn", "--json")
    assert run.returncode == 0, run.stderr
    players = json.loads(run.stdout)["players"]
    assert all(set(player) == {"name", "game", "description", "origin"} for player in players)
    names = {player["name"] for player in players}
    assert {"random", "strong", "star-distance", "star-weighted", "star-determinacy"} <= names
    assert "hard" not in names


def test_people_see_the_same(plain_command_line: CommandLine):
    run = plain_command_line("players")
    assert run.returncode == 0, run.stderr
    assert "hard" in run.stdout
    assert "ewn-cyclic" in run.stdout
