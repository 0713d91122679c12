"""The check of a table by the rules finds a wrong value."""

import dataclasses
import random
from pathlib import Path

import pytest

from starscout import games
from starscout.games.ewn import endgame_table as ewn
from starscout.games.ewn.endgame_table import EwnTable, random_position, recomputed_value


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> EwnTable:
    monkeypatch.setattr(ewn, "table_path", lambda game, cubes: tmp_path / "a.table")
    list(ewn.build_table(games.load("ewn-3x3-3"), 4))
    found = ewn.open_table(games.load("ewn-3x3-3"), 4)
    assert found is not None
    return found


def test_correct_table_passes(table: EwnTable):
    assert table.first_wrong_value() is None


def test_wrong_value_is_found(table: EwnTable):
    wrong = table.record.copy()
    wrong["values"] = wrong["values"] // 2
    text = dataclasses.replace(table, record=wrong).first_wrong_value()
    assert text is not None
    assert text.endswith("r -")


def test_random_positions_are_covered(table: EwnTable):
    generator = random.Random(5)
    for _ in range(100):
        position = random_position(table, generator)
        assert table.covers(position)
        assert -1.0 <= recomputed_value(table, position) <= 1.0
