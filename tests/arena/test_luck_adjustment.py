"""Luck-adjusted estimates on simulated pairs: unbiased, nominal coverage, lower variance."""

import numpy
import pytest

from starscout.arena.luck_adjustment import LuckTally
from starscout.arena.statistics import Prior, Sample, confidence_interval, shrunk_prior


def simulated_pairs(generator: numpy.random.Generator, count: int, truth: float, scale: float) -> numpy.ndarray:
    """Simulate luck and score of pairs; the win probability is a martingale from `truth`.

    `scale` is the calibration of the value function; 1 is calibrated.
    """
    chance = numpy.full((count, 2), truth)
    luck = numpy.zeros((count, 2))
    for _ in range(6):
        step = 0.6 * numpy.minimum(chance, 1 - chance) * generator.choice((-1.0, 1.0), size=(count, 2))
        chance += step
        luck += step
    score = generator.random((count, 2)) < chance
    return numpy.column_stack((scale * luck.mean(axis=1), score.mean(axis=1)))


@pytest.mark.parametrize("pairs", [20, 100, 1000])
@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_adjusted_interval_has_nominal_coverage(pairs: int, scale: float) -> None:
    generator = numpy.random.default_rng(3)
    covered, means, matches = 0, [], 1000 if pairs < 1000 else 200
    for _ in range(matches):
        tally = LuckTally()
        for pair, (luck, score) in enumerate(simulated_pairs(generator, pairs, 0.6, scale)):
            tally.add(pair, luck, score)
        sample = tally.adjusted()
        low, high = confidence_interval(sample, shrunk_prior(sample, tally.raw()))
        covered += low <= 0.6 <= high
        means.append(sample.mean - 0.6)
    spread = numpy.std(means) / matches**0.5
    assert abs(numpy.mean(means)) < 4 * spread
    assert 0.92 <= covered / matches <= 0.975


@pytest.mark.parametrize("truth", [0.05, 0.5, 0.95])
def test_adjusted_interval_of_few_one_sided_pairs_covers_enough(truth: float) -> None:
    """Student's t without a prior covers 81 % at 5 %: most pairs are equal."""
    generator = numpy.random.default_rng(5)
    covered, matches = 0, 1000
    for _ in range(matches):
        tally = LuckTally()
        for pair, (luck, score) in enumerate(simulated_pairs(generator, 10, truth, 1.0)):
            tally.add(pair, luck, score)
        low, high = confidence_interval(tally.adjusted(), shrunk_prior(tally.adjusted(), tally.raw()))
        covered += low <= truth <= high
    assert covered / matches >= 0.93


def test_the_prior_shrinks_with_the_pairs() -> None:
    assert shrunk_prior(Sample(9, 0.6, 0.01), Sample(9, 0.6, 0.04)) == Prior(scale=0.5)
    assert shrunk_prior(Sample(9, 0.6, 0.05), Sample(9, 0.6, 0.04)) == Prior()
    assert shrunk_prior(Sample(9, 1.0, 0.01), Sample(9, 1.0, 0.0)) == Prior()


def test_adjusting_reduces_variance_and_beta_corrects_a_wrong_scale() -> None:
    generator = numpy.random.default_rng(4)
    for scale in (1.0, 0.5, 4.0):
        tally = LuckTally()
        for pair, (luck, score) in enumerate(simulated_pairs(generator, 4000, 0.5, scale)):
            tally.add(pair, luck, score)
        ratio = tally.variance_ratio()
        assert ratio is not None
        assert ratio < 0.6
        assert tally.betas() == pytest.approx([1 / scale, 1 / scale], rel=0.1)


def test_adjusted_sample_by_hand() -> None:
    tally = LuckTally()
    assert tally.adjusted().n == 0
    tally.add(0, 0.25, 1.0)
    tally.add(1, -0.25, 0.0)
    # One pair per fold does not determine β: the prior makes it 1.
    assert tally.betas() == [1.0, 1.0]
    assert tally.adjusted().mean == 0.5
    assert tally.adjusted().variance == pytest.approx(0.0625)
    assert tally.variance_ratio() == pytest.approx(0.25)


def test_beta_is_cross_fitted() -> None:
    """Luck of ±1 has no effect in the even pairs and is worth a full point in the odd ones."""
    tally = LuckTally()
    for pair, (luck, score) in enumerate([(1.0, 0.5), (1.0, 1.0), (-1.0, 0.5), (-1.0, 0.0)]):
        tally.add(pair, luck, score)
    # (covariance + 4) / (variance + 4): the odd pairs give (1 + 4) / (2 + 4), the even ones (0 + 4) / (2 + 4).
    assert tally.betas() == pytest.approx([5 / 6, 4 / 6])
    # Even pairs become 1/2 ∓ 5/6, odd ones 1 − 4/6 and 0 + 4/6.
    sample = tally.adjusted()
    assert (sample.n, sample.mean) == (4, pytest.approx(0.5))
    assert sample.variance == pytest.approx((2 * (5 / 6) ** 2 + 2 * (1 / 6) ** 2) / 4)
