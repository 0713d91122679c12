"""Running totals of a match: counts and sums, so that a summary takes constant time."""

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from starscout.arena.elo import elo, elo_error, normalised_elo, normalised_elo_interval
from starscout.arena.luck_adjustment import LuckTally
from starscout.arena.pair import PairRecord, Usage
from starscout.arena.sprt import Sprt, likelihood_ratio, normal_likelihood_ratio
from starscout.arena.statistics import (
    Sample,
    confidence_interval,
    decisive_p_value,
    half_width,
    points_interval,
    sample_of_counts,
    shrunk_prior,
    superiority,
)
from starscout.records.record import ADJUDICATIONS

FAILING_GAMES = 4
"""A player is failing if it forfeited all games, at least this many, before its first move."""


@dataclass
class PointsTally:
    """The points of A in a game whose wins count 1 to `scale` points."""

    scale: int = 1
    pairs: Counter[float] = field(default_factory=Counter)
    """Points per game of a pair → number of pairs."""
    least: int = 0
    """The fewest points of any win; 0 without wins."""
    luck: LuckTally = field(default_factory=LuckTally)
    """The luck and the points of the pairs, both in points per game."""

    def add(self, record: PairRecord) -> None:
        """Add a pair; games that ended 0 – 0 do not count."""
        self.scale = max(self.scale, record.scale)
        valid = [points for half, points in enumerate(record.points) if len(record.forfeiters(half)) < 2]
        if not valid:
            return
        mean = sum(valid) / len(valid)
        self.pairs[mean] += 1
        self.least = min((abs(points) for points in (*valid, self.least) if points), default=0)
        if record.luck is not None and len(valid) == len(record.points):
            self.luck.add(record.pair, sum(record.luck) / len(record.luck), mean)

    def summary(self) -> dict[str, Any]:
        """Return points per game with the half-width of their 95 % interval; all None in a game without points."""
        sample = sample_of_counts(self.pairs)
        return self._fields(sample, self.least or 1) if self.pairs else dict.fromkeys(POINTS)

    def luck_summary(self) -> dict[str, Any]:
        """Return the same for luck-adjusted points."""
        adjusted = self.luck.adjusted()
        if not self.pairs or adjusted.n < 2:
            return dict.fromkeys(POINTS)
        return self._fields(adjusted, (self.least or 1) * shrunk_prior(adjusted, self.luck.raw()).scale)

    def _fields(self, sample: Sample, least: float) -> dict[str, Any]:
        low, high = points_interval(sample, least, self.scale)
        return dict(zip(POINTS, (sample.mean, (high - low) / 2, [low, high]), strict=True))


POINTS = ("points_per_game", "points_error", "points_interval")
"""The fields of a game with points."""


