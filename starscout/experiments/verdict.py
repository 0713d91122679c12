"""Verdicts on claims: our difference, and the p-value of the report's own difference.

A claim compares the scores of two rows, of one row with an even score, or of many rows. The difference has a 95 %
confidence interval and a two-sided p-value (Student's t over pairs, Welch's for two rows); rows count as independent,
which is conservative because they share starts and dice.

    confirmed            the interval lies on the side of the claim ("same": the rows are equivalent)
    refuted              it lies on the other side ("same": it does not contain 0)
    no real difference   it contains 0, and the rows are equivalent
    undecided            none of these

Rows are equivalent if two one-sided tests at the 5 % level show that their Elo difference lies within ± the margin of
the experiment. For many rows the difference is the range, best minus worst; it is confirmed if the range is significant
at 5 %.

`reported_p_value` is the p-value of the report's own difference, by enumeration (`exact_tests.py`). `games_needed` is
the number of single games per row at which our difference would be found with 80 % power at the 5 % level.
"""

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from starscout.arena.elo import ELO_SCALE, elo
from starscout.arena.statistics import Z_95, estimate, student_cdf, student_quantile, wilson_interval
from starscout.experiments.exact_tests import Count, even_p_value, fisher_p_value, spread_p_value
from starscout.experiments.experiment import Claim, Experiment
from starscout.experiments.runner import Study, StudyRow

CONFIRMED, REFUTED, EQUAL, UNDECIDED = ANSWERS = "confirmed", "refuted", "no real difference", "undecided"
SIGNIFICANCE_LEVEL = 0.05
POWER = 0.8
MAX_GAMES_NEEDED = 1_000_000
"""Largest number of games per row that a verdict names."""
NORMAL = NormalDist()


@dataclass(frozen=True)
class Verdict:
    """The verdict on one claim."""

    claim: Claim
    answer: str
    difference: float | None
    """Our score difference, or our range if many rows are compared; None if we played no games."""
    interval: tuple[float, float] | None
    """Its 95 % confidence interval; None if many rows are compared."""
    p_value: float | None
    """Two-sided p-value of our difference or range."""
    elo: float | None
    """Our difference in Elo."""
    equivalence_p_value: float | None
    """p-value of the two one-sided tests against the margin; None without a margin."""
    reported_difference: float | None
    reported_interval: tuple[float, float] | None
    """95 % confidence interval of the report's difference: Wilson's, or Newcombe's for two rows."""
    reported_games: float | None
    """The report's smallest number of games in these rows."""
    reported_p_value: float | None
    fisher_p_value: float | None
    """Fisher's exact test of the report's two rows, where it disagrees about significance."""
    contradicts: bool
    """Whether the report's difference and ours differ significantly at the 5 % level, at equal limits."""
    games_needed: int | None
    """None: more than MAX_GAMES_NEEDED, or the difference is unknown."""

    @property
    def text(self) -> str:
        """The verdict as one sentence."""
        return f"{self.answer.capitalize()}: {self.claim.says} ({'; '.join(self._details())})."

    @property
    def same_direction(self) -> bool:
        """Whether we confirm the claim, and the report's difference has the same sign."""
        return self.answer == CONFIRMED and (self.reported_difference or 0.0) * (self.difference or 0.0) > 0

    def to_json(self) -> dict[str, Any]:
        """Return the verdict with the field names of `starscout experiment --json`."""
        return {**dataclasses.asdict(self), "sentence": self.text}

    def ours_text(self) -> str:
        """Our difference with its interval and p-value."""
        if self.difference is None or self.p_value is None:
            return "not played"
        if self.interval is None:
            return f"range {100 * self.difference:.1f} points, {p_text(self.p_value)}"
        low, high = (100 * end for end in self.interval)
        return f"{100 * self.difference:+.1f} points, 95 % interval {low:+.1f} to {high:+.1f}, {p_text(self.p_value)}"

    def theirs_text(self) -> str:
        """The report's difference with its p-value; empty if it has none."""
        if self.reported_p_value is None or self.reported_difference is None:
            return ""
        fisher = "" if self.fisher_p_value is None else f" (Fisher's test: {p_text(self.fisher_p_value)})"
        return f"{p_text(self.reported_p_value)} for the report's {100 * self.reported_difference:+.1f}{fisher}"

    def equivalence_text(self) -> str:
        """Our Elo difference with the p-value of equivalence; empty without a margin."""
        if self.elo is None or self.equivalence_p_value is None:
            return ""
        return f"{self.elo:+.0f} Elo, equivalence {p_text(self.equivalence_p_value)}"

    def _details(self) -> list[str]:
        conflict = ", not the report's size" if self.same_direction else ", which contradicts the report"
        details = [self.ours_text() + (conflict if self.contradicts else "")]
        details += filter(None, (self.equivalence_text(), self.theirs_text()))
        return details + self._power_details()

    def _power_details(self) -> list[str]:
        if self.claim.differ or self.claim.same or (not self.difference and self.games_needed is None):
            return []
        if self.games_needed is None:
            return [f"80 % power needs more than {MAX_GAMES_NEEDED:,} games per row"]
        had = "" if self.reported_games is None else f", the report has {self.reported_games:,.0f}"
        return [f"80 % power needs about {self.games_needed:,} games per row{had}"]


