"""Calibrations for any weights of the distances."""

import itertools
import math

import pytest

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.evaluation.evaluation import Calibration
from starscout.game.values import as_float
from starscout.games.ewn.evaluation import FITTED, calibration_of, distance_calibration
from starscout.games.ewn.heuristics import board_of, least_distance
from tests.search.search_positions import random_positions

pytestmark = pytest.mark.plain

BOARD = board_of(5, 5, 6)
WEIGHTS = list(itertools.product(range(13), repeat=2))
START_DISTANCE = 3


def start_chance(curve: Calibration, enemy: int, own: int) -> float:
    return (curve.expected(START_DISTANCE * (enemy - own)) + 1) / 2


@pytest.mark.parametrize("text", ["distance:1:8", "distance:8:1", "distance:1:1", "distance:0:12", "distance:12:0"])
def test_value_of_the_start(text: str):
    game = games.load("ewn")
    value = as_float(load_evaluation(game, text).value(game.start_position(0)))
    assert 0.35 < (value + 1) / 2 < 0.75


@pytest.mark.parametrize("text", ["distance:1:8", "distance:3:0"])
def test_values_grow_with_the_score(text: str):
    game = games.load("ewn")
    evaluation = load_evaluation(game, text)
    enemy, own = map(int, text.split(":")[1:])
    least = least_distance(BOARD)
    scored = sorted(
        (enemy * int(least(position.enemy)) - own * int(least(position.own)), int(evaluation.value(position)))
        for position in random_positions(game, 60, 20)
    )
    for (score, value), (next_score, next_value) in itertools.pairwise(scored):
        assert value < next_value if score < next_score else value == next_value


def test_any_weights_give_an_increasing_curve():
    for enemy, own in WEIGHTS:
        curve = distance_calibration(BOARD, enemy, own)
        assert 0.35 < start_chance(curve, enemy, own) < 0.75, (enemy, own)
        assert curve.slope > 0 or enemy == own == 0


def test_fitted_curves_stay():
    assert distance_calibration(BOARD, 1, 1) == FITTED[1, 1] == Calibration(0.286, 0.641)
    assert distance_calibration(BOARD, 2, 1) == FITTED[2, 1] == Calibration(-0.511, 0.344)


def test_only_the_ratio_of_weights_matters():
    for enemy, own in ((1, 1), (2, 1), (1, 3), (0, 1)):
        one, four = distance_calibration(BOARD, enemy, own), distance_calibration(BOARD, 4 * enemy, 4 * own)
        assert four.offset == pytest.approx(one.offset)
        assert 4 * four.slope == pytest.approx(one.slope)


@pytest.mark.parametrize(
    ("size", "weights", "offset", "slope"),
    [
        # Fits to self-play games of the search (benchmarks/search_calibration.py).
        ((5, 5, 6), (1, 2), 1.160, 0.408),
        ((5, 5, 6), (8, 1), -0.709, 0.057),
        ((5, 5, 6), (1, 8), 1.532, 0.087),
        ((4, 4, 6), (1, 1), 0.457, 0.954),
        ((4, 4, 6), (1, 8), 1.708, 0.123),
        ((6, 6, 6), (1, 1), 0.217, 0.551),
        ((6, 6, 6), (8, 1), -0.790, 0.047),
        ((7, 7, 6), (2, 1), -0.660, 0.226),
        ((7, 7, 3), (1, 1), 0.317, 0.855),
        ((4, 4, 3), (1, 1), 0.930, 2.017),
    ],
)
def test_formula_approximates_the_fits(
    size: tuple[int, int, int], weights: tuple[int, int], offset: float, slope: float
):
    """Win probabilities differ by less than 8 percentage points, for distances up to the size of the board."""
    curve, fitted = distance_calibration(board_of(*size), *weights), Calibration(offset, slope)
    for enemy, own in itertools.product(range(1, size[0]), repeat=2):
        score = weights[0] * enemy - weights[1] * own
        assert abs(curve.expected(score) - fitted.expected(score)) / 2 < 0.08, (enemy, own)


def test_calibration_of_sums():
    assert calibration_of(BOARD, "distance:3:1+determinacy") == distance_calibration(BOARD, 3, 1)
    assert calibration_of(BOARD, "distance+determinacy") == Calibration(0.14, 0.157)
    assert calibration_of(BOARD, "weighted+distance") == calibration_of(BOARD, "weighted") == Calibration(0.134, 0.029)


def test_zero_weights_give_a_constant():
    curve = distance_calibration(BOARD, 0, 0)
    assert curve.slope == 0.0
    assert math.isfinite(curve.offset)
