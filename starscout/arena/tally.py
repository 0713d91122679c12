"""The running result of a match: counts and sums, so a summary costs the same after any number of pairs."""

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from starscout.arena.luck_adjustment import LuckTally
from starscout.arena.pair import PairRecord, Usage
from starscout.arena.sprt import Sprt, likelihood_ratio, normal_likelihood_ratio
from starscout.arena.statistics import (
    Sample,
    decisive_p_value,
    elo,
    elo_error,
    interval,
    sample_of_counts,
    score_error,
    superiority,
)

HOPELESS_GAMES = 4
"""A match is hopeless when a player has forfeited all games, at least this many, before its first move."""


@dataclass
class Tally:
    """The result of the pairs added so far, for player A."""

    pairs: Counter[float] = field(default_factory=Counter)
    """Pair score → how many pairs; a pair with one game counts too."""
    halves: int = 0
    """How many of the pairs have only one game."""
    results: Counter[float] = field(default_factory=Counter)
    """Game score → how many games."""
    forfeits: dict[str, Counter[str]] = field(default_factory=lambda: {"A": Counter(), "B": Counter()})
    first_forfeit: str = ""
    """The pair, the game and the reason of the first forfeit."""
    stillborn: Counter[str] = field(default_factory=Counter)
    """How many games A and B forfeited before their first move."""
    used: tuple[Usage, Usage] = (Usage(), Usage())
    """What A and B used."""
    plies: int = 0
    thinking: float = 0.0
    luck: LuckTally = field(default_factory=LuckTally)

    def add(self, record: PairRecord) -> None:
        """Count one more pair."""
        self.pairs[record.score] += 1
        self.halves += len(record.scores) == 1
        for half, score in enumerate(record.scores):
            self.results[score] += 1
            forfeiter = record.forfeiter(half)
            if forfeiter is not None:
                self.forfeits[forfeiter][record.reasons[half]] += 1
                self.stillborn[forfeiter] += record.plies[half] < 2
                self.first_forfeit = self.first_forfeit or self._told(record, half)
        self.plies += sum(record.plies)
        self.used = self.used[0].joined(record.used[0]), self.used[1].joined(record.used[1])
        self.thinking += record.seconds
        if record.luck is not None:
            self.luck.add(record.pair, sum(record.luck) / len(record.luck), record.score)

    @staticmethod
    def _told(record: PairRecord, half: int) -> str:
        detail = record.details()[half] if record.content else ""
        return f"pair {record.pair}, game {half}: {record.reasons[half]}" + (f": {detail}" if detail else "")

    @property
    def hopeless(self) -> str | None:
        """`"A"` or `"B"` if it forfeited all games so far before its first move, at least HOPELESS_GAMES."""
        games = sum(self.results.values())
        return next((who for who, count in self.stillborn.items() if count == games >= HOPELESS_GAMES), None)

    @property
    def count(self) -> int:
        """How many pairs were added."""
        return sum(self.pairs.values())

    @property
    def sample(self) -> Sample:
        """The pairs as a sample."""
        return sample_of_counts(self.pairs)

    @property
    def decisive(self) -> int:
        """Pairs that were not split."""
        return self.sample.n - self.pairs[0.5]

    def ratio(self, test: Sprt, adjusted: bool) -> float:
        """The log-likelihood ratio of a sequential test, of the raw or of the luck-adjusted pairs."""
        if not adjusted:
            return likelihood_ratio(self.pairs, test)
        return normal_likelihood_ratio(self.luck.adjusted(), test)

    def verdict(self, test: Sprt, adjusted: bool) -> str:
        """The verdict of the sequential test so far."""
        return test.verdict(self.ratio(test, adjusted), self.decisive)

    def summary(self, test: Sprt | None = None, adjusted: bool = False) -> dict[str, Any]:
        """The fields of `starscout match --json` (without `seconds`); what is infinite or unknown is None."""
        sample = self.sample
        games = sum(self.results.values())
        low, high = interval(sample)
        won = sum(count for score, count in self.pairs.items() if score > 0.5)
        return {
            "pairs": sample.n - self.halves,
            "games": games,
            "wins": self.results[1.0],
            "losses": self.results[0.0],
            "draws": self.results[0.5],
            "pair_counts": {f"{score:g}": self.pairs[score] for score in sorted(self.pairs)},
            "score": sample.mean,
            "score_error": score_error(sample),
            "score_interval": [low, high],
            "elo": finite(elo(sample.mean)),
            "elo_error": finite(elo_error(sample)),
            "elo_interval": [finite(elo(low)), finite(elo(high))],
            "los": superiority(sample),
            "decisive_p_value": decisive_p_value(won, self.decisive - won),
            "luck_adjusted": self._luck_summary(),
            "sprt": None if test is None else self._sprt_summary(test, adjusted),
            "forfeits": {name: dict(counter) for name, counter in self.forfeits.items()},
            "first_forfeit": self.first_forfeit or None,
            "mean_plies": self.plies / games if games else 0.0,
            "used": {"A": self.used[0].summary(), "B": self.used[1].summary()},
        }

    def _luck_summary(self) -> dict[str, Any] | None:
        adjusted = self.luck.adjusted()
        if adjusted.n < 2:
            return None
        low, high = interval(adjusted, bounded=False)
        return {
            "score": adjusted.mean,
            "score_error": score_error(adjusted),
            "score_interval": [low, high],
            "variance_ratio": self.luck.variance_ratio(),
            "beta": self.luck.betas(),
            "los": superiority(adjusted, bounded=False),
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
    """The number, or None when it is infinite: JSON has no infinity."""
    return number if math.isfinite(number) else None
