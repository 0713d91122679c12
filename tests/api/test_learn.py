"""`starscout.learn`: rejected input and display of results; tests/learning covers the training."""

from pathlib import Path

import pytest

import starscout
from starscout.game import GameError

RESULT = starscout.LearnResult(
    (
        starscout.LearnedGeneration(1, 1000, 20_000, 0.21, 0.9, 0.02, champion=True),
        starscout.LearnedGeneration(2, 2000, 40_000, 0.2, 0.49, 0.02, champion=False),
    ),
    Path("mine.weights"),
    12.0,
)


def test_a_result_is_shown() -> None:
    assert str(RESULT).splitlines() == [
        "generation 1: 1,000 games, 20,000 positions, error 0.2100, score 90.0% ± 2.0%",
        "generation 2: 2,000 games, 40,000 positions, error 0.2000, score 49.0% ± 2.0% (the previous champion stays)",
    ]
    assert set(RESULT.json()["generations"][0]) == {
        "generation", "games", "positions", "error", "score", "score_error",
    }  # fmt: skip
    assert RESULT.frame()["games"].tolist() == [1000, 2000]
    assert RESULT._repr_html_().count("<svg") == 1
    assert repr(RESULT) == "<2 generations learned, mine.weights>"


def test_invalid_input_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "old.weights").write_text("")
    for name, sentence in (("mine.bin", "ends in"), ("old.weights", "already exists")):
        with pytest.raises(GameError, match=sentence):
            starscout.learn("ewn-3x3-3", games=1, out=tmp_path / name)
