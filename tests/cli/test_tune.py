"""`starscout tune`: JSON output."""

import json
from pathlib import Path


def test_json_report_and_going_on(plain_command_line, tmp_path: Path) -> None:
    report = tmp_path / "tune.html"
    arguments = (
        "tune",
        "ewn-3x3-3",
        "mcts simulations=20",
        "--parameters",
        "c=1:0.1:3",
        "--steps",
        "3",
        "--pairs",
        "2",
    )
    options = ("--workers", "1", "--store", str(tmp_path / "a.sqlite"), "--json", "--report", str(report))
    done = plain_command_line(*arguments, *options)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert set(answer["parameters"]) == {"c"}
    assert [step["step"] for step in answer["history"]] == [1, 2, 3]
    assert answer["player"].startswith("mcts simulations=20 c=")
    assert "<svg" in report.read_text()
    assert json.loads(plain_command_line(*arguments, *options).stdout) == answer


def test_invalid_parameters_are_rejected(plain_command_line) -> None:
    done = plain_command_line("tune", "ewn-3x3-3", "mcts", "--parameters", "c=5:0:1", "--store", ":memory:")
    assert done.returncode == 2
    assert "expected low ≤ start ≤ high, low < high" in done.stderr
