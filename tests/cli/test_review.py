"""`starscout review` and `starscout results N --game N`."""

import json
from pathlib import Path

import pytest

import starscout
from tests.command_line import run


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    file = str(tmp_path / "games.sqlite")
    starscout.match("ewn-3x3-3", "random", "random", pairs=2, seed=3, workers=0, store=file, luck="off", progress=False)
    return file


def test_review_of_matches_and_files(store: str) -> None:
    meter = ["--luck", "eval=zero depth=1"]
    done = run(["review", "1", "--game", "3", "--json", "--store", store, *meter])
    value = json.loads(done.stdout)
    record = starscout.results(1, store=store).matches[0].records[2]
    assert (value["game"], value["players"]) == ("ewn-3x3-3", ["random", "random"])
    assert [ply["move"] for ply in value["plies"]] == [ply.text for ply in record.plies]
    assert {"move", "event", "value", "loss", "luck"} <= set(value["plies"][0])
    assert [set(side) >= {"player", "error_rate", "luck"} for side in value["summary"]] == [True, True]
    starscout.results(1, store=store).export("games.json")
    again = run(["review", "games.json", "--game", "3", "--json", *meter])
    assert json.loads(again.stdout)["plies"] == value["plies"]
    boards = run(["review", "games.json", "--game", "3", "--boards", *meter])
    assert boards.stdout.count("A    B    C") == len(record.plies) + 1
    assert "error rate" in boards.stdout
    done = run(["review", "1", "--game", "5", "--store", store])
    assert (done.returncode, done.stderr) == (
        2, "starscout: --game: expected 1 to 4, the games of match 1, got 5\n"
    )  # fmt: skip


def test_results_print_a_game(store: str) -> None:
    done = run(["results", "1", "--game", "3", "--store", store])
    assert done.stdout.startswith("ewn-3x3-3: random – random, ")
    assert done.stderr == "game 3 of 4\n"
    assert "decisions" in done.stdout
    done = run(["results", "--game", "3", "--store", store])
    assert "--game 3: pass one MATCH" in done.stderr
