"""SPRT: check value, bounds, and error rates on simulated matches."""

import math

import numpy
import pytest

from starscout.arena.elo import expected_score
from starscout.arena.sprt import MIN_DECISIVE_PAIRS, Sprt, find_root, likelihood_ratio, normal_likelihood_ratio
from starscout.arena.statistics import Sample, sample_of_counts
from starscout.game import GameError

CHECK_COUNTS = {0.0: 10789, 0.25: 19328, 0.5: 33806, 0.75: 19402, 1.0: 10543}


def test_published_check_value() -> None:
    ratio = likelihood_ratio(CHECK_COUNTS, Sprt(-3, 1))
    assert ratio == pytest.approx(2.1310678117940807, abs=1e-12, rel=0)


def test_check_value_against_sixty_digits() -> None:
    # The same sum in decimal arithmetic of 60 digits; double precision loses about 1e-11 of it.
    assert likelihood_ratio(CHECK_COUNTS, Sprt(-3, 1)) == pytest.approx(2.13106781178789218, abs=2e-11, rel=0)


def test_bounds() -> None:
    test = Sprt(0, 10, 0.05, 0.1)
    assert test.lower == pytest.approx(math.log(0.1 / 0.95))
    assert test.upper == pytest.approx(math.log(0.9 / 0.05))
    with pytest.raises(GameError, match="elo0 must be below elo1"):
        Sprt(10, 10)


def test_verdict_waits_for_thirty_decisive_pairs() -> None:
    test = Sprt(0, 10)
    assert test.verdict(9, MIN_DECISIVE_PAIRS - 1) == "undecided"
    assert test.verdict(9, MIN_DECISIVE_PAIRS) == "elo1"
    assert test.verdict(-9, MIN_DECISIVE_PAIRS) == "elo0"
    assert test.verdict(0, 1000) == "undecided"


def test_ratio_is_antisymmetric_and_zero_without_pairs() -> None:
    counts = {0.0: 10, 0.5: 30, 1.0: 25}
    mirrored = {1.0: 10, 0.5: 30, 0.0: 25}
    assert likelihood_ratio(counts, Sprt(-5, 5)) == pytest.approx(-likelihood_ratio(mirrored, Sprt(-5, 5)), abs=1e-9)
    assert likelihood_ratio({}, Sprt(-5, 5)) == 0


@pytest.mark.parametrize("counts", [{1.0: 40}, {0.0: 40}, {0.5: 40}, {0.5: 999_999, 1.0: 1}])
def test_ratio_is_finite_for_one_sided_counts(counts: dict[float, int]) -> None:
    assert math.isfinite(likelihood_ratio(counts, Sprt(-5, 5)))


def test_normal_ratio_agrees_with_the_general_one_near_equality() -> None:
    sample = sample_of_counts(CHECK_COUNTS)
    assert normal_likelihood_ratio(sample, Sprt(-3, 1)) == pytest.approx(2.131, abs=0.01)
    assert normal_likelihood_ratio(Sample(5, 0.5, 0.0), Sprt(-3, 1)) == 0


def simulate(generator: numpy.random.Generator, elo: float, split: float, test: Sprt, adjusted: bool) -> str:
    """Run one SPRT on simulated pairs, evaluated every eight pairs."""
    won = (1 - split) / 2 + expected_score(elo) - 0.5
    distribution = (1 - split - won, split, won)
    totals = numpy.zeros(3, dtype=int)
    for _ in range(4000):
        totals += generator.multinomial(8, distribution)
        counts = {0.0: int(totals[0]), 0.5: int(totals[1]), 1.0: int(totals[2])}
        ratio = normal_likelihood_ratio(sample_of_counts(counts), test) if adjusted else likelihood_ratio(counts, test)
        verdict = test.verdict(ratio, int(totals[0] + totals[2]))
        if verdict != "undecided":
            return verdict
    return "undecided"


@pytest.mark.parametrize("adjusted", [False, True])
def test_error_rates_are_nominal(adjusted: bool) -> None:
    test = Sprt(0, 50)
    generator = numpy.random.default_rng(5)
    tests = 400
    false_yes = sum(simulate(generator, 0, 0.6, test, adjusted) == "elo1" for _ in range(tests))
    false_no = sum(simulate(generator, 50, 0.6, test, adjusted) == "elo0" for _ in range(tests))
    # 5 % of 400 is 20, with a standard deviation of 4.4.
    assert false_yes <= 20 + 3 * 4.4
    assert false_no <= 20 + 3 * 4.4


@pytest.mark.parametrize(
    ("function", "low", "high", "root"),
    [
        (lambda x: x * x - 2, 0, 2, math.sqrt(2)),
        (math.cos, 1, 2, math.pi / 2),
        (lambda x: math.exp(x) - 1, -5, 3, 0),
        (lambda x: (x - 3) ** 3, 0, 7, 3),
        (lambda x: x, 0, 1, 0),
        (lambda x: x - 1, 0, 1, 1),
    ],
)
def test_find_root_of_known_functions(function: object, low: float, high: float, root: float) -> None:
    assert find_root(function, low, high) == pytest.approx(root, abs=1e-5 if root == 3 else 1e-11)  # pyright: ignore[reportArgumentType]


def test_find_root_refuses_equal_signs() -> None:
    with pytest.raises(ValueError, match="the same sign"):
        find_root(lambda x: x * x + 1, -1, 1)
