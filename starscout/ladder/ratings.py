"""Bradley-Terry ratings with a normal prior, refitted after every pair of games.

The score of a pair, adjusted for luck, has the expectation 1/(1 + exp(r_j − r_i)). Pairs of games share start and dice,
so their scores vary less than single games do. The dispersion, the mean squared residual divided by p(1 − p), is
estimated from all pairs and weights the likelihood, so that intervals are neither too wide nor too narrow.

The maximum of the posterior is found by Newton steps from the previous one. The covariance is updated by rank one for
every pair and recomputed when the steps no longer converge quickly.

The spread of the first versions is estimated, too: pairing by information gain selects players whose results were
extreme, and a prior that is too wide would not correct their ratings.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy

from starscout.arena.elo import ELO_SCALE
from starscout.arena.luck_adjustment import Fold
from starscout.arena.statistics import Z_95

FIRST_SD = 250.0
"""Initial standard deviation of the ratings of first versions, in Elo."""
FIRST_PLAYERS = 4.0
"""Weight, in players, of this initial value in the estimate."""
NEXT_SD = 150.0
"""Standard deviation of the change from one version of an entrant to the next, in Elo."""
DISPERSION_PAIRS = 20.0
"""Weight, in pairs, of the assumption that the dispersion is 1/2: two independent games per pair."""
MAX_DISPERSION = 2.0
TOLERANCE = 1e-7
MAX_STEPS = 50
MAX_UPDATES = 200
"""Pairs after which the covariance, the dispersion and the spread are recomputed."""


@dataclass(frozen=True)
class Rating:
    """A rating in Elo, with the half-width of its 95 % interval against the weighted mean of the field."""

    elo: float
    error: float
    low_rank: int
    """The best rank within the 95 % interval, counted from 1."""
    high_rank: int


class Ratings:
    """The ratings of the players of one game. Players are numbered from 0 in the order of `add_player`."""

    def __init__(self) -> None:
        self.strength = numpy.zeros(0)
        """Ratings in log-odds."""
        self.covariance = numpy.zeros((0, 0))
        self._prior_mean = numpy.zeros(0)
        self._prior_weight = numpy.zeros(0)
        self._is_first = numpy.zeros(0, dtype=bool)
        self._first_sd = FIRST_SD / ELO_SCALE
        self._rows: dict[tuple[int, int], int] = {}
        """Two players, the smaller number first → row of the tables below."""
        self._folds: list[tuple[Fold, Fold]] = []
        self._ends = numpy.zeros((2, 0), dtype=numpy.int64)
        self._sums = numpy.zeros((2, 3, 0))
        """Fold; number of pairs, luck, score; row."""
        self._all = Fold(), Fold()
        self._betas = [1.0, 1.0]
        self.dispersion = 0.5
        self._updates = 0

    def add_player(self, prior: float | None = None) -> int:
        """Add a player and return its number; `prior`: the rating of its predecessor in Elo."""
        number, size = len(self.strength), len(self.strength) + 1
        deviation = self._first_sd if prior is None else NEXT_SD / ELO_SCALE
        mean = 0.0 if prior is None else prior / ELO_SCALE
        self.strength = numpy.append(self.strength, mean)
        self._prior_mean = numpy.append(self._prior_mean, mean)
        self._prior_weight = numpy.append(self._prior_weight, deviation**-2)
        self._is_first = numpy.append(self._is_first, prior is None)
        covariance = numpy.zeros((size, size))
        covariance[:number, :number] = self.covariance
        covariance[number, number] = deviation**2
        self.covariance = covariance
        return number

    def add_sums(self, first: int, second: int, folds: tuple[Fold, Fold]) -> None:
        """Add the sums of an encounter; `fit` follows."""
        for number, fold in enumerate(folds):
            self._add(first, second, number, fold)
        self._updates = MAX_UPDATES

    def add_pair(self, first: int, second: int, parity: int, luck: float | None, score: float) -> None:
        """Add a pair: A's net luck per game in win probability, its score, and whether its number is odd."""
        fold = Fold()
        fold.add(0.0 if luck is None else luck, score)
        self._add(first, second, parity, fold)
        self._updates += 1
        # Sherman-Morrison: the pair adds weight in the direction of the difference of both players.
        column = self.covariance[:, first] - self.covariance[:, second]
        weight = self.information(first, second)
        self.covariance -= numpy.outer(column, column) * (weight / (1 + weight * float(column[first] - column[second])))

    def information(self, first: int, second: int) -> float:
        """The information of one pair about the difference of two players."""
        p = 1 / (1 + math.exp(float(self.strength[second] - self.strength[first])))
        return p * (1 - p) / self.dispersion

    def _add(self, first: int, second: int, parity: int, fold: Fold) -> None:
        # Every encounter is stored from the perspective of the player with the smaller number.
        turned = fold
        if first > second:
            first, second = second, first
            turned = Fold(fold.n, -fold.x, fold.n - fold.y, fold.xx, fold.xy - fold.x, fold.n - 2 * fold.y + fold.yy)
        row = self._rows.get((first, second))
        if row is None:
            row = self._rows[first, second] = len(self._folds)
            self._folds.append((Fold(), Fold()))
            if row >= self._ends.shape[1]:
                more = max(64, row)
                self._ends = numpy.concatenate([self._ends, numpy.zeros((2, more), dtype=numpy.int64)], axis=1)
                self._sums = numpy.concatenate([self._sums, numpy.zeros((2, 3, more))], axis=2)
            self._ends[:, row] = first, second
        for total in (self._folds[row][parity], self._all[parity]):
            _accumulate(total, turned)
        self._sums[parity, :, row] += turned.n, turned.x, turned.y

    def pairs(self, player: int) -> int:
        """The number of pairs of a player."""
        rows = len(self._folds)
        mine = (self._ends[:, :rows] == player).any(axis=0)
        return round(float(self._sums[:, 0, :rows][:, mine].sum()))

    def fit(self) -> None:
        """Move to the maximum of the posterior."""
        if self._updates >= MAX_UPDATES:
            self._refresh()
        for step in range(MAX_STEPS):
            change = self.covariance @ self._gradient()
            self.strength = self.strength + numpy.clip(change, -1.0, 1.0)
            if not len(change) or float(numpy.abs(change).max()) < TOLERANCE:
                return
            if step % 8 == 7:
                self._refresh(estimate=False)

    def _tables(self) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray, numpy.ndarray, numpy.ndarray]:
        """Players of every encounter, its number of pairs, its adjusted score, and the expected score."""
        rows = len(self._folds)
        first, second = self._ends[:, :rows]
        count, luck, score = (self._sums[:, part, :rows] for part in range(3))
        adjusted = (score - numpy.array(self._betas)[:, None] * luck).sum(axis=0)
        expected = 1 / (1 + numpy.exp(self.strength[second] - self.strength[first]))
        return first, second, count.sum(axis=0), adjusted, expected

    def _gradient(self) -> numpy.ndarray:
        first, second, count, adjusted, expected = self._tables()
        residual = (adjusted - count * expected) / self.dispersion
        size = len(self.strength)
        gradient = numpy.bincount(first, residual, size) - numpy.bincount(second, residual, size)
        return gradient - self._prior_weight * (self.strength - self._prior_mean)

    def _refresh(self, *, estimate: bool = True) -> None:
        """Recompute the covariance; `estimate`: also the effect of luck and the dispersion."""
        if estimate:
            self._updates = 0
            # The even pairs are adjusted by the effect in the odd ones, and vice versa.
            self._betas = [self._all[1].beta(), self._all[0].beta()]
            self._estimate_dispersion()
            self._estimate_spread()
        first, second, count, _, expected = self._tables()
        weight = count * expected * (1 - expected) / self.dispersion
        size = len(self.strength)
        hessian = numpy.zeros((size, size))
        numpy.add.at(hessian, (first, second), -weight)
        hessian += hessian.T
        hessian[numpy.diag_indices(size)] = (
            self._prior_weight + numpy.bincount(first, weight, size) + numpy.bincount(second, weight, size)
        )
        self.covariance = numpy.linalg.inv(hessian)

    def _estimate_dispersion(self) -> None:
        *_, expected = self._tables()
        squares, scale = 0.0, 0.0
        for folds, p in zip(self._folds, expected.tolist(), strict=True):
            for fold, beta in zip(folds, self._betas, strict=True):
                adjusted = fold.y - beta * fold.x
                second = fold.yy - 2 * beta * fold.xy + beta * beta * fold.xx
                squares += second - 2 * p * adjusted + fold.n * p * p
                scale += fold.n * p * (1 - p)
        prior = DISPERSION_PAIRS * 0.25
        self.dispersion = min(MAX_DISPERSION, max(0.02, (squares + prior / 2) / (scale + prior)))

    def _estimate_spread(self) -> None:
        """One step of expectation-maximisation for the spread of the first versions."""
        chosen = self._is_first
        squares = float((self.strength[chosen] ** 2 + numpy.diag(self.covariance)[chosen]).sum())
        prior = FIRST_PLAYERS * (FIRST_SD / ELO_SCALE) ** 2
        self._first_sd = math.sqrt((squares + prior) / (int(chosen.sum()) + FIRST_PLAYERS))
        self._prior_weight[chosen] = self._first_sd**-2

    def rated(self, players: Sequence[int], zero: int | None) -> list[Rating]:
        """The ratings of these players; the player number `zero` has rating 0.

        Intervals are against the mean of these players, weighted by precision.
        """
        if not players:
            return []
        chosen = numpy.array(players)
        part = self.covariance[numpy.ix_(chosen, chosen)]
        strength = self.strength[chosen]
        # Players with precise ratings dominate the mean, so a newcomer widens only its own interval.
        share = 1 / numpy.diag(part)
        share /= share.sum()
        spread = numpy.diag(part) - 2 * part @ share + share @ part @ share
        error = Z_95 * ELO_SCALE * numpy.sqrt(numpy.maximum(0.0, spread))
        variance = numpy.diag(part)[:, None] + numpy.diag(part)[None, :] - 2 * part
        gap = strength[:, None] - strength[None, :]
        clearly = gap > Z_95 * numpy.sqrt(numpy.maximum(variance, 1e-12))
        better, worse = clearly.sum(axis=0), clearly.sum(axis=1)
        shift = 0.0 if zero is None else float(self.strength[zero])
        return [
            Rating(float(own - shift) * ELO_SCALE, float(half), 1 + int(above), len(players) - int(below))
            for own, half, above, below in zip(strength, error, better, worse, strict=True)
        ]


def _accumulate(total: Fold, more: Fold) -> None:
    total.n += more.n
    total.x += more.x
    total.y += more.y
    total.xx += more.xx
    total.xy += more.xy
    total.yy += more.yy
