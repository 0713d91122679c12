"""A match as a view needs it, pair by pair: a watched match costs what is new in it, not what it has grown to."""

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from starscout.arena.pair import PairRecord
from starscout.arena.statistics import Z_95
from starscout.arena.tally import Tally
from starscout.drawing.charts import Band

HIGHLIGHTS = 4
"""Games to look at first, of each kind."""
MOST_FORFEITS = 20
"""Forfeits that are listed with their reasons."""
MOST_TIMES = 200_000
"""Thinking times that are kept for the histogram."""


class Highlight(NamedTuple):
    """A game to look at: where its largest loss or its largest luck was, in winning chances."""

    size: float
    pair: int
    half: int
    ply: int


class ForfeitedGame(NamedTuple):
    """A game that `player`, "A" or "B", lost by a forfeit."""

    pair: int
    half: int
    player: str
    reason: str
    detail: str


@dataclass
class MatchProgress:
    """What has been seen of a match."""

    tally: Tally = field(default_factory=Tally)
    scores: list[float] = field(default_factory=list)
    luck: list[float | None] = field(default_factory=list)
    """The mean extra luck of A in each pair."""
    plies: list[int] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    losses: list[Highlight] = field(default_factory=list)
    """The games with the largest losses, the largest first."""
    swings: list[Highlight] = field(default_factory=list)
    """The games with the luckiest rolls, the luckiest first."""
    forfeits: list[ForfeitedGame] = field(default_factory=list)
    """The first MOST_FORFEITS of them."""
    last: PairRecord | None = None

    def take_all(self, records: Iterable[PairRecord]) -> None:
        """Add the next pairs."""
        for record in records:
            self.take(record)

    def take(self, record: PairRecord) -> None:
        """Add the next pair."""
        self.tally.add(record)
        self.scores.append(record.score)
        self.luck.append(sum(record.luck) / len(record.luck) if record.luck else None)
        self.plies += record.plies
        if len(self.times) < MOST_TIMES:
            self.times += [seconds for game in record.move_times() for seconds in game]
        for half, annotation in enumerate(record.annotations()):
            if annotation is not None and annotation.loss:
                self.losses = _largest(self.losses, record.pair, half, annotation.loss)
                self.swings = _largest(self.swings, record.pair, half, annotation.luck)
        if len(self.forfeits) < MOST_FORFEITS:
            self.forfeits += _forfeits_of(record)
        self.last = record

    def score_bands(self) -> list[Band]:
        """The running score of A with its 95 % band, raw and adjusted for luck."""
        bands = [_running("raw", self.scores)]
        known = [luck for luck in self.luck if luck is not None]
        if known and len(known) == len(self.scores):
            betas = self.tally.luck.betas()
            adjusted = [
                score - betas[n % 2] * luck for n, (score, luck) in enumerate(zip(self.scores, known, strict=True))
            ]
            bands.append(_running("luck-adjusted", adjusted))
        return bands if self.scores else []


def _forfeits_of(record: PairRecord) -> list[ForfeitedGame]:
    losers = [record.forfeiter(half) for half in range(len(record.scores))]
    details = record.details() if any(losers) else []
    return [
        ForfeitedGame(record.pair, half, loser, record.reasons[half], details[half])
        for half, loser in enumerate(losers)
        if loser is not None
    ]


def _largest(known: list[Highlight], pair: int, half: int, sizes: Sequence[float]) -> list[Highlight]:
    ply = max(range(len(sizes)), key=lambda number: sizes[number])
    return heapq.nlargest(HIGHLIGHTS, [*known, Highlight(sizes[ply], pair, half, ply)])


def _running(name: str, values: Sequence[float]) -> Band:
    means, lows, highs = [], [], []
    total = squares = 0.0
    for count, value in enumerate(values, 1):
        total += value
        squares += value * value
        mean = total / count
        half = Z_95 * (max(squares / count - mean * mean, 0.0) / count) ** 0.5
        means.append(mean)
        lows.append(mean - half)
        highs.append(mean + half)
    return Band(name, means, lows, highs)