def p_text(p: float) -> str:
    """Format a p-value."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}" if p < 0.1 else f"p = {p:.2f}"


@dataclass(frozen=True)
class _Side:
    """One row: its score, and the estimate behind its interval (see `statistics.estimate`)."""

    score: float
    mean: float
    error: float
    freedom: int

    @property
    def elo_error(self) -> float:
        """Standard error in Elo."""
        return ELO_SCALE * self.error / (self.mean * (1 - self.mean)) if 0 < self.mean < 1 else math.inf


EVEN = _Side(0.5, 0.5, 0.0, 1)


def _side(row: StudyRow) -> _Side | None:
    """Return our result of a row; None without games."""
    if row.score is None or row.score_error is None:
        return None
    sample = row.sample
    if sample is not None and sample.n > 1:
        return _Side(row.score, *estimate(sample, row.prior), sample.n - 1)
    freedom = max(row.games // 2 - 1, 1)
    return _Side(row.score, row.score, row.score_error / student_quantile(freedom), freedom)


@dataclass(frozen=True)
class _Comparison:
    """Two rows, or a row and an even score."""

    first: _Side
    second: _Side

    @property
    def difference(self) -> float:
        return self.first.score - self.second.score

    @property
    def error(self) -> float:
        """Standard error of the difference."""
        return math.hypot(self.first.error, self.second.error)

    @property
    def freedom(self) -> int:
        """Degrees of freedom by Welch and Satterthwaite, rounded down."""
        parts = [(side.error**4, side.freedom) for side in (self.first, self.second)]
        spread = sum(part / freedom for part, freedom in parts)
        return max(int(self.error**4 / spread + 1e-9), 1) if spread else min(freedom for _, freedom in parts)

    @property
    def interval(self) -> tuple[float, float]:
        """95 % confidence interval of the difference; contains the observed one."""
        middle, half = self.first.mean - self.second.mean, student_quantile(self.freedom) * self.error
        return max(min(self.difference, middle - half), -1.0), min(max(self.difference, middle + half), 1.0)

    @property
    def p_value(self) -> float:
        """Two-sided p-value of no difference."""
        return 2 * self._tail(abs(self.first.mean - self.second.mean), self.error)

    @property
    def elo(self) -> float:
        """Difference in Elo."""
        return elo(self.first.mean) - elo(self.second.mean)

    def equivalence_p_value(self, margin: float) -> float:
        """Return the larger p-value of the two one-sided tests against ± `margin` Elo."""
        error = math.hypot(self.first.elo_error, self.second.elo_error)
        if not math.isfinite(error):
            return 1.0
        return max(self._tail(margin - self.elo, error), self._tail(margin + self.elo, error))

    def _tail(self, distance: float, error: float) -> float:
        """Return the probability of more than this distance in one direction."""
        if error == 0:
            return 0.5 if distance == 0 else float(distance < 0)
        return 1 - student_cdf(distance / error, self.freedom)


def verdicts(experiment: Experiment, study: Study) -> list[Verdict]:
    """Return the verdicts on the claims of an experiment; none for an empty study."""
    if not study.rows:
        return []
    return [_verdict(experiment, claim, [study.row(name) for name in claim.rows]) for claim in experiment.claim]


def _verdict(experiment: Experiment, claim: Claim, rows: Sequence[StudyRow]) -> Verdict:
    sides = [side for row in rows if (side := _side(row)) is not None]
    counts = [reported_count(row) for row in rows if "score" in row.reported and "games" in row.reported]
    reported = reported_p = fisher = theirs = None
    if len(counts) == len(rows):
        reported, reported_p, fisher = _reported(claim, counts)
        theirs = None if claim.differ else reported_interval(counts)
    games = min((count.games for count in counts), default=None) if reported is not None else None
    if len(sides) < len(rows):
        needed = None if claim.differ or not games else _games_needed([count.score for count in counts])
        return Verdict(
            claim, UNDECIDED, None, None, None, None, None, reported, theirs, games, reported_p, fisher, False, needed
        )
    if claim.differ:
        best, worst = max(sides, key=lambda side: side.score), min(sides, key=lambda side: side.score)
        comparison = _Comparison(best, worst)
        # The standard error of a row, from the mean variance.
        error = math.hypot(*(side.error for side in sides)) / math.sqrt(len(sides))
        p, interval, contradicts, needed = range_p_value(comparison.difference, error, len(sides)), None, False, None
    else:
        comparison = _Comparison(sides[0], sides[1] if len(sides) > 1 else EVEN)
        p, interval = comparison.p_value, comparison.interval
        contradicts = experiment.equal_limits and reported is not None and _contradicts(comparison, counts)
        needed = _games_needed([side.score for side in sides])
    equivalence = comparison.equivalence_p_value(experiment.margin) if experiment.margin else None
    answer = _answer(claim, interval, p, equivalent=equivalence is not None and equivalence < SIGNIFICANCE_LEVEL)
    return Verdict(
        claim, answer, comparison.difference, interval, p, comparison.elo, equivalence, reported, theirs, games,
        reported_p, fisher, contradicts, needed,
    )  # fmt: skip


def _answer(claim: Claim, interval: tuple[float, float] | None, p: float, *, equivalent: bool) -> str:
    if interval is None:
        return CONFIRMED if p < SIGNIFICANCE_LEVEL else EQUAL if equivalent else UNDECIDED
    low, high = interval
    if claim.same:
        return CONFIRMED if equivalent else REFUTED if low > 0 or high < 0 else UNDECIDED
    return CONFIRMED if low > 0 else REFUTED if high < 0 else EQUAL if equivalent else UNDECIDED


def reported_count(row: StudyRow) -> Count:
    """Return the wins, draws and losses in the report."""
    games, draws = round(row.reported["games"]), round(row.reported.get("draws", 0))
    wins = round(row.reported["score"] * games - draws / 2)
    return Count(wins, draws, games - draws - wins)


def _reported(claim: Claim, counts: Sequence[Count]) -> tuple[float, float, float | None]:
    """Return the report's difference or range, its p-value, and Fisher's if it disagrees."""
    scores = [count.score for count in counts]
    if len(counts) == 1:
        return scores[0] - 0.5, even_p_value(counts[0]), None
    p = spread_p_value(counts)
    if claim.differ:
        return max(scores) - min(scores), p, None
    fisher = fisher_p_value(*counts) if not any(count.draws for count in counts) else p
    disagree = (fisher < SIGNIFICANCE_LEVEL) != (p < SIGNIFICANCE_LEVEL)
    return scores[0] - scores[1], p, fisher if disagree else None


def reported_interval(counts: Sequence[Count]) -> tuple[float, float]:
    """Return the 95 % interval of a score minus ½ (Wilson), or of a difference of two scores (Newcombe)."""
    first, *others = [(count.score, *wilson_interval(count.score, count.games)) for count in counts]
    second = others[0] if others else (0.5, 0.5, 0.5)
    difference = first[0] - second[0]
    low = difference - math.hypot(first[0] - first[1], second[2] - second[0])
    return low, difference + math.hypot(first[2] - first[0], second[0] - second[1])


def _contradicts(ours: _Comparison, counts: Sequence[Count]) -> bool:
    """Whether the report's difference and ours differ significantly, at the pooled scores of both."""
    theirs = counts[0].score - (counts[1].score if len(counts) > 1 else 0.5)
    sides = (ours.first, ours.second)[: len(counts)]
    pooled = [(side.mean + count.score) / 2 for side, count in zip(sides, counts, strict=True)]
    errors = [math.sqrt(score * (1 - score) / count.games) for score, count in zip(pooled, counts, strict=True)]
    return abs(theirs - ours.difference) > Z_95 * math.hypot(ours.error, *errors)


