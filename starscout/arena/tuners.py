"""Tuners: which two players to compare next, and where the optimum is. Parameters are scaled to their ranges, 0 to 1.

`gp`, the default, models strength in logits as a Gaussian process with a quadratic trend. A step is a duel between
players a and b; its score measures f(a) − f(b), so that every duel improves one model of all players:

    kernel        k(x, y) = q² (4 u·v + 16 (u·v)²) + s² exp(−|x − y|² / 2l²)        u, v = x − ½, y − ½
    observation   logit(score) = f(a) − f(b) + noise of variance r / (2n p(1 − p))   n pairs, r measured
    next duel     draw two functions from the posterior; take the pair of candidates that most reduces the
                  variance of the difference between their maxima
    result        maximum of the posterior mean; its interval from the maxima of functions drawn from the posterior

q, s and l maximise the marginal likelihood. `spsa` is simultaneous perturbation stochastic approximation (J. C. Spall,
1992): both players are perturbed in opposite directions, and the parameters move towards the winner:

    up, down = u ± c·Δ          Δ = ±1 each at random           c = 0.1 / k^0.101
    u ← u + a · r / (2c) · Δ    r = 2 · score of `up` − 1       a = 0.05 · ((A + 1)/(A + k))^0.602

Its result is the mean over the last quarter of the steps; it has no interval.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

FIRST_PERTURBATION, PERTURBATION_DECAY = 0.1, 0.101
FIRST_GAIN, GAIN_DECAY = 0.05, 0.602

Array = np.ndarray[Any, np.dtype[np.float64]]
Point = Sequence[float]

TRENDS = (0.3, 1.0, 3.0)
AMPLITUDES = (0.1, 0.3, 1.0, 2.0)
LENGTHS = (0.1, 0.15, 0.2, 0.35, 0.6)
"""Grids of q, s and l."""

CANDIDATES, LOCAL = 120, 40
"""Random candidates of a duel, and candidates near the best of them."""
FINAL_CANDIDATES, FINAL_LOCAL, DRAWS = 500, 150, 500
"""Candidates of the result, and functions drawn for its interval."""
PRIOR_PAIRS = 4
"""Weight of the prior that pairs have the variance of two independent games."""


class Duel(NamedTuple):
    """A step: both players, and the score of the first with its number and variance of pairs."""

    first: Point
    second: Point
    score: float
    pairs: int
    variance: float


@dataclass(frozen=True)
class Optimum:
    """The best parameters, and the 95 % interval of each; None without an interval."""

    best: Point
    interval: tuple[Point, Point] | None = None


Scales = tuple[float, float, float]
"""q, s and l."""

Snap = Callable[[Array], Array]
"""Moves points to values that the parameters can take."""


class GaussianProcess:
    """The posterior of the strength f, given duels."""

    def __init__(self, duels: Sequence[Duel], scales: Scales | None = None) -> None:
        """Condition on the duels; without scales, those of the greatest marginal likelihood."""
        self._first = np.array([duel.first for duel in duels])
        self._second = np.array([duel.second for duel in duels])
        pairs = np.array([duel.pairs for duel in duels], float)
        scores = (np.array([duel.score for duel in duels]) * pairs + 0.5) / (pairs + 1.0)
        spread = scores * (1.0 - scores) / 2.0
        measured = float(sum(duel.pairs * duel.variance for duel in duels))
        ratio = (measured + PRIOR_PAIRS * 0.125) / (float(pairs @ spread) + PRIOR_PAIRS * 0.125)
        self._noise = ratio / (4.0 * pairs * spread)
        self.ratio = ratio
        self._logits = np.log(scores / (1.0 - scores))
        both = np.vstack((self._first, self._second))
        self._products, self._distances = _geometry(both, both)
        self.scales = scales or max(self._grid(), key=self._likelihood)
        factor = np.linalg.cholesky(self._covariance(*self.scales))
        self._factor, self._whitened = factor, np.linalg.solve(factor, self._logits)

    @staticmethod
    def _grid() -> list[Scales]:
        return [(trend, amplitude, length) for trend in TRENDS for amplitude in AMPLITUDES for length in LENGTHS]

    def _covariance(self, trend: float, amplitude: float, length: float) -> Array:
        """The covariance of the observations."""
        n = len(self._logits)
        k = _kernel(self._products, self._distances, trend, amplitude, length)
        return k[:n, :n] - k[:n, n:] - k[n:, :n] + k[n:, n:] + np.diag(self._noise)

    def _likelihood(self, scales: Scales) -> float:
        """The logarithm of the marginal likelihood, with a weak prior on the amplitude."""
        factor = np.linalg.cholesky(self._covariance(*scales))
        whitened = np.linalg.solve(factor, self._logits)
        fit = -0.5 * float(whitened @ whitened) - float(np.log(np.diag(factor)).sum())
        return fit - 0.1 * math.log(scales[1] / AMPLITUDES[1]) ** 2

    def posterior(self, points: Array) -> tuple[Array, Array]:
        """The mean and the covariance of f at these points."""
        first, second = (_kernel(*_geometry(points, side), *self.scales) for side in (self._first, self._second))
        reduced = np.linalg.solve(self._factor, (first - second).T)
        prior = _kernel(*_geometry(points, points), *self.scales)
        return reduced.T @ self._whitened, prior - reduced.T @ reduced


def _geometry(points: Array, others: Array) -> tuple[Array, Array]:
    """The products and the squared distances of points."""
    products = (points - 0.5) @ (others - 0.5).T
    return products, ((points[:, None] - others[None]) ** 2).sum(-1)


def _kernel(products: Array, distances: Array, trend: float, amplitude: float, length: float) -> Array:
    quadratic = trend**2 * (4.0 * products + 16.0 * products**2)
    return quadratic + amplitude**2 * np.exp(-distances / (2.0 * length**2))


def refit_size(duels: int) -> int:
    """Number of duels that determine q, s and l: one of a few sizes, because fitting is the most expensive part."""
    return duels if duels < 8 else math.floor(8 * 1.25 ** math.floor(math.log(duels / 8, 1.25) + 1e-9))


def next_duel(
    duels: Sequence[Duel], start: Point, snap: Snap, pairs: int, seed: int, scales: Scales | None = None
) -> tuple[Point, Point]:
    """The most informative duel, according to the duels so far."""
    random = np.random.default_rng([seed, len(duels)])
    points = np.vstack(([start], random.random((CANDIDATES, len(start)))))
    model = GaussianProcess(duels, scales) if duels else None
    if model is not None:
        best = points[model.posterior(points)[0].argmax()]
        points = np.vstack((points, best + random.normal(0.0, 0.1, (LOCAL, len(start)))))
    points = np.unique(snap(np.clip(points, 0.0, 1.0)), axis=0)
    if model is None:
        mean, covariance, ratio = np.zeros(len(points)), _kernel(*_geometry(points, points), 1.0, 0.3, 0.35), 1.0
    else:
        (mean, covariance), ratio = model.posterior(points), model.ratio
    tops = (mean[:, None] + _root(covariance) @ random.normal(size=(len(points), 40))).argmax(0)
    one = tops[0]
    other = next((top for top in tops if top != one), (one + 1) % len(points))
    towards = covariance[:, one] - covariance[:, other]
    variances = np.diag(covariance)
    expected = 1.0 / (1.0 + np.exp(mean[None] - mean[:, None]))
    noise = ratio / (2.0 * pairs * np.maximum(expected * (1.0 - expected), 1e-3))
    spread = np.maximum(variances[:, None] + variances[None] - 2.0 * covariance, 0.0)
    gain = (towards[:, None] - towards[None]) ** 2 / (spread + noise)
    first, second = np.unravel_index(int(gain.argmax()), gain.shape)
    if first == second:
        first, second = one, other
    return points[first].tolist(), points[second].tolist()


def _root(covariance: Array) -> Array:
    """A square root of a covariance matrix, which may be singular."""
    values, vectors = np.linalg.eigh(covariance)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def gp_optimum(
    duels: Sequence[Duel], start: Point, snap: Snap, seed: int, scales: Scales | None = None, *, interval: bool = True
) -> Optimum:
    """The optimum according to the duels; its interval takes longer."""
    random = np.random.default_rng([seed, len(duels), 1])
    model = GaussianProcess(duels, scales)
    points = np.vstack(([start], random.random((FINAL_CANDIDATES, len(start)))))
    best = points[model.posterior(points)[0].argmax()]
    points = np.vstack((points, best + random.normal(0.0, 0.05, (FINAL_LOCAL, len(start)))))
    points = np.unique(snap(np.clip(points, 0.0, 1.0)), axis=0)
    mean, covariance = model.posterior(points)
    best = points[mean.argmax()]
    if not interval:
        return Optimum(best.tolist())
    drawn = mean[:, None] + _root(covariance) @ random.normal(size=(len(points), DRAWS))
    low, high = np.quantile(points[drawn.argmax(0)], (0.025, 0.975), axis=0)
    return Optimum(best.tolist(), (np.minimum(low, best).tolist(), np.maximum(high, best).tolist()))


def spsa_duel(parts: Point, number: int, signs: Sequence[int]) -> tuple[Point, Point]:
    """The players of step `number`, from 1: perturbed in the direction of the signs and in the opposite direction."""
    shift = FIRST_PERTURBATION / number**PERTURBATION_DECAY
    up, down = (
        [min(max(part + way * shift * sign, 0.0), 1.0) for part, sign in zip(parts, signs, strict=True)]
        for way in (1, -1)
    )
    return up, down


def spsa_step(parts: Point, number: int, horizon: int, signs: Sequence[int], score: float) -> Point:
    """The parameters after step `number` of `horizon`."""
    shift, steady = FIRST_PERTURBATION / number**PERTURBATION_DECAY, horizon / 10
    gain = FIRST_GAIN * ((steady + 1) / (steady + number)) ** GAIN_DECAY
    move = gain * (2 * score - 1) / (2 * shift)
    return [min(max(part + move * sign, 0.0), 1.0) for part, sign in zip(parts, signs, strict=True)]


def spsa_optimum(history: Sequence[Point]) -> Optimum:
    """The mean over the last quarter of the steps."""
    last = history[-max(1, len(history) // 4) :]
    return Optimum([sum(column) / len(last) for column in zip(*last, strict=True)])
