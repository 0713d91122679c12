"""`starscout tournament` and `starscout results`: text and JSON output."""

import json
from pathlib import Path


def test_a_tournament_and_its_results(plain_command_line, tmp_path: Path) -> None:
    store = ("--store", str(tmp_path / "a.sqlite"))
    report = tmp_path / "report.html"
    arguments = ("tournament", "ewn-3x3-3", "random", "random", "random", "--round-robin", "--pairs", "3", *store)
    done = plain_command_line(*arguments, "--workers", "0", "--report", str(report), "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert {"rank", "player", "games", "score", "elo", "elo_error", "opponents_score"} <= set(answer["table"][0])
    assert sum(row["score"] for row in answer["table"]) == 18
    assert len(answer["rounds"]) == 3
    assert report.read_text().startswith("<!doctype html>")

    listed = json.loads(plain_command_line("results", *store, "--json").stdout)
    assert len(listed["matches"]) == 3
    assert all(match["pairs"] == 3 and match["finished"] for match in listed["matches"])
    assert listed["tournaments"][0]["kind"] == "round robin"

    shown = json.loads(plain_command_line("results", "--tournament", "1", *store, "--json").stdout)
    assert shown["table"] == answer["table"]

    csv = tmp_path / "games.csv"
    people = plain_command_line("results", "2", *store, "--export", str(csv))
    assert "6 games written" in people.stdout
    assert len(csv.read_text().splitlines()) == 7
    assert plain_command_line("results", "--game", "othello", *store, "--json").stdout.startswith('{"matches": []')


def test_a_tournament_is_exported(plain_command_line, tmp_path: Path) -> None:
    store, agent, grades = ("--store", str(tmp_path / "a.sqlite")), tmp_path / "agent.py", tmp_path / "grades.csv"
    agent.write_text("class Broken:\n    def choose(self, state, limit):\n        return 'nonsense'\n")
    players = ("random", f"python:{agent}:Broken", "--round-robin", "--pairs", "1", "--workers", "1")
    assert plain_command_line("tournament", "ewn-3x3-3", *players, *store).returncode == 0
    one = ("results", "--tournament", "1", *store)
    done = plain_command_line(*one, "--export", str(grades), "--grades", "passed=50,failed=0")
    assert (done.returncode, done.stdout) == (0, f"2 players written to {grades}\n")
    assert [line.rpartition(",")[2] for line in grades.read_text().splitlines()] == ["grade", "passed", "failed"]
    assert plain_command_line(*one, "--forfeits").stdout.count("illegal move") == 2
    for more, why in {
        ("--grades", "A=50"): "--grades requires --tournament and --export",
        ("--player", "random"): "pass only one of --player, --tournament",
        ("1",): "pass only one of --numbers, --tournament",
        ("--export", str(tmp_path / "a.xls")): "expected a file name ending in .csv, .json, .html",
    }.items():
        failed = plain_command_line(*one, *more)
        assert failed.returncode == 2
        assert why in failed.stderr


def test_a_format_is_required(plain_command_line, tmp_path: Path) -> None:
    store = ("--store", str(tmp_path / "a.sqlite"))
    done = plain_command_line("tournament", "ewn", "random", "random", *store)
    assert done.returncode == 2
    assert "--round-robin" in done.stderr
    plain_command_line(
        "match", "ewn-3x3-3", "random", "random", "--pairs", "1", "--luck", "off", "--workers", "0", *store
    )
    missing = plain_command_line("results", "4", *store)
    assert missing.returncode == 2
    assert "no match 4" in missing.stderr
