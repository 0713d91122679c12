"""Recorded positions: values, results, and independence of chunks."""

import numpy
import pytest

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.games.ewn.evaluation import cube_features
from starscout.learning.self_play import PositionSample, SelfPlay, joined, play_chunk
from starscout.search.exact import exact_value

GAME = games.load("ewn-3x3-3")
FEATURES = cube_features(3, 3, 3)
ZERO = load_evaluation(GAME, "zero")
SETTINGS = SelfPlay(depth=2, opening=2, noise=0.2)


def chunk(first: int, count: int) -> PositionSample:
    return play_chunk(GAME, ZERO, FEATURES, SETTINGS, 5, first, count)


def positions_by_features() -> dict[tuple[int, ...], object]:
    """Every position of many random games by its features."""
    from starscout.evaluation.features import features_in
    from starscout.evaluation.squares import sample_positions
    from starscout.evaluation.weights import NO_WEIGHTS

    found = sample_positions(GAME)
    return dict(zip(map(tuple, features_in(FEATURES, NO_WEIGHTS, found).tolist()), found, strict=True))


def test_values_equal_the_search_before_the_roll() -> None:
    known = positions_by_features()
    sample = chunk(0, 300)
    checked = 0
    for features, value in zip(map(tuple, sample.features.tolist()), sample.values.tolist(), strict=True):
        if features in known:
            assert value == pytest.approx(exact_value(GAME, ZERO, known[features], SETTINGS.depth), abs=1e-6)
            checked += 1
    assert checked > 30


def test_results_alternate_and_agree_with_proofs() -> None:
    sample = chunk(0, 300)
    assert set(sample.results.tolist()) == {-1.0, 1.0}
    proven = numpy.abs(sample.values) == 1.0
    # Only a random ply loses what is proven.
    agreed = (sample.results[proven] == sample.values[proven]).mean()
    assert proven.sum() > 50
    assert agreed > 0.9


def test_games_do_not_depend_on_chunks() -> None:
    whole, parts = chunk(0, 60), joined([chunk(0, 25), chunk(25, 35)])
    assert whole.games == parts.games == 60
    for name in ("features", "values", "results"):
        assert numpy.array_equal(getattr(whole, name), getattr(parts, name))
    assert not numpy.array_equal(chunk(60, 10).values, chunk(0, 10).values)
