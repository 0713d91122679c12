"""Exact tests of small counts, by enumeration.

One sample against an even score: the two-sided binomial test on the decisive games. Several samples: the probability
that independent samples of the same sizes, drawn at the pooled rates of wins and draws, differ at least as much from
best to worst; for two samples this is the difference. `fisher_p_value` is Fisher's test of two samples without draws.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from starscout.arena.statistics import decisive_p_value

TOLERANCE = 1e-9
"""Differences and probabilities this close count as equal."""


@dataclass(frozen=True)
class Count:
    """Results of one player: wins, draws and losses."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Mean score."""
        return (self.wins + self.draws / 2) / self.games


def even_p_value(count: Count) -> float:
    """Return the two-sided p-value of an even score; draws do not count."""
    return decisive_p_value(count.wins, count.losses)


def spread_p_value(counts: Sequence[Count]) -> float:
    """Return the p-value of the best score minus the worst if all samples have the same true rates."""
    games = sum(count.games for count in counts)
    win, draw = (sum(kind) / games for kind in zip(*((count.wins, count.draws) for count in counts), strict=True))
    spread = max(count.score for count in counts) - min(count.score for count in counts) - TOLERANCE
    samples = [
        [
            (points / (2 * count.games), chance)
            for points, chance in enumerate(_points(count.games, win, draw))
            if chance
        ]
        for count in counts
    ]
    closer = 0.0
    for least in sorted({score for sample in samples for score, _ in sample}):
        inside = [
            [(score, chance) for score, chance in sample if least <= score < least + spread] for sample in samples
        ]
        above = [[(score, chance) for score, chance in sample if score > least] for sample in inside]
        closer += _all(inside) - _all(above)
    return min(max(1 - closer, 0.0), 1.0)


def fisher_p_value(first: Count, second: Count) -> float:
    """Return the two-sided p-value of Fisher's exact test of two samples; draws count as losses."""
    wins, games = first.wins + second.wins, first.games + second.games

    def chance(k: int) -> float:
        return math.comb(first.games, k) * math.comb(second.games, wins - k) / math.comb(games, wins)

    possible = range(max(0, wins - second.games), min(wins, first.games) + 1)
    seen = chance(first.wins) * (1 + TOLERANCE)
    return min(math.fsum(p for p in map(chance, possible) if p <= seen), 1.0)


def _points(games: int, win: float, draw: float) -> list[float]:
    """Return the distribution of the total score of several games, in half points."""
    chances = [1.0]
    for _ in range(games):
        padded = [0.0, 0.0, *chances, 0.0, 0.0]
        chances = [
            max(1 - win - draw, 0.0) * lost + draw * drawn + win * won
            for won, drawn, lost in zip(padded, itertools.islice(padded, 1, None), padded[2:], strict=False)
        ]
    return chances


def _all(samples: Sequence[Sequence[tuple[float, float]]]) -> float:
    """Return the probability that every sample takes one of these scores."""
    return math.prod(math.fsum(chance for _, chance in sample) for sample in samples)
