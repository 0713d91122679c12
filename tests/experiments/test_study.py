"""Study files."""

from pathlib import Path

import pytest

from starscout.experiments.runner import load_study, study_file
from starscout.game import GameError
from tests.experiments.examples import EXPERIMENT, row, study_of


def test_study_file_round_trip(tmp_path: Path) -> None:
    study = study_of(row("tree – chance", 0.8, reported={"games": 10, "score": 0.9}), row("another compiler", None))
    folder = tmp_path / "reports"
    assert load_study(EXPERIMENT, folder) is None
    assert study.save(folder) == study_file(folder, "example")
    assert load_study(EXPERIMENT, folder) == study


def test_invalid_study_file_is_refused(tmp_path: Path) -> None:
    for text in ("{", "{}", '{"rows": [{"name": 1}]}'):
        study_file(tmp_path, "example").write_text(text)
        with pytest.raises(GameError, match=r"example\.json: not a study"):
            load_study(EXPERIMENT, tmp_path)


def test_missing_row_is_named() -> None:
    assert study_of(row("a", 0.5)).row("a").score == 0.5
    with pytest.raises(GameError, match="no row 'b'"):
        study_of(row("a", 0.5)).row("b")
