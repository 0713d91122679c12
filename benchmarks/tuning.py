"""Tuners with equal numbers of games: SPSA, quadratic regression as in CLOP, and two uses of a Gaussian process.

    python benchmarks/tuning.py synthetic [REPETITIONS]     surfaces with a known optimum, binomial results
    python benchmarks/tuning.py engine [SEEDS]              benchmarks/tuning_engine.py, an external engine

A surface is the strength of a player in logits as a function of two parameters, 0 to 1; the start is the centre. The
regret is the difference between the optimum and the tuned player, in Elo. The methods:

    spsa    as in StarScout, 16 pairs per step
    clop    quadratic logistic regression with local weights (after R. Coulom, 2011): games against the start player
    bayes   Gaussian process, games of a Thompson sample against the start player
    gp      as in StarScout: Gaussian process, duels between the two most informative players
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import starscout
from starscout.arena.tuners import (
    Duel,
    GaussianProcess,
    Optimum,
    gp_optimum,
    next_duel,
    refit_size,
    spsa_duel,
    spsa_optimum,
    spsa_step,
)

Array = np.ndarray[Any, np.dtype[np.float64]]
ELO = 400.0 / np.log(10.0)
START = [0.5, 0.5]
BUDGETS = {512: 8, 2048: 16}
"""Games → pairs per step of the Gaussian processes."""


def round_hill(x: float, y: float) -> float:
    """A round hill: the start is 56 Elo below the optimum."""
    return -4.0 * ((x - 0.7) ** 2 + (y - 0.3) ** 2)


def ridge(x: float, y: float) -> float:
    """A diagonal ridge: 14 Elo."""
    return -((x - 0.65 + y - 0.6) ** 2) - 8.0 * (x - 0.65 - y + 0.6) ** 2


def narrow_hill(x: float, y: float) -> float:
    """A hill on a plain, which is not quadratic: 82 Elo."""
    return 1.6 * float(np.exp(-(((x - 0.7) / 0.3) ** 2 + ((y - 0.35) / 0.3) ** 2) / 2.0))


def cliff(x: float, y: float) -> float:
    """Steep on one side of the optimum and flat on the other: 33 Elo."""
    side = x - 0.25
    return -(1.5 if side > 0 else 14.0) * side**2 - 3.0 * abs(y - 0.6) ** 1.5


SURFACES: dict[str, tuple[Callable[[float, float], float], tuple[float, float]]] = {
    "round hill": (round_hill, (0.7, 0.3)),
    "ridge": (ridge, (0.65, 0.6)),
    "narrow hill": (narrow_hill, (0.7, 0.35)),
    "cliff": (cliff, (0.25, 0.6)),
}


class Table:
    """Plays games on a surface."""

    def __init__(self, surface: Callable[[float, float], float], seed: int) -> None:
        self._surface, self.random = surface, np.random.default_rng(seed)

    def duel(self, first: Any, second: Any, pairs: int) -> Duel:
        """Play pairs of games, each won independently."""
        chance = 1.0 / (1.0 + np.exp(self._surface(*second) - self._surface(*first)))
        scores = self.random.binomial(2, chance, pairs) / 2.0
        return Duel(first, second, float(scores.mean()), pairs, float(scores.var()))


def plain(points: Array) -> Array:
    """All values are possible."""
    return points


def spsa(table: Table, games: int, seed: int) -> Optimum:
    """SPSA as in StarScout."""
    horizon, parts, history = games // 32, START, []
    for number in range(1, horizon + 1):
        signs = [int(sign) for sign in table.random.choice([-1, 1], 2)]
        score = table.duel(*spsa_duel(parts, number, signs), 16).score
        parts = spsa_step(parts, number, horizon, signs, score)
        history.append(parts)
    return spsa_optimum(history)


def gp(table: Table, games: int, seed: int) -> Optimum:
    """Gaussian process with informative duels, as in StarScout."""
    duels: list[Duel] = []
    scales: dict[int, Any] = {}
    pairs = BUDGETS[games]
    while len(duels) < games // (2 * pairs):
        size = refit_size(len(duels))
        if size and size not in scales:
            scales[size] = GaussianProcess(duels[:size]).scales
        duels.append(table.duel(*next_duel(duels, START, plain, pairs, seed, scales.get(size)), pairs))
    return gp_optimum(duels, START, plain, seed)


def bayes(table: Table, games: int, seed: int) -> Optimum:
    """Gaussian process with Thompson sampling against the start player."""
    duels: list[Duel] = []
    scales: dict[int, Any] = {}
    pairs = BUDGETS[games]
    while len(duels) < games // (2 * pairs):
        points = table.random.random((160, 2))
        best = points[0]
        if duels:
            size = refit_size(len(duels))
            if size not in scales:
                scales[size] = GaussianProcess(duels[:size]).scales
            mean, covariance = GaussianProcess(duels, scales[size]).posterior(points)
            values, vectors = np.linalg.eigh(covariance)
            drawn = mean + vectors @ (np.sqrt(np.maximum(values, 0.0)) * table.random.normal(size=len(values)))
            best = points[drawn.argmax()]
        duels.append(table.duel(best.tolist(), START, pairs))
    return gp_optimum(duels, START, plain, seed)


def features(points: Array) -> Array:
    """Terms of a quadratic function."""
    x, y = (points - 0.5).T
    return np.stack((np.ones_like(x), x, y, x * x, x * y, y * y), axis=1)


def clop(table: Table, games: int, seed: int) -> Optimum:
    """Local quadratic logistic regression; the result is the weighted mean of the samples."""
    points, wins, weights = np.zeros((0, 2)), np.zeros(0), np.zeros(0)
    coefficients, level, width, refit = np.zeros(6), 0.0, np.inf, 12.0

    def weight(at: Array) -> Array:
        return np.exp(np.minimum(0.0, (features(at) @ coefficients - level) / (3.0 * width)))

    while len(points) < games // 4:
        if len(points) >= refit:
            weights = np.ones(len(points))
            for _ in range(6):
                coefficients = _logistic(points, wins, weights, coefficients)
                chance = float(weights @ _sigmoid(features(points) @ coefficients) / weights.sum())
                level = float(np.log(chance / (1.0 - chance)))
                width = float(np.sqrt(1.0 / (4.0 * weights.sum() * chance * (1.0 - chance))))
                weights = np.minimum(weights, weight(points))
            refit = 1.1 * len(points) + 1
        sample = table.random.random((1, 2))
        while table.random.random() > weight(sample)[0]:
            sample = table.random.random((1, 2))
        points = np.vstack((points, sample))
        wins = np.append(wins, 4.0 * table.duel(sample[0], START, 2).score)
    weights = weight(points)
    return Optimum((weights @ points / weights.sum()).tolist())


def _sigmoid(values: Array) -> Array:
    return 1.0 / (1.0 + np.exp(-np.clip(values, -20.0, 20.0)))


def _logistic(points: Array, wins: Array, weights: Array, coefficients: Array) -> Array:
    """Newton's method for the weighted regression of four games per point."""
    terms = features(points)
    for _ in range(4):
        chances = _sigmoid(terms @ coefficients)
        slope = terms.T @ (weights * (wins - 4.0 * chances)) - 0.02 * coefficients
        curvature = (terms * (4.0 * weights * chances * (1.0 - chances))[:, None]).T @ terms + 0.02 * np.eye(6)
        coefficients = coefficients + np.clip(np.linalg.solve(curvature, slope), -2.0, 2.0)
    return coefficients


