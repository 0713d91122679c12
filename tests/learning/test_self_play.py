"""Recorded positions: values, results, and independence of chunks."""

import numpy
import pytest

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.evaluation.features import Features
from starscout.evaluation.weights import Weights
from starscout.game import ONGOING, Game
from starscout.games.ewn.evaluation import cube_features
from starscout.kernels.bits import Word, integer
from starscout.kernels.kernel import PLAIN, kernel
from starscout.learning.self_play import PositionSample, SelfPlay, joined, play_chunk
from starscout.search.exact import exact_value
from tests.search.generated_games import ALTERNATING, FREE, NOISE, POINTS, REPEATING, Position

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
    # Only random plies can change a proven result.
    agreed = (sample.results[proven] == sample.values[proven]).mean()
    assert proven.sum() > 50
    assert agreed > 0.9


def test_games_do_not_depend_on_chunks() -> None:
    whole, parts = chunk(0, 60), joined([chunk(0, 25), chunk(25, 35)])
    assert whole.games == parts.games == 60
    for name in ("features", "values", "results"):
        assert numpy.array_equal(getattr(whole, name), getattr(parts, name))
    assert not numpy.array_equal(chunk(60, 10).values, chunk(0, 10).values)


PART, MASK = Word(22), Word((1 << 22) - 1)


@kernel(inline=True)
def _field(view: Position, slot: int, tables: Weights) -> int:
    """The fields of a generated position, so that a test can recreate it."""
    if slot < 3:
        return integer((view.game >> (PART * Word(slot))) & MASK)
    if slot == 3:
        return integer(view.state)
    if slot == 4:
        return view.ply
    return view.pending if slot == 5 else view.mover


@pytest.mark.plain
@pytest.mark.slow_compiled
@pytest.mark.parametrize("game", [ALTERNATING, FREE, REPEATING], ids=lambda game: game.name)
def test_samples_of_generated_games_have_exact_values(game: Game) -> None:
    fields = Features("fields", 7, 1, _field)
    sample = play_chunk(game, NOISE, fields, SelfPlay(depth=2, opening=2, noise=0.2), 5, 0, 12 if PLAIN else 40)
    assert len(sample) > (12 if PLAIN else 40)
    for numbers, value, result in zip(sample.features.tolist(), sample.values, sample.results, strict=True):
        low, middle, high, *others = numbers
        position = game.as_position([low | middle << 22 | high << 44, *others])
        assert game.outcome(position) == ONGOING
        assert value == pytest.approx(exact_value(game, NOISE, position, 2), abs=1e-6)
        assert float(result) * POINTS == pytest.approx(round(float(result) * POINTS), abs=1e-5)
    assert PLAIN or {round(float(result) * POINTS) for result in sample.results} == set(range(-POINTS, POINTS + 1))
