"""`starscout.experiment`: a small user experiment is run, displayed and saved."""

import json
from pathlib import Path

import pytest

import starscout
from starscout.game import GameError
from tests.experiments.examples import TEXT


def test_user_experiment(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(TEXT, encoding="utf-8")
    result = starscout.experiment(str(file), quick=True, workers=0, store=tmp_path / "a.sqlite")
    assert [row["name"] for row in result.rows()] == [row.name for row in result.study.rows]
    assert result.json()["verdict"] == result.verdict
    assert str(result).splitlines()[0] == result.question
    assert str(result).splitlines()[-1] == f"registration {result.experiment.registration}, seed 7"
    assert result.frame()["games"].tolist() == [row.games for row in result.study.rows]
    assert result._repr_html_().count("<svg") == 1
    assert json.loads(result.save(tmp_path).read_text(encoding="utf-8"))["name"] == result.name
    again = starscout.experiment(str(file), quick=True, workers=0, store=tmp_path / "a.sqlite")
    assert again.rows() == result.rows()


def test_unknown_name_is_rejected() -> None:
    with pytest.raises(GameError, match="no-such"):
        starscout.experiment("no-such")