def range_p_value(difference: float, error: float, count: int) -> float:
    """Return the p-value of the range of `count` normal variables with this error."""
    if error == 0:
        return 1.0 if difference == 0 else 0.0
    width, step = difference / error, 0.02
    # The smallest is near x, and the others lie between x and x + width.
    points = (step * number for number in range(-400, 401))
    inside = sum(NORMAL.pdf(x) * (NORMAL.cdf(x + width) - NORMAL.cdf(x)) ** (count - 1) for x in points)
    return min(max(1 - count * step * inside, 0.0), 1.0)


def _games_needed(scores: Sequence[float]) -> int | None:
    return games_needed(scores[0], scores[1] if len(scores) > 1 else 0.5, even=len(scores) == 1)


def games_needed(score: float, other: float, *, even: bool) -> int | None:
    """Return the single games per row that detect a difference with power POWER.

    `even`: compare one score with ½. None: more than MAX_GAMES_NEEDED.
    """
    effect = abs(score - other)
    if effect == 0:
        return None
    variance = score * (1 - score) + (0 if even else other * (1 - other))
    quantiles = Z_95 + NORMAL.inv_cdf(POWER)
    games = math.ceil(quantiles**2 * max(variance, 0.01) / effect**2)
    return games if games <= MAX_GAMES_NEEDED else None
