"""Fits recover known weights, report their error, and are reproducible."""

import numpy
import pytest

from starscout.evaluation.features import slotted
from starscout.learning.fit import FitSettings, fit_coarse, fit_network, fit_sum, held_out, new_network

GENERATOR = numpy.random.default_rng(2)
SIZES = (4, 4, 4)
FEATURES = slotted("test", SIZES, lambda position, slot, weights: 0)
FOUND = (GENERATOR.integers(0, 4, (20_000, 3)) + FEATURES.first).astype(numpy.int32)
IDENTITY = numpy.arange(FEATURES.count)[None, :]
TRUE_ROWS = GENERATOR.normal(0, 0.6, FEATURES.count)
NOTHING = numpy.zeros(FEATURES.count)
SCORES = TRUE_ROWS[FOUND].sum(axis=1)


def test_sum_is_recovered() -> None:
    targets = numpy.tanh(SCORES / 2)
    rows, fitted = fit_sum(NOTHING, FOUND, targets, FitSettings(10, 0.05), seed=1)
    assert fitted.error < 0.01
    assert rows[FOUND].sum(axis=1) == pytest.approx(SCORES, abs=0.1)


def test_coarse_fit_generalises() -> None:
    coarse = numpy.arange(FEATURES.count) // 2 * 2
    targets = numpy.tanh(TRUE_ROWS[coarse][FOUND].sum(axis=1) / 2)
    seen = (FOUND[:, 0] != 1) & (FOUND[:, 1] != 5)
    rows = fit_coarse(coarse, FOUND[seen], targets[seen], FitSettings(10, 0.05), seed=1)
    assert numpy.array_equal(rows, rows[coarse])
    assert rows[FOUND].sum(axis=1) == pytest.approx(TRUE_ROWS[coarse][FOUND].sum(axis=1), abs=0.1)


def test_network_fits_an_interaction() -> None:
    # Equal features in the first two slots are good, anything else is bad.
    targets = numpy.where(FOUND[:, 0] % 4 == FOUND[:, 1] % 4, 0.8, -0.4)
    errors: list[float] = []
    start = new_network(FEATURES, 16, seed=3)
    network, fitted = fit_network(
        start, IDENTITY, FOUND, targets, FitSettings(12, 0.1), 1, lambda epoch, error: errors.append(error)
    )
    _, summed = fit_sum(NOTHING, FOUND, targets, FitSettings(10, 0.05), seed=1)
    assert summed.error > 0.4
    assert fitted.error < 0.1
    assert fitted.error == min(errors)
    again, _ = fit_network(start, IDENTITY, FOUND, targets, FitSettings(12, 0.1), 1)
    assert network.rows.tobytes() == again.rows.tobytes()
    assert network.constant == again.constant


def test_images_share_their_weights() -> None:
    # Slots 0 and 1 exchanged: the network is the same for both, whatever it learns.
    image = numpy.array([4, 5, 6, 7, 0, 1, 2, 3, 8, 9, 10, 11])
    images = numpy.stack([IDENTITY[0], image])
    targets = numpy.where(FOUND[:, 0] % 4 < FOUND[:, 1] % 4, 0.5, -0.5)
    network, fitted = fit_network(new_network(FEATURES, 8, seed=3), images, FOUND, targets, FitSettings(3, 0.1), 1)
    # A network that does not distinguish the two slots cannot learn which of them is larger.
    assert fitted.error > 0.3

    def score(features: numpy.ndarray) -> float:
        units = [network.biases + network.rows[renamed[features]].sum(axis=0) for renamed in images]
        return float(sum(numpy.maximum(unit, 0) @ network.outputs for unit in units))

    for features in FOUND[:20]:
        assert score(features) == pytest.approx(score(image[features]), abs=1e-4)


def test_last_positions_are_held_out() -> None:
    assert held_out(100_000) == 5000
    assert held_out(500) == 100
    assert held_out(60) == 30
    # Training cannot affect the held-out positions: their features do not occur in the training set.
    found = FOUND[:2000].copy()
    found[-held_out(2000) :] = numpy.array(FEATURES.first) + 3
    found[: -held_out(2000)] = FEATURES.first + found[: -held_out(2000)] % 3
    rows, fitted = fit_sum(NOTHING, found, numpy.full(2000, 0.6), FitSettings(5, 0.05), seed=1)
    assert fitted.error == pytest.approx(0.6, abs=1e-6)
    assert rows[numpy.array(FEATURES.first) + 3].tolist() == [0, 0, 0]
