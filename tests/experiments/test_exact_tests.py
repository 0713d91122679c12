"""Exact tests against published values, SciPy and simulation."""

import random

import pytest

from starscout.experiments.exact_tests import Count, even_p_value, fisher_p_value, spread_p_value


def wins_of(wins: int, games: int) -> Count:
    return Count(wins, 0, games - wins)


@pytest.mark.parametrize(("wins", "games", "p"), [(31, 50, 0.119), (30, 50, 0.203), (46, 80, 0.219)])
def test_one_sample(wins: int, games: int, p: float) -> None:
    stats = pytest.importorskip("scipy.stats")
    assert even_p_value(wins_of(wins, games)) == pytest.approx(p, abs=6e-4)
    assert even_p_value(wins_of(wins, games)) == pytest.approx(stats.binomtest(wins, games).pvalue, rel=1e-9)
    assert even_p_value(Count(wins, 7, games - wins)) == even_p_value(wins_of(wins, games))


@pytest.mark.parametrize(
    ("first", "second", "games", "p"), [(19, 14, 20, 0.059), (19, 18, 20, 0.752), (49, 44, 50, 0.076)]
)
def test_two_samples(first: int, second: int, games: int, p: float) -> None:
    stats = pytest.importorskip("scipy.stats")
    counts = wins_of(first, games), wins_of(second, games)
    assert spread_p_value(counts) == pytest.approx(p, abs=2e-3)
    # Enumerate both binomials with SciPy.
    chance = [float(stats.binom.pmf(k, games, (first + second) / (2 * games))) for k in range(games + 1)]
    far = sum(chance[i] * chance[j] for i in range(games + 1) for j in range(games + 1) if abs(i - j) >= first - second)
    assert spread_p_value(counts) == pytest.approx(far, rel=1e-9)


def test_fisher() -> None:
    stats = pytest.importorskip("scipy.stats")
    for first, second, games in ((19, 14, 20), (49, 44, 50), (0, 3, 9)):
        table = [[first, games - first], [second, games - second]]
        expected = stats.fisher_exact(table).pvalue
        assert fisher_p_value(wins_of(first, games), wins_of(second, games)) == pytest.approx(expected, rel=1e-9)
    assert fisher_p_value(wins_of(19, 20), wins_of(14, 20)) == pytest.approx(0.091, abs=1e-3)


def test_many_samples() -> None:
    formulas = [wins_of(wins, 100) for wins in (75, 82, 72, 80, 78, 78, 84, 79, 80)]
    assert spread_p_value(formulas) == pytest.approx(0.55, abs=5e-3)
    assert spread_p_value([wins_of(5, 10)] * 3) == 1.0


def test_samples_of_unequal_sizes_and_draws_against_simulation() -> None:
    counts = Count(6, 3, 3), Count(3, 2, 3)
    generator = random.Random(5)

    def score(games: int) -> float:
        return sum(generator.choices((1, 0.5, 0), (9, 5, 6))[0] for _ in range(games)) / games

    far = counts[0].score - counts[1].score - 1e-9
    simulated = sum(abs(score(12) - score(8)) >= far for _ in range(4000)) / 4000
    assert spread_p_value(counts) == pytest.approx(simulated, abs=0.025)
