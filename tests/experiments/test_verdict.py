"""Verdicts: intervals, p-values, games needed."""

import math
import random
from statistics import NormalDist

import pytest

from starscout.experiments.exact_tests import Count, spread_p_value
from starscout.experiments.experiment import Claim, Duel, Experiment
from starscout.experiments.verdict import (
    CONFIRMED,
    EQUAL,
    REFUTED,
    UNDECIDED,
    Verdict,
    games_needed,
    range_p_value,
    verdicts,
)
from tests.experiments.examples import EXPERIMENT, row, study_of


def judged(claim: Claim, *rows: tuple, equal: bool = True) -> Verdict:
    duels = tuple(Duel("random", "random", name=name) for name in ("a", "b"))
    experiment = Experiment("example", "?", "ewn", margin=35, equal_limits=equal, duel=duels, claim=(claim,))
    (verdict,) = verdicts(experiment, study_of(*(row(*given) for given in rows)))
    return verdict


@pytest.mark.parametrize(
    ("score", "error", "answer"),
    [
        (0.6, 0.05, CONFIRMED),
        (0.4, 0.05, REFUTED),
        (0.52, 0.05, UNDECIDED),
        (0.48, 0.05, UNDECIDED),
        (0.51, 0.03, EQUAL),
        (0.97, 0.5, UNDECIDED),
    ],
)
def test_better_than_even(score: float, error: float, answer: str) -> None:
    verdict = judged(Claim("it wins", "a"), ("a", score, error, {}), ("b", 0.5, 0.1, {}))
    assert verdict.answer == answer
    assert verdict.difference == pytest.approx(score - 0.5)
    assert verdict.interval == pytest.approx((score - 0.5 - error, score - 0.5 + error))
    assert verdict.reported_p_value is None


@pytest.mark.parametrize(
    ("first", "second", "answer"), [(0.80, 0.70, CONFIRMED), (0.70, 0.80, REFUTED), (0.74, 0.70, UNDECIDED)]
)
def test_one_row_better_than_another(first: float, second: float, answer: str) -> None:
    # Errors of 3 and 4 points combine to 5.
    verdict = judged(Claim("a is better", "a", "b"), ("a", first, 0.03, {}), ("b", second, 0.04, {}))
    assert verdict.answer == answer
    assert verdict.interval == pytest.approx((first - second - 0.05, first - second + 0.05), abs=1e-3)


@pytest.mark.parametrize(
    ("first", "error", "answer"), [(0.51, 0.01, CONFIRMED), (0.56, 0.02, REFUTED), (0.53, 0.04, UNDECIDED)]
)
def test_same_score_as_another_row(first: float, error: float, answer: str) -> None:
    verdict = judged(Claim("equal", same="a", than="b"), ("a", first, error, {}), ("b", 0.5, 0.0, {}))
    assert verdict.answer == answer


def test_reported_p_value() -> None:
    verdict = judged(Claim("it wins", "a"), ("a", 0.6, 0.01, {"games": 50, "score": 0.62}), ("b", 0.5, 0.1, {}))
    assert verdict.reported_difference == pytest.approx(0.12)
    assert verdict.reported_p_value == pytest.approx(0.1189, abs=1e-4)
    assert "p = 0.12 for the report's +12.0" in verdict.text


def test_reported_p_value_against_simulation() -> None:
    """Simulate two rows of 100 games with the pooled score of 75 and 82 wins."""
    generator = random.Random(1)

    def wins() -> int:
        return sum(generator.random() < 0.785 for _ in range(100))

    simulated = sum(abs(wins() - wins()) >= 7 for _ in range(4000)) / 4000
    rows = ("a", 0.8, 0.1, {"games": 100, "score": 0.82}), ("b", 0.8, 0.1, {"games": 100, "score": 0.75})
    verdict = judged(Claim("a is better", "a", "b"), *rows)
    assert verdict.reported_p_value is not None
    assert verdict.reported_p_value == pytest.approx(simulated, abs=0.025)


@pytest.mark.parametrize(("spread", "rows"), [(1.0, 2), (2.5, 4), (3.5, 9)])
def test_range_p_value_against_simulation(spread: float, rows: int) -> None:
    generator = random.Random(3)
    studies = [[generator.gauss(0.0, 0.5) for _ in range(rows)] for _ in range(4000)]
    simulated = sum(max(study) - min(study) >= 0.5 * spread for study in studies) / len(studies)
    assert range_p_value(0.5 * spread, 0.5, rows) == pytest.approx(simulated, abs=0.025)


