"""Luck-adjusted match results: pair scores minus β times A's net luck, with cross-fitted β.

β must not be fitted on the pairs that it adjusts: even pairs use the β of the odd pairs and vice versa. A calibrated
value function has β = 1; a prior of PSEUDO_PAIRS pairs with β = 1 stabilises the estimate for small samples.
"""

from dataclasses import dataclass, field

from starscout.arena.statistics import Sample

PSEUDO_PAIRS = 4.0


@dataclass
class Fold:
    """Sums over one cross-fitting fold: x is A's net luck, y the score."""

    n: int = 0
    x: float = 0.0
    y: float = 0.0
    xx: float = 0.0
    xy: float = 0.0
    yy: float = 0.0

    def add(self, x: float, y: float) -> None:
        self.n += 1
        self.x += x
        self.y += y
        self.xx += x * x
        self.xy += x * y
        self.yy += y * y

    def beta(self) -> float:
        """Return the regression slope of score on luck, shrunk towards 1 by the prior."""
        if self.xx == 0:
            return 1.0
        covariance = self.xy - self.x * self.y / self.n
        variance = self.xx - self.x * self.x / self.n
        prior = PSEUDO_PAIRS * self.xx / self.n
        return (covariance + prior) / (variance + prior)


@dataclass
class LuckTally:
    """The luck and the scores of the pairs so far."""

    _folds: tuple[Fold, Fold] = field(default_factory=lambda: (Fold(), Fold()))

    def add(self, pair: int, luck: float, score: float) -> None:
        """Add a pair: A's net luck (mean over its games, in win probability) and its score."""
        self._folds[pair % 2].add(luck, score)

    def betas(self) -> list[float]:
        """Return β for the even and the odd pairs, each fitted on the other fold."""
        return [self._folds[1].beta(), self._folds[0].beta()]

    def adjusted(self) -> Sample:
        """Return the sample of luck-adjusted pair scores."""
        n, total, squares = 0, 0.0, 0.0
        for fold, beta in zip(self._folds, self.betas(), strict=True):
            n += fold.n
            total += fold.y - beta * fold.x
            squares += fold.yy - 2 * beta * fold.xy + beta * beta * fold.xx
        if n == 0:
            return Sample(0, 0.5, 0.0)
        mean = total / n
        return Sample(n, mean, max(0.0, squares / n - mean * mean))

    def raw(self) -> Sample:
        """Return the sample of the raw scores of the same pairs."""
        n = sum(fold.n for fold in self._folds)
        mean = sum(fold.y for fold in self._folds) / n
        return Sample(n, mean, max(0.0, sum(fold.yy for fold in self._folds) / n - mean * mean))

    def variance_ratio(self) -> float | None:
        """Return the ratio of adjusted to raw variance; None if the raw variance is 0."""
        raw = self.raw().variance
        return self.adjusted().variance / raw if raw > 1e-15 else None
