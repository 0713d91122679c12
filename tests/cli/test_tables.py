"""`starscout tables`: build, check, damage, and use by `solve`."""

import json
from pathlib import Path

from tests.cli.conftest import CommandLine


def test_build_check_and_damage(command_line: CommandLine, tmp_path: Path):
    def run(*words: str):
        return command_line("tables", *words, STARSCOUT_CACHE=str(tmp_path), NUMBA_DISABLE_JIT="1")

    missing = run("check", "ewn-3x3-1")
    assert missing.returncode == 1
    assert missing.stderr.endswith("does not exist: starscout tables build ewn-3x3-1 --cubes 2\n")
    ended = run("build", "ewn-3x3-1", "--json")
    assert ended.returncode == 0, ended.stderr
    answer = json.loads(ended.stdout)
    assert answer["classes"] == [{"own": 1, "enemy": 1, "positions": 36, "sum": 28.0}]
    (file,) = (tmp_path / "tables").iterdir()
    assert answer["bytes"] == file.stat().st_size
    people = run("check", "ewn-3x3-1")
    assert people.returncode == 0, people.stderr
    assert "28.00" in people.stdout
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    damaged = run("check", "ewn-3x3-1")
    assert damaged.returncode == 1
    assert "is damaged: starscout tables build ewn-3x3-1 --cubes 2" in damaged.stderr


def test_no_tables_for_other_games(plain_command_line: CommandLine):
    ended = plain_command_line("tables", "build", "othello")
    assert ended.returncode == 2
    known = "backgammon, dark-chess, ewn and their variants"
    assert ended.stderr == f"starscout: there are no tables for othello: only for {known}\n"
