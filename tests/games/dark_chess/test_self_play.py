"""Self-play of dark chess: reproducible games, bounded targets, exact results of the endgame table."""

from pathlib import Path

import numpy
import pytest

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.evaluation.learned import LEARNED
from starscout.games.dark_chess import endgame_table, self_play
from starscout.games.dark_chess.relations import FEATURES
from starscout.learning.self_play import SelfPlay

DARK = games.load("dark-chess")
pytestmark = [pytest.mark.plain, pytest.mark.slow_compiled]


@pytest.fixture(autouse=True)
def small_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of two pieces in an empty folder."""
    monkeypatch.setattr(endgame_table, "cache_folder", lambda: tmp_path / "kernels")
    monkeypatch.setattr(self_play, "MOST_PIECES", 2)
    self_play._endgame_table.cache_clear()  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize("name", ["zero", pytest.param(LEARNED, marks=pytest.mark.slow)])
def test_games_are_reproducible(name: str) -> None:
    evaluation, settings = load_evaluation(DARK, name), SelfPlay(depth=1, opening=30, noise=0.05)
    both = self_play.play_self(DARK, evaluation, FEATURES, settings, 7, 0, 2)
    again = self_play.play_self(DARK, evaluation, FEATURES, settings, 7, 0, 2)
    second = self_play.play_self(DARK, evaluation, FEATURES, settings, 7, 1, 1)
    assert len(both) > 40
    assert numpy.array_equal(both.features, again.features)
    assert numpy.array_equal(both.values, again.values)
    assert numpy.abs(both.values).max() <= self_play.MOST_CERTAIN
    assert set(numpy.abs(both.results)) <= {0.0, numpy.float32(self_play.MOST_CERTAIN)}
    if name == "zero":
        # Without a search nothing is kept between games.
        assert numpy.array_equal(both.features[-len(second) :], second.features)
        assert not both.values.any()


def test_a_missing_table_is_built() -> None:
    assert endgame_table.open_table(DARK, 2) is None
    table = self_play._endgame_table(DARK)  # pyright: ignore[reportPrivateUsage]
    assert table.most == 2
    assert endgame_table.open_table(DARK, 2) is not None
