"""`starscout.course_match`: rounds are announced, recorded and stored."""

from pathlib import Path

import pytest

from starscout.api.judge import course_match
from starscout.api.records import replay


def test_a_course_match_in_python(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = tmp_path / "games.jsonl"
    result = course_match("ewn", "random", "random", rounds=3, seed=5, records=records, store=":memory:")
    assert (result.games, result.a, result.b) == (3, "random", "random (2)")
    assert replay(records).legal == 3
    assert capsys.readouterr().err.count("round ") == 3
