"""`starscout.tables`: rejected input; tests/cli/test_tables.py builds a table."""

from pathlib import Path

import pytest

import starscout
from starscout.api.solve import tables


def test_tables_are_built_or_checked() -> None:
    with pytest.raises(starscout.GameError, match="action: expected 'build' or 'check'"):
        tables("burn", "ewn")  # pyright: ignore[reportArgumentType]


def test_a_missing_table_is_named_with_the_command_that_builds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STARSCOUT_CACHE", str(tmp_path))
    with pytest.raises(starscout.WorkError, match="does not exist: starscout tables build ewn-3x3-1 --cubes 2"):
        tables("check", "ewn-3x3-1")
