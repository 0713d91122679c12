"""The luck-adjusted result of a match: pair scores minus β times A's extra luck, β cross-fitted.

β must not be fitted on the pairs that it adjusts: the even pairs get the β of the odd ones and vice versa. A calibrated
value function has β = 1 and needs no fit; a few imaginary pairs with β = 1 keep it steady while there are few real
ones.
"""

from dataclasses import dataclass, field

from starscout.arena.statistics import Sample

IMAGINARY_PAIRS = 4.0


@dataclass
class _Fold:
    """Sums over the pairs of one half of the match: x is A's extra luck, y the score."""

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
        """The regression of score on luck (whose mean is known to be zero), pulled towards 1 by the imaginary pairs."""
        if self.xx == 0:
            return 1.0
        covariance = self.xy - self.x * self.y / self.n
        variance = self.xx - self.x * self.x / self.n
        imaginary = IMAGINARY_PAIRS * self.xx / self.n
        return (covariance + imaginary) / (variance + imaginary)


@dataclass
class LuckTally:
    """The luck and the scores of the pairs so far."""

    _folds: tuple[_Fold, _Fold] = field(default_factory=lambda: (_Fold(), _Fold()))

    def add(self, pair: int, luck: float, score: float) -> None:
        """Count a pair: A was this much luckier (a mean over its games, in winning chances), and scored this."""
        self._folds[pair % 2].add(luck, score)

    def betas(self) -> list[float]:
        """The β of the even and of the odd pairs, each fitted on the others."""
        return [self._folds[1].beta(), self._folds[0].beta()]

    def adjusted(self) -> Sample:
        """The luck-adjusted pair scores as a sample."""
        n, total, squares = 0, 0.0, 0.0
        for fold, beta in zip(self._folds, self.betas(), strict=True):
            n += fold.n
            total += fold.y - beta * fold.x
            squares += fold.yy - 2 * beta * fold.xy + beta * beta * fold.xx
        if n == 0:
            return Sample(0, 0.5, 0.0)
        mean = total / n
        return Sample(n, mean, max(0.0, squares / n - mean * mean))

    def variance_ratio(self) -> float | None:
        """The variance of the adjusted pairs over that of the raw ones; None when the raw pairs do not vary."""
        n = sum(fold.n for fold in self._folds)
        mean = sum(fold.y for fold in self._folds) / n
        raw = sum(fold.yy for fold in self._folds) / n - mean * mean
        return self.adjusted().variance / raw if raw > 1e-15 else None
