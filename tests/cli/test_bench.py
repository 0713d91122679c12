"""`starscout bench`: the rates of every game and a fingerprint that repeats."""

import json

from starscout.bench import FINGERPRINT_DEPTHS, fingerprint

FINGERPRINT = 1978089
"""Changes only when a rule changes; say so in the commit."""


def test_json(command_line):
    done = command_line("bench", "--quick", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert set(answer) == {"fingerprint", "rows"}
    assert answer["fingerprint"] == FINGERPRINT == fingerprint()
    names = [row["name"] for row in answer["rows"]]
    for game in FINGERPRINT_DEPTHS:
        assert f"{game} perft" in names
        assert f"{game} random games, 2 threads" in names
    assert all(row["value"] > 0 and row["unit"] in ("leaves/s", "games/s") for row in answer["rows"])
