"""Curves for the evaluations of ewn that are sums of terms, among them the distances with any weights on any board.

A fit needs games; a formula gives the curve of `distance:enemy:own` at once. In games of the search against itself the
two least distances e and o, as parts of the longest way, have nearly the same means and variances on every board, and
the mover wins with about

    logit = mean + (ENEMY_SLOPE · (e − ENEMY_MEAN) − OWN_SLOPE · (o − OWN_MEAN)) / cubes

for fewer cubes step more surely. In the mean, being on the move is worth TEMPO steps. The curve of a score is the
regression of the logit on the score; `tests/evaluate/test_ewn_calibration.py` compares it with fits.
"""

import math

from starscout.evaluation.calibration import Calibration
from starscout.games.ewn.board import Cubes

CALIBRATIONS = {
    "weighted": Calibration(0.134, 0.029),
    "determinacy": Calibration(0.1, 0.05),
    "distance+determinacy": Calibration(0.14, 0.157),
}
"""Fitted to the 5×5 board. A sum that is not listed takes the curve of its first term."""

FITTED = {(1, 1): Calibration(0.286, 0.641), (2, 1): Calibration(-0.511, 0.344)}
"""(enemy, own) → the fitted curve of `distance:enemy:own` on the 5×5 board with six cubes per side."""

ENEMY_MEAN, OWN_MEAN = 0.52, 0.58
ENEMY_VARIANCE, OWN_VARIANCE, COVARIANCE = 0.034, 0.039, 0.008
ENEMY_SLOPE, OWN_SLOPE = 13.3, 18.2
TEMPO = 0.45


def calibration_of(board: Cubes, text: str) -> Calibration:
    """The curve of the evaluation that a text like `distance:2:1+determinacy` describes."""
    if text in CALIBRATIONS:
        return CALIBRATIONS[text]
    name, *weights = text.split("+")[0].split(":")
    if name != "distance":
        return CALIBRATIONS[name]
    enemy, own = map(int, weights or ("1", "1"))
    return distance_calibration(board, enemy, own)


def distance_calibration(board: Cubes, enemy: int, own: int) -> Calibration:
    """The curve of enemy · (the enemy's least distance) − own · (the mover's)."""
    divisor = math.gcd(enemy, own)
    if divisor == 0:
        return Calibration(_mean_logit(board), 0.0)
    ratio = enemy // divisor, own // divisor
    fitted = (board.rows, board.columns, board.cubes) == (5, 5, 6) and ratio in FITTED
    curve = FITTED[ratio] if fitted else _regression(board, *ratio)
    return Calibration(curve.offset, curve.slope / divisor)


def _regression(board: Cubes, enemy: int, own: int) -> Calibration:
    variance = enemy**2 * ENEMY_VARIANCE + own**2 * OWN_VARIANCE - 2 * enemy * own * COVARIANCE
    with_logit = ENEMY_SLOPE * (enemy * ENEMY_VARIANCE - own * COVARIANCE)
    with_logit += OWN_SLOPE * (own * OWN_VARIANCE - enemy * COVARIANCE)
    slope = with_logit / variance / board.cubes
    offset = _mean_logit(board) - slope * (enemy * ENEMY_MEAN - own * OWN_MEAN)
    return Calibration(offset, slope / _longest_way(board))


def _mean_logit(board: Cubes) -> float:
    step = (ENEMY_SLOPE + OWN_SLOPE) / 2 / board.cubes / _longest_way(board)
    return step * (TEMPO + (ENEMY_MEAN - OWN_MEAN) * _longest_way(board))


def _longest_way(board: Cubes) -> int:
    return max(board.rows, board.columns) - 1