@dataclass
class Tally:
    """The result of the pairs added so far, from the perspective of player A."""

    pairs: Counter[float] = field(default_factory=Counter)
    """Pair score → number of pairs, including a pair with one game."""
    halves: int = 0
    """Number of pairs with only one game."""
    results: Counter[float] = field(default_factory=Counter)
    """Game score → number of games."""
    double_forfeits: int = 0
    """Number of games that both players forfeited; they score 0 – 0 and do not count as games."""
    void_pairs: int = 0
    """Number of pairs without any other game."""
    forfeits: dict[str, Counter[str]] = field(default_factory=lambda: {"A": Counter(), "B": Counter()})
    adjudications: Counter[str] = field(default_factory=Counter)
    """Reason → number of games that the referee ended early."""
    first_forfeit: str = ""
    """Pair, game and reason of the first forfeit."""
    forfeited_at_start: Counter[str] = field(default_factory=Counter)
    """Number of games that A and B forfeited before their first move."""
    used: tuple[Usage, Usage] = (Usage(), Usage())
    """Resources used by A and B."""
    plies: int = 0
    thinking: float = 0.0
    luck: LuckTally = field(default_factory=LuckTally)
    points: PointsTally = field(default_factory=PointsTally)

    def add(self, record: PairRecord) -> None:
        """Add a pair."""
        valid = record.valid_scores
        if valid:
            self.pairs[sum(valid) / len(valid)] += 1
        self.void_pairs += not valid
        if record.points:
            self.points.add(record)
        self.halves += len(valid) == 1
        self.results.update(valid)
        self.double_forfeits += len(record.scores) - len(valid)
        self.adjudications.update(reason for reason in record.reasons if reason in ADJUDICATIONS)
        for half in range(len(record.scores)):
            for forfeiter in record.forfeiters(half):
                self.forfeits[forfeiter][record.reasons[half]] += 1
                self.forfeited_at_start[forfeiter] += record.plies[half] < 2
                self.first_forfeit = self.first_forfeit or self._describe_forfeit(record, half)
        self.plies += sum(record.plies)
        self.used = self.used[0].combined(record.used[0]), self.used[1].combined(record.used[1])
        self.thinking += record.seconds
        if record.net_luck is not None and len(valid) == len(record.scores):
            self.luck.add(record.pair, record.net_luck, record.score)

    @staticmethod
    def _describe_forfeit(record: PairRecord, half: int) -> str:
        detail = record.details()[half] if record.content else ""
        return f"pair {record.pair}, game {half}: {record.reasons[half]}" + (f": {detail}" if detail else "")

    @property
    def failing_player(self) -> str | None:
        """`"A"` or `"B"` if that player is failing (see FAILING_GAMES), else None."""
        games = sum(self.results.values())
        counts = self.forfeited_at_start.items()
        return next((player for player, count in counts if count == games >= FAILING_GAMES), None)

    @property
    def forfeiting_player(self) -> str | None:
        """`"A"` or `"B"` if that player forfeited every game, else None."""
        games = sum(self.results.values()) + self.double_forfeits
        return next((player for player, reasons in self.forfeits.items() if reasons.total() == games > 0), None)

    @property
    def count(self) -> int:
        """Number of pairs added."""
        return sum(self.pairs.values()) + self.void_pairs

    @property
    def sample(self) -> Sample:
        """The pairs as a sample."""
        return sample_of_counts(self.pairs)

    @property
    def decisive(self) -> int:
        """Number of decisive pairs (score other than ½)."""
        return self.sample.n - self.pairs[0.5]

    def ratio(self, test: Sprt, adjusted: bool) -> float:
        """Return the log-likelihood ratio of the SPRT, for raw or luck-adjusted pairs."""
        if not adjusted:
            return likelihood_ratio(self.pairs, test)
        return normal_likelihood_ratio(self.luck.adjusted(), test)

    def verdict(self, test: Sprt, adjusted: bool) -> str:
        """Return the verdict of the SPRT so far."""
        return test.verdict(self.ratio(test, adjusted), self.decisive)

    def summary(self, test: Sprt | None = None, adjusted: bool = False) -> dict[str, Any]:
        """Return the fields of `starscout match --json`; infinite or unknown values are None."""
        sample = self.sample
        games = sum(self.results.values())
        low, high = confidence_interval(sample)
        normalised, normalised_error = normalised_elo(sample) or (None, None)
        won = sum(count for score, count in self.pairs.items() if score > 0.5)
        return {
            "pairs": sample.n - self.halves,
            "games": games,
            "wins": self.results[1.0],
            "losses": self.results[0.0],
            "draws": self.results[0.5],
            "pair_counts": {f"{score:g}": self.pairs[score] for score in sorted(self.pairs)},
            "score": sample.mean,
            "score_error": half_width((low, high)),
            "score_interval": [low, high],
            **self.points.summary(),
            "elo": finite(elo(sample.mean)),
            "elo_error": finite(elo_error((low, high))),
            "elo_interval": [finite(elo(low)), finite(elo(high))],
            "normalised_elo": normalised,
            "normalised_elo_error": normalised_error,
            "normalised_elo_interval": [finite(end) for end in normalised_elo_interval(self.pairs)],
            "los": superiority(sample),
            "decisive_p_value": decisive_p_value(won, self.decisive - won),
            "luck_adjusted": self._luck_summary(),
            "sprt": None if test is None else self._sprt_summary(test, adjusted),
            "forfeits": {name: dict(counter) for name, counter in self.forfeits.items()},
            "first_forfeit": self.first_forfeit or None,
            "adjudications": dict(self.adjudications),
            "mean_plies": self.plies / games if games else 0.0,
            "used": {"A": self.used[0].summary(), "B": self.used[1].summary()},
        }

    def _luck_summary(self) -> dict[str, Any] | None:
        adjusted = self.luck.adjusted()
        if adjusted.n < 2:
            return None
        prior = shrunk_prior(adjusted, self.luck.raw())
        low, high = confidence_interval(adjusted, prior)
        return {
            "score": adjusted.mean,
            "score_error": half_width((low, high)),
            "score_interval": [low, high],
            "variance_ratio": self.luck.variance_ratio(),
            "beta": self.luck.betas(),
            "los": superiority(adjusted, prior),
            **self.points.luck_summary(),
        }

    def _sprt_summary(self, test: Sprt, adjusted: bool) -> dict[str, Any]:
        return {
            "llr": self.ratio(test, adjusted),
            "lower": test.lower,
            "upper": test.upper,
            "verdict": self.verdict(test, adjusted),
            "elo0": test.elo0,
            "elo1": test.elo1,
            "luck_adjusted": adjusted,
        }


def finite(number: float) -> float | None:
    """Return the number, or None if it is infinite (JSON has no infinity)."""
    return number if math.isfinite(number) else None
