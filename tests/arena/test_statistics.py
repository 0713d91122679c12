"""Match statistics against published values and simulated matches with known true score."""

import math

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starscout.arena.statistics import (
    Z_95,
    Sample,
    confidence_interval,
    decisive_p_value,
    sample_of,
    sample_of_counts,
    score_error,
    student_cdf,
    student_quantile,
    superiority,
)


def test_sample_and_error_bars_by_hand() -> None:
    sample = sample_of([1, 0.5, 0.5, 0])
    assert sample == Sample(4, 0.5, 0.125)
    assert sample == sample_of_counts({0.0: 1, 0.5: 2, 1.0: 1})
    assert score_error(sample) == pytest.approx(Z_95 * math.sqrt(0.125 / 4), abs=1e-15)
    assert superiority(sample) == 0.5


def test_superiority_after_few_pairs() -> None:
    # One standard error above one half: the normal tail for many pairs, Student's for few.
    assert superiority(Sample(1_000_000, 0.5003, 0.09)) == pytest.approx(0.8413447, abs=1e-4)
    assert superiority(Sample(3, 0.5 + 0.3 / math.sqrt(2), 0.09), bounded=False) == pytest.approx(0.788675, abs=1e-6)
    # Two won pairs are weak evidence, whatever their variance; ten are stronger.
    assert 0.7 < superiority(Sample(2, 1.0, 0.0)) < 0.95
    assert 0.999 < superiority(Sample(10, 1.0, 0.0)) < 1
    assert superiority(Sample(10, 0.0, 0.0)) == pytest.approx(1 - superiority(Sample(10, 1.0, 0.0)))
    assert superiority(sample_of([])) == superiority(sample_of([1.0])) == 0.5


@given(st.integers(2, 300), st.floats(0, 1), st.floats(0, 0.25), st.booleans())
def test_superiority_and_interval_agree(n: int, mean: float, variance: float, bounded: bool) -> None:
    sample = Sample(n, mean, min(variance, mean * (1 - mean)))
    low, high = confidence_interval(sample, bounded=bounded)
    likely = superiority(sample, bounded=bounded)
    assert 0 <= low <= high <= 1
    if likely < 0.97:
        assert low <= 0.5
    if likely > 0.03:
        assert high >= 0.5


@pytest.mark.parametrize(
    ("t", "freedom", "chance"),
    [(1.0, 1, 0.75), (2.0, 2, 0.908248290463863), (1.0, 5, 0.8183912661754387), (-2.09302, 19, 0.025), (0.0, 7, 0.5)],
)
def test_student_cdf_against_tables(t: float, freedom: int, chance: float) -> None:
    assert student_cdf(t, freedom) == pytest.approx(chance, abs=1e-6)


@pytest.mark.parametrize(
    ("freedom", "quantile"), [(1, 12.7062), (2, 4.30265), (5, 2.57058), (19, 2.09302), (999, 1.96234)]
)
def test_student_quantile_against_tables(freedom: int, quantile: float) -> None:
    assert student_quantile(freedom) == pytest.approx(quantile, abs=1e-3)


def test_exact_binomial_on_decisive_pairs() -> None:
    assert decisive_p_value(0, 0) == 1
    assert decisive_p_value(5, 5) == 1
    assert decisive_p_value(10, 0) == pytest.approx(2 / 1024, rel=1e-9)
    assert decisive_p_value(1, 8) == pytest.approx(2 * 10 / 512, rel=1e-9)
    # The sum of all tails is one: P(X ≤ 3) + P(X ≥ 4) for seven pairs.
    assert decisive_p_value(3, 4) == 1


def test_interval_contains_the_estimate_and_stays_in_bounds() -> None:
    for sample in (Sample(20, 1.0, 0.0), Sample(2, 0.0, 0.0), Sample(50, 0.97, 0.02)):
        low, high = confidence_interval(sample)
        assert 0 <= low <= sample.mean <= high <= 1
        assert low < high
    assert confidence_interval(Sample(1, 1.0, 0.0)) == (0, 1)


# Typical pair score distributions (lost, split, won): independent dice, shared dice, one-sided.
DISTRIBUTIONS = [(0.25, 0.5, 0.25), (0.16, 0.48, 0.36), (0.0625, 0.375, 0.5625), (0.12, 0.76, 0.12), (0.07, 0.66, 0.27)]


@pytest.mark.parametrize("pairs", [20, 100, 1000])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_interval_has_nominal_coverage(pairs: int, distribution: tuple[float, ...]) -> None:
    generator = numpy.random.default_rng(2024)
    truth = 0.5 * distribution[1] + distribution[2]
    covered = 0
    matches = 4000
    for lost, split, won in generator.multinomial(pairs, distribution, size=matches):
        low, high = confidence_interval(sample_of_counts({0.0: int(lost), 0.5: int(split), 1.0: int(won)}))
        covered += low <= truth <= high
    # With 20 pairs the scores are coarse: coverage may be slightly above nominal, never below.
    assert 0.93 <= covered / matches <= (0.98 if pairs == 20 else 0.97)
