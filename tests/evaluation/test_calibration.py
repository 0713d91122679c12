"""The logistic curve: its table, and the fit that finds it."""

import numpy
import pytest

from starscout.evaluation.evaluation import Calibration, fit, value_table
from starscout.game.values import as_float


def test_fit_recovers_the_curve():
    generator = numpy.random.default_rng(1)
    truth = Calibration(0.3, 0.7)
    scores = generator.normal(0, 2, 20000)
    results = (generator.random(20000) < [(truth.expected(s) + 1) / 2 for s in scores]).astype(float)
    found = fit(scores, results)
    assert found.offset == pytest.approx(truth.offset, abs=0.06)
    assert found.slope == pytest.approx(truth.slope, abs=0.06)


def test_value_table_is_the_curve():
    table = value_table(Calibration(0.0, 1.0), -2, 2, 1)
    assert [round(as_float(value), 4) for value in table] == [-0.7616, -0.4621, 0.0, 0.4621, 0.7616]
