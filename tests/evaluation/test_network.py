"""The rounded network against the same network in floating point."""

import numpy
import pytest

from starscout import games
from starscout.evaluation.features import features_in, images_of
from starscout.evaluation.network import LARGEST_SUM, LARGEST_UNIT, network_evaluation, network_weights, sum_weights
from starscout.evaluation.squares import sample_positions
from starscout.evaluation.weights import NO_WEIGHTS
from starscout.game.values import as_float
from starscout.games.ewn.evaluation import cube_features

pytestmark = pytest.mark.plain

GAME = games.load("ewn-3x3-3")
FEATURES = cube_features(3, 3, 3)
POSITIONS = sample_positions(GAME)[:100]
IMAGES = images_of(GAME, FEATURES, NO_WEIGHTS, POSITIONS)
GENERATOR = numpy.random.default_rng(3)
ROWS = GENERATOR.normal(0, 0.7, (FEATURES.count, 4))
BIASES, OUTPUTS = GENERATOR.normal(0, 1, 4), GENERATOR.normal(0, 0.3, 4)


def test_network_values_are_correct_and_symmetric() -> None:
    arrays = network_weights(FEATURES, IMAGES, ROWS, BIASES, OUTPUTS, 0.25)
    evaluation = network_evaluation("x", FEATURES, arrays)
    found = features_in(FEATURES, NO_WEIGHTS, POSITIONS)
    for position, features in zip(POSITIONS, found, strict=True):
        units = [BIASES + ROWS[image[features]].sum(axis=0) for image in IMAGES]
        score = 0.25 + sum(float(numpy.maximum(unit, 0) @ OUTPUTS) for unit in units)
        assert as_float(evaluation.value(position)) == pytest.approx(numpy.tanh(score / 2), abs=0.004)
        assert {int(evaluation.value(symmetry.position(position))) for symmetry in GAME.symmetries} == {
            int(evaluation.value(position))
        }


def test_sums_do_not_overflow() -> None:
    arrays = network_weights(FEATURES, IMAGES, 100 * ROWS, 50 * BIASES, 1000 * OUTPUTS, 0.0)
    slots = zip(FEATURES.first, FEATURES.sizes, strict=True)
    reach = numpy.abs(arrays["biases"]).astype(int)
    reach = reach + sum(numpy.abs(arrays["rows"][low : low + size]).astype(int).max(axis=0) for low, size in slots)
    assert reach.max() <= LARGEST_UNIT
    assert len(IMAGES) * (reach * numpy.abs(arrays["outputs"]).astype(int)).sum() <= LARGEST_SUM


def test_sum_weights_are_rounded() -> None:
    arrays = sum_weights(numpy.array([0.5, -2.0, 1.0]))
    assert arrays["rows"].tolist() == [512, -2048, 1024]
    assert float(arrays["rows"][0] * arrays["factor"]) == 0.5 * 256
    # Large ones use all sixteen bits.
    arrays = sum_weights(numpy.array([50.0, -200.0, 100.0]))
    assert arrays["rows"].tolist() == [8192, -32767, 16384]
    assert float(arrays["rows"][1] * arrays["factor"]) == pytest.approx(-200.0 * 256)
