"""Evaluations of EinStein würfelt nicht!

    distance[:enemy:own]   enemy · (the enemy's least distance to its corner) − own · (the mover's); 1:1 by default
    weighted               each cube's distance times its number of rolls: the enemy's sum − the mover's
    determinacy            the mean number of rolls that move a cube: the mover's − the enemy's
    race                   the probability that the mover's first cube arrives before the enemy's, without interaction
    race+squares           the race and piece-square values (only 5×5 with six cubes per side)
    zweistein              the probability that the mover arrives first, as in Zweistein: exact and not calibrated

Sums of two of the first three are written with `+`. Scores are raw points; a calibration converts them to values. With
the prefix `raw-` a value is proportional to the score, as in report 000.

The calibration of `distance:enemy:own` is a formula. In self-play the two least distances e and o, relative to the
longest path, have nearly the same means and variances on every board, and the mover wins with about

    logit = mean + (ENEMY_SLOPE · (e − ENEMY_MEAN) − OWN_SLOPE · (o − OWN_MEAN)) / cubes

On average, being on the move is worth TEMPO steps. The curve of a score is the regression of the logit on the score.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy

from starscout.evaluation.evaluation import Calibration, Evaluation, value_table, zero
from starscout.evaluation.features import Features, slotted
from starscout.evaluation.weights import Weights, pack
from starscout.game import Game, GameError, Position
from starscout.game.values import ONE
from starscout.games.ewn import heuristics as shared
from starscout.games.ewn import race as race_tables
from starscout.games.ewn.board import Cubes
from starscout.kernels.bits import Word, integer
from starscout.kernels.kernel import kernel
from starscout.settings.options import read_whole

RAW = "raw-"
"""Prefix of evaluations whose values are proportional to their scores."""

UNIT = 60
"""Scores are integers in sixtieths of a point, so means over one to six cubes stay integers."""

RACE_CALIBRATION = (0.0325, 0.5755, 0.2615)
"""Offset, slope and bend: x = 2 · probability − 1 becomes offset + slope · x + bend · x³."""


MOST_SIDES = 50_000
"""Maximum number of sides in the table of the race, which has four numbers per side."""


MOST_WEIGHT = 99
"""The largest weight of the distances."""


class Term(NamedTuple):
    """A score of a side in multiples of `unit`, and its weights for the enemy and the mover."""

    score: Callable[..., int]
    unit: int
    """In sixtieths of a point. Included in the weights, so that kernels need not multiply by it."""
    largest: int
    """The largest score in sixtieths of a point."""
    enemy: int
    own: int
    most: int = 1
    """Maximum weight."""


def race_and_squares(game: Game) -> Evaluation:
    """The evaluation `race+squares`; raises GameError for other boards."""
    board = _board(game)
    if not _fitted(board):
        raise GameError("race+squares is available only on 5×5 with six cubes per side: use race")
    return race_tables.race_and_squares(board)


def race(game: Game) -> Evaluation:
    """The evaluation `race`; raises GameError for boards that need too large a table."""
    board = _board(game)
    if not _racing(board):
        raise GameError(f"race needs too large a table for {game.name}: use distance")
    mover, waiter = race_tables.factors(max(board.rows, board.columns) - 1, board.cubes)
    weights = pack({"mover": mover, "waiter": waiter, "curve": numpy.array(RACE_CALIBRATION)})
    return Evaluation("race", _race(board), shared.move_order(board), weights)


def zweistein(game: Game) -> Evaluation:
    """The evaluation `zweistein`; raises GameError for boards that need too large a table."""
    board = _board(game)
    if not _racing(board):
        raise GameError(f"zweistein needs too large a table for {game.name}: use distance")
    within = race_tables.arrival(max(board.rows, board.columns) - 1, board.cubes)
    weights = pack({"arrives": numpy.diff(within, axis=1), "before": within[:, :-1]})
    return Evaluation("zweistein", _zweistein(board), shared.move_order(board), weights)


def sum_of_terms(game: Game, text: str) -> Evaluation:
    """The evaluation that a text like `distance:2:1+determinacy` describes; raises GameError."""
    board = _board(game)
    formula = text.removeprefix(RAW)
    terms = [_term(board, word) for word in formula.split("+")]
    if len(terms) > 2:
        raise GameError(f"evaluation: expected one term or the sum of two, got {text!r}")
    highest = sum(term.largest * (abs(term.enemy) + abs(term.own)) for term in terms)
    if formula == text:
        point, values = 0, value_table(calibration_of(board, text), -highest, highest, UNIT)
    else:
        point = ONE // (highest // UNIT + 1)
        values = numpy.arange(-highest, highest + 1, dtype=numpy.int64) * point // UNIT
    kernel_of_terms = _sum(*(term.score for term in terms))
    return Evaluation(text, kernel_of_terms, shared.move_order(board), _sum_weights(terms, values), point)


def _board(game: Game) -> Cubes:
    return shared.board_of(game.rows, game.columns, game.faces)


def _fitted(board: Cubes) -> bool:
    """Whether the piece-square values are for this board."""
    return (board.rows, board.columns, board.cubes) == (5, 5, 6)


def _racing(board: Cubes) -> bool:
    """Whether the table of the race is small enough."""
    return max(board.rows, board.columns) ** board.cubes <= MOST_SIDES


def default_name(game: Game) -> str:
    """The best hand-written evaluation for a board."""
    return "race+squares" if _fitted(_board(game)) else luck_name(game)


def luck_name(game: Game) -> str:
    """The hand-written evaluation that measures luck on a board."""
    return "race" if _racing(_board(game)) else "distance"


def _term(board: Cubes, word: str) -> Term:
    name, *weights = word.split(":")
    if name == "distance":
        read = [number for weight in weights if (number := read_whole(weight, 0, MOST_WEIGHT)) is not None]
        if weights and not len(weights) == len(read) == 2:
            raise GameError(f"distance: expected two weights, like distance:2:1, got {word[:40]!r}")
        enemy, own = read or (1, 1)
        return Term(shared.least_distance(board), UNIT, UNIT * max(board.rows, board.columns), enemy, -own, MOST_WEIGHT)
    if name in EVALUATIONS and weights:
        raise GameError(f"{word!r}: {name} has no weights")
    if name == "weighted":
        return Term(_weighted(board), UNIT, UNIT * 2 * board.cubes**2 * max(board.rows, board.columns), 1, -1)
    if name == "determinacy":
        return Term(_determinacy(board), 1, UNIT * board.cubes, -1, 1)
    if name in ("race", "zweistein", "zero"):
        raise GameError(f"{name} cannot be part of a sum")
    raise GameError(f"ewn has no evaluation {word!r}: it has {', '.join(EVALUATIONS)}")


def _sum_weights(terms: list[Term], values_of_scores: numpy.ndarray) -> Weights:
    """The weights of the terms and the value of every score, in a table of a length that fits all weights."""
    highest = len(values_of_scores) // 2
    values = numpy.zeros(1 + 4 * sum(term.largest * term.most for term in terms), dtype=numpy.int64)
    values[: len(values_of_scores)] = values_of_scores
    enemy, own = ([term.unit * getattr(term, side) for term in terms] for side in ("enemy", "own"))
    return pack({"enemy": numpy.array(enemy), "own": numpy.array(own), "highest": highest, "values": values})


@functools.cache
def _sum(first: Any, second: Any = None) -> Any:
    """The kernel that adds one or two terms and looks up the value."""
    if second is None:

        @kernel
        def evaluate_one(position: Position, weights: Weights) -> int:
            score = weights.enemy[0] * first(position.enemy) + weights.own[0] * first(position.own)
            return integer(weights.values[weights.highest + score])

        return evaluate_one

    @kernel
    def evaluate_two(position: Position, weights: Weights) -> int:
        score = weights.enemy[0] * first(position.enemy) + weights.own[0] * first(position.own)
        score += weights.enemy[1] * second(position.enemy) + weights.own[1] * second(position.own)
        return integer(weights.values[weights.highest + score])

    return evaluate_two


@functools.cache
def _weighted(board: Cubes) -> Any:
    cubes, bits, mask, alive = board.cubes, Word(board.bits), Word(board.gone), board.alive
    near = shared.distances(board, 0)
    weights = shared.rolls_of(board)

    @kernel
    def weighted(side: Word) -> int:
        left = integer(alive(side))
        total = 0
        for cube in range(cubes):
            total += weights[left, cube] * near[integer(side & mask)]
            side >>= bits
        return total

    return weighted


@functools.cache
def _determinacy(board: Cubes) -> Any:
    alive = board.alive
    rolls = shared.rolls_of(board)
    means = numpy.array(
        [UNIT * row.sum() // max(cubes_left.bit_count(), 1) for cubes_left, row in enumerate(rolls)], dtype=numpy.int64
    )

    @kernel
    def determinacy(side: Word) -> int:
        return means[integer(alive(side))]

    return determinacy


@functools.cache
def _race(board: Cubes) -> Any:
    number = side_number(board)
    limit = 1.0 - 2.0**-10
    one = float(ONE)

    @kernel
    def race(position: Position, weights: Weights) -> int:
        own, enemy = number(position.own), number(position.enemy)
        chance = 0.0
        # The matrices of small boards have a lower rank.
        for term in range(weights.mover.shape[1]):
            chance += weights.mover[own, term] * weights.waiter[enemy, term]
        score = 2.0 * chance - 1.0
        value = weights.curve[0] + score * (weights.curve[1] + weights.curve[2] * score * score)
        return integer(min(max(value, -limit), limit) * one)

    return race


@functools.cache
def _zweistein(board: Cubes) -> Any:
    """Wei-Lin Hsueh and Tsan-sheng Hsu: Zweistein, arXiv 2502.15547.

    For the side that has just moved, whose X turns compete with Y turns of the mover, the paper's win rate is
    P(X < Y) = Σ over i of P(X ≤ i − 1) · P(Y = i). The mover wins otherwise.
    """
    number = side_number(board)
    # A value of 1 would claim a proof.
    limit, one = 1.0 - 2.0**-10, float(ONE)

    @kernel
    def evaluate(position: Position, weights: Weights) -> int:
        own, enemy = number(position.own), number(position.enemy)
        lost = 0.0
        for turn in range(weights.arrives.shape[1]):
            lost += weights.before[enemy, turn] * weights.arrives[own, turn]
        return integer(min(max(1.0 - 2.0 * lost, -limit), limit) * one)

    return evaluate


@functools.cache
def side_number(board: Cubes) -> Any:
    """The kernel (side) → its number to base far + 1, one digit per cube: its distance, 0 if captured."""
    near = shared.distances(board, 0)
    base = max(board.rows, board.columns)
    cubes, bits, mask = board.cubes, Word(board.bits), Word(board.gone)
    digits = numpy.array([near * base**cube for cube in range(cubes)])

    @kernel
    def number(side: Word) -> int:
        total = 0
        for cube in range(cubes):
            total += digits[cube, integer(side & mask)]
            side >>= bits
        return total

    return number


CALIBRATIONS = {
    "weighted": Calibration(0.134, 0.029),
    "determinacy": Calibration(0.1, 0.05),
    "distance+determinacy": Calibration(0.14, 0.157),
}
"""Fitted to the 5×5 board. Other sums use the curve of their first term."""

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


def cube_features_of(game: Game) -> Features:
    """The square of every cube of a game, as input of a learned evaluation."""
    return cube_features(game.rows, game.columns, game.faces)


@functools.cache
def cube_features(rows: int, columns: int, cubes: int) -> Features:
    """The squares of all cubes."""
    board = shared.board_of(rows, columns, cubes)
    bits, places, mask = Word(board.bits), board.gone + 1, Word(board.gone)

    @kernel(inline=True)
    def feature(position: Position, slot: int, weights: Weights) -> int:
        side = position.own if slot < cubes else position.enemy
        cube = slot if slot < cubes else slot - cubes
        return slot * places + integer((side >> (bits * Word(cube))) & mask)

    return slotted("cubes", (places,) * (2 * cubes), feature)


EVALUATIONS = {
    "race+squares": race_and_squares,
    "race": race,
    "zweistein": zweistein,
    "distance": lambda game: sum_of_terms(game, "distance"),
    "weighted": lambda game: sum_of_terms(game, "weighted"),
    "determinacy": lambda game: sum_of_terms(game, "determinacy"),
    "zero": lambda game: zero(shared.move_order(_board(game))),
}
"""Name → (game) → evaluation."""