METHODS = {"spsa": spsa, "clop": clop, "bayes": bayes, "gp": gp}


def synthetic(repetitions: int) -> None:
    """Print the regret of every method on every surface, with 95 % intervals of the mean."""
    print(f"{repetitions} repetitions; regret in Elo, and coverage and mean width of the 95 % intervals")
    for name, (surface, optimum) in SURFACES.items():
        print(f"{name}: the start is {ELO * (surface(*optimum) - surface(*START)):.0f} Elo below the optimum")
        for games in BUDGETS:
            for method, tune in METHODS.items():
                began, lost, covered, widths = time.process_time(), [], [], []
                for seed in range(repetitions):
                    found = tune(Table(surface, seed), games, seed)
                    lost.append(ELO * (surface(*optimum) - surface(*found.best)))
                    for low, high, best in zip(*(found.interval or ((), ())), optimum, strict=False):
                        covered.append(low <= best <= high)
                        widths.append(high - low)
                mean, error = float(np.mean(lost)), 1.96 * float(np.std(lost)) / repetitions**0.5
                interval = f"{np.mean(covered):4.0%} {np.mean(widths):.2f}" if covered else "–"
                seconds = (time.process_time() - began) / repetitions
                print(f"  {games:5} games {method:6}{mean:6.1f} ± {error:4.1f}   {interval:>9}  {seconds:.2f} CPU-s")


def engine(seeds: int) -> None:
    """Print what `tune` finds for an engine with its optimum at own = 14, enemy = 6."""
    spec = f"lab:{sys.executable} {Path(__file__).with_name('tuning_engine.py')}"
    for method, steps, pairs in (("gp", 30, 8), ("spsa", 15, 16), ("spsa", 30, 16)):
        for seed in range(1, seeds + 1):
            result = starscout.tune(
                "ewn", spec, "own=5:0:20,enemy=15:0:20", steps=steps, pairs=pairs, method=method, seed=seed,
                luck="off", store=":memory:", progress=False,
            )  # fmt: skip
            distance = sum((result.parameters[name] - best) ** 2 for name, best in {"own": 14, "enemy": 6}.items())
            text = f"{result.parameters} {result.intervals}, distance from the optimum {distance**0.5:.1f}"
            print(f"{method:5} {2 * steps * pairs} games, seed {seed}: {text}", flush=True)


if __name__ == "__main__":
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 30
    engine(number) if sys.argv[1:2] == ["engine"] else synthetic(number)
