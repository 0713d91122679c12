"""`starscout bench`: rates of every game, and the search fingerprint."""

import json

import pytest

from starscout import games
from starscout.api.bench import fingerprint


@pytest.mark.slow
def test_json(command_line):
    done = command_line("bench", "--quick", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert set(answer) == {"fingerprint", "rows"}
    assert answer["fingerprint"] == sum(fingerprint().values())
    names = [row["name"] for row in answer["rows"]]
    for game in games.NAMES:
        assert f"{game} perft" in names
        assert f"{game} random games, 1 thread" in names
        assert f"{game} random games, 2 threads" in names
    assert {row["unit"] for row in answer["rows"]} == {"leaves/s", "games/s", "nodes/s"}
    assert all(row["value"] > 0 for row in answer["rows"])
