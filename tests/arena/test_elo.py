"""Elo conversions against known values."""

import math

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from starscout.arena.elo import elo, elo_error, expected_score, normalised_elo, normalised_elo_interval
from starscout.arena.statistics import sample_of, sample_of_counts

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
# Counts of pairs with 0, ½, 1, 1½ and 2 points, and the nElo that fastchess printed for them in public reports.
PRINTED_BY_FASTCHESS = [
    ((30, 6, 18, 0, 6), -170.08, 62.16),
    ((50, 287, 610, 387, 73), 28.19, 12.84),
    ((0, 1, 4, 0, 0), -122.84, 215.34),
    ((55, 116, 214, 185, 112), 56.76, 18.44),
    ((352, 579, 1264, 743, 464), 24.25, 8.26),
    ((19, 82, 272, 308, 361), 207.38, 14.92),
    ((5, 5, 36, 22, 22), 128.22, 50.76),
    ((4, 5, 4, 0, 0), -313.17, 133.55),
]


def test_elo_of_known_scores() -> None:
    assert elo(0.5) == 0
    assert elo(10 / 11) == pytest.approx(400, abs=1e-9)
    assert expected_score(400) == pytest.approx(10 / 11, abs=1e-15)
    assert elo(0) == -math.inf
    assert elo(1.2) == math.inf


@given(st.floats(min_value=-1200, max_value=1200))
def test_elo_and_score_are_inverse(difference: float) -> None:
    assert elo(expected_score(difference)) == pytest.approx(difference, abs=1e-6)


def test_elo_error_is_half_the_width_of_the_interval() -> None:
    assert elo_error((expected_score(-30), expected_score(50))) == pytest.approx(40, abs=1e-9)
    assert elo_error((0.9, 1.0)) == math.inf


def test_normalised_elo_of_pairs_computed_by_hand() -> None:
    """Pairs 0, ½, ½: s = 1/3, v = 1/18, so (s − ½)/√(2v) = −1/2 and the error is z/√6, both times 800/ln 10."""
    found = normalised_elo(sample_of([0.0, 0.5, 0.5]))
    assert found is not None
    assert found[0] == pytest.approx(-400 / math.log(10), abs=1e-9)
    assert found[1] == pytest.approx(1.959964 / math.sqrt(6) * 800 / math.log(10), abs=1e-9)
    assert normalised_elo(sample_of([0.5, 0.5])) is None
    assert normalised_elo_interval({}) == normalised_elo_interval({1.0: 1}) == (-math.inf, math.inf)
    assert normalised_elo(sample_of([])) is None


@pytest.mark.parametrize(("counts", "printed", "error"), PRINTED_BY_FASTCHESS)
def test_normalised_elo_equals_that_of_fastchess(counts: tuple[int, ...], printed: float, error: float) -> None:
    found = normalised_elo(sample_of_counts(dict(zip(PAIR_SCORES, counts, strict=True))))
    assert found is not None
    assert found == pytest.approx((printed, error), abs=0.0051)


def pair_chances(score: float) -> list[float]:
    """The probabilities of PAIR_SCORES for two independent games without draws."""
    return [(1 - score) ** 2, 0.0, 2 * score * (1 - score), 0.0, score**2]


@pytest.mark.parametrize("pairs", [20, 50, 200])
@pytest.mark.parametrize("score", [0.1, 0.5, 0.65, 0.9])
def test_interval_of_normalised_elo_has_nominal_coverage(pairs: int, score: float) -> None:
    """Fastchess's error bar covers 43 % at 10 % with 20 pairs. Ours may cover more than 97 % of short matches."""
    generator = numpy.random.default_rng(12)
    truth = 800 / math.log(10) * (score - 0.5) / math.sqrt(score * (1 - score))
    kinds, weights = numpy.unique(
        generator.multinomial(pairs, pair_chances(score), size=4000), axis=0, return_counts=True
    )
    ends = [normalised_elo_interval(dict(zip(PAIR_SCORES, kind, strict=True))) for kind in kinds.tolist()]
    covered = sum(int(weight) for (low, high), weight in zip(ends, weights, strict=True) if low <= truth <= high)
    assert 0.93 <= covered / 4000 <= (0.97 if pairs == 200 else 0.99)