def test_range_p_value_of_two_rows_is_the_z_test() -> None:
    z_test = 2 * NormalDist().cdf(-0.07 / (0.05 * math.sqrt(2)))
    assert range_p_value(0.07, 0.05, 2) == pytest.approx(z_test, abs=1e-6)
    assert (range_p_value(0.0, 0.0, 3), range_p_value(0.1, 0.0, 3)) == (1.0, 0.0)


@pytest.mark.parametrize(("worst", "answer"), [(0.78, UNDECIDED), (0.70, CONFIRMED), (0.797, EQUAL)])
def test_claim_that_many_rows_differ(worst: float, answer: str) -> None:
    rows = ("a", 0.80, 0.02, {"games": 100, "score": 0.84}), ("b", worst, 0.02, {"games": 100, "score": 0.72})
    verdict = judged(Claim("they differ", differ=("b", "a")), *rows)
    assert verdict.answer == answer
    assert verdict.difference == pytest.approx(0.80 - worst)
    assert verdict.reported_p_value == pytest.approx(spread_p_value([Count(84, 0, 16), Count(72, 0, 28)]))
    assert "(range " in verdict.text
    assert "power" not in verdict.text


@pytest.mark.parametrize(("told", "contradicts"), [(0.62, False), (0.72, False), (0.80, True), (0.40, True)])
def test_contradiction_exceeds_both_errors(told: float, contradicts: bool) -> None:
    # 50 games have an error of about 13 points; combined with our 5 it is 14.
    rows = ("a", 0.6, 0.05, {"games": 50, "score": told}), ("b", 0.5, 0.1, {})
    verdict = judged(Claim("it wins", "a"), *rows)
    assert verdict.contradicts == contradicts
    conflict = "not the report's size" if told > 0.5 else "which contradicts the report"
    assert (conflict in verdict.text) == contradicts
    assert not judged(Claim("it wins", "a"), *rows, equal=False).contradicts


def test_text_names_the_games_of_the_report() -> None:
    rows = ("a", 0.6, 0.01, {"games": 50, "score": 0.62}), ("b", 0.5, 0.1, {})
    text = judged(Claim("it wins", "a"), *rows).text
    assert "80 % power needs about 189 games per row, the report has 50)." in text


def test_games_needed_give_80_percent_power() -> None:
    needed = games_needed(0.84, 0.75, even=False)
    assert needed is not None
    generator = random.Random(2)
    found = 0
    for _ in range(600):
        first, second = (sum(generator.random() < p for _ in range(needed)) / needed for p in (0.84, 0.75))
        pooled = (first + second) / 2
        found += (first - second) / math.sqrt(pooled * (1 - pooled) * 2 / needed) > 1.96
    assert 0.74 < found / 600 < 0.86


def test_games_needed_without_difference() -> None:
    assert games_needed(0.7, 0.7, even=False) is None
    assert games_needed(0.5001, 0.5, even=True) is None
    assert games_needed(0.6, 0.5, even=True) == math.ceil((1.959964 + NormalDist().inv_cdf(0.8)) ** 2 * 0.24 / 0.01)
    verdict = judged(Claim("a is better", "a", "b"), ("a", 0.7, 0.1, {}), ("b", 0.7, 0.1, {}))
    # Twice the degrees of freedom of a row (Welch): slightly less than 0.1 times the root of 2.
    assert "(+0.0 points, 95 % interval -14.0 to +14.0, p = 1.00; +0 Elo, equivalence p = " in verdict.text
    even = judged(Claim("a is good", "a"), ("a", 0.5, 0.1, {}), ("b", 0.5, 0.1, {}))
    assert "(+0.0 points, 95 % interval -10.0 to +10.0, p = 1.00; +0 Elo, equivalence p = " in even.text
    tiny = judged(Claim("a is better", "a", "b"), ("a", 0.7001, 0.1, {}), ("b", 0.7, 0.1, {}))
    assert tiny.text.endswith("80 % power needs more than 1,000,000 games per row).")


def test_no_verdicts_for_an_empty_study() -> None:
    assert verdicts(EXPERIMENT, study_of()) == []


def test_report_only_row_is_undecided() -> None:
    rows = ("a", None, None, {"games": 20, "score": 0.95}), ("b", None, None, {"games": 20, "score": 0.9})
    verdict = judged(Claim("a is better", "a", "b"), *rows)
    assert (verdict.answer, verdict.difference) == (UNDECIDED, None)
    assert verdict.games_needed == games_needed(0.95, 0.9, even=False)
