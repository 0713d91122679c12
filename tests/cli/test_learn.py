"""`starscout learn`: text and JSON output, and resumption."""

import json
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "dice_race.py"


@pytest.mark.slow
def test_a_game_file_learns_from_its_rules_and_plays(command_line, tmp_path: Path) -> None:
    out, report = tmp_path / "race.weights", tmp_path / "race.html"
    done = command_line(
        "learn", str(EXAMPLE), "--games", "200", "--workers", "1", "--out", str(out), "--report", str(report), "--json"
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["file"] == str(out)
    fields = {"generation", "games", "positions", "error", "score", "score_error"}
    assert [set(generation) for generation in answer["generations"]] == [fields] * 4
    assert answer["generations"][0]["score"] > 0.5
    assert answer["seconds"] > 0
    assert "<svg" in report.read_text()
    for player in (f"negascout depth=2 eval={out}", f"mcts simulations=50 cutoff=1 eval={out}"):
        found = command_line("analyse", str(EXAMPLE), "xxx......ooo x 3", "--player", player, "--json")
        assert found.returncode == 0, found.stderr
        assert -1 < json.loads(found.stdout)["value"] < 1
    again = command_line("learn", str(EXAMPLE), "--games", "200", "--out", str(out))
    assert again.returncode == 2
    assert "already exists" in again.stderr


def test_invalid_input_is_rejected(plain_command_line, tmp_path: Path) -> None:
    for arguments, sentence in (
        (("--minutes", "1", "--games", "5"), "pass only one of --minutes, --games, --recipe"),
        (("--out", str(tmp_path / "file.txt")), "ends in .weights"),
        (("--recipe", str(tmp_path / "none.weights")), "cannot be read"),
        (("--start", str(tmp_path / "none.weights")), "ewn cannot continue from given weights"),
    ):
        done = plain_command_line("learn", "ewn", *arguments)
        assert done.returncode == 2
        assert sentence in done.stderr
        assert "Traceback" not in done.stderr
