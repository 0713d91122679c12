"""Verdicts on claims: our difference, and the p-value of the report's own difference.

A claim compares the scores of two rows, of one row with an even score, or of many rows. The difference has a 95 %
confidence interval; rows count as independent, which is conservative because they share starts and dice.

    confirmed            the interval lies on the side of the claim ("same": within ± SAME_MARGIN)
    refuted              it lies on the other side ("same": it does not contain 0)
    no real difference   it contains 0 and lies within the equivalence margin ± SAME_MARGIN
    undecided            none of these

For many rows the difference is the range, best minus worst; it is confirmed if the range is significant at 5 %.

`reported_p_value` is the p-value of the report's own difference. `games_needed` is the number of single games per row
at which our difference would be found with 80 % power at the 5 % level.
"""

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from starscout.arena.statistics import Z_95
from starscout.experiments.experiment import Claim, Experiment
from starscout.experiments.runner import Study, StudyRow

CONFIRMED, REFUTED, EQUAL, UNDECIDED = ANSWERS = "confirmed", "refuted", "no real difference", "undecided"
SAME_MARGIN = 0.05
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
    """Our score difference; None if we played no games."""
    error: float | None
    """Half-width of its 95 % confidence interval; None if many rows are compared."""
    p_value: float | None
    """p-value of our range if many rows are compared."""
    reported_difference: float | None
    reported_games: float | None
    """The report's smallest number of games in these rows."""
    reported_p_value: float | None
    contradicts: bool
    """Whether the report's difference and ours differ significantly at the 5 % level."""
    games_needed: int | None
    """None: more than MAX_GAMES_NEEDED, or the difference is unknown."""

    @property
    def text(self) -> str:
        """The verdict as one sentence."""
        return f"{self.answer.capitalize()}: {self.claim.says} ({'; '.join(self._details())})."

    def to_json(self) -> dict[str, Any]:
        """Return the verdict with the field names of `starscout experiment --json`."""
        names = {"p_value": "chance_here", "reported_p_value": "by_chance"}
        fields = {names.get(name, name): value for name, value in dataclasses.asdict(self).items()}
        return {**fields, "sentence": self.text}

    def _details(self) -> list[str]:
        details = []
        if self.difference is None:
            details.append("not played")
        elif self.p_value is not None:
            details.append(f"range {100 * self.difference:.1f} points, {p_text(self.p_value)}")
        elif self.error is not None:
            contradiction = ", which contradicts the report" if self.contradicts else ""
            details.append(f"difference {100 * self.difference:+.1f} ± {100 * self.error:.1f} points{contradiction}")
        if self.reported_p_value is not None and self.reported_difference is not None:
            details.append(f"{p_text(self.reported_p_value)} for the report's {100 * self.reported_difference:+.1f}")
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
class _Evidence:
    """The scores of the rows of a claim and their standard errors."""

    scores: tuple[float, ...]
    errors: tuple[float, ...]

    @property
    def difference(self) -> float:
        """The score of the first row minus that of the second, or minus ½."""
        return self.scores[0] - (self.scores[1] if len(self.scores) > 1 else 0.5)

    @property
    def error(self) -> float:
        """Standard error of the difference."""
        return math.hypot(*self.errors)

    @property
    def row_error(self) -> float:
        """Approximate standard error of a row."""
        return self.error / math.sqrt(len(self.errors))

    @property
    def range(self) -> float:
        """The best score minus the worst."""
        return max(self.scores) - min(self.scores)

    @property
    def range_p_value(self) -> float:
        """p-value of the range if all rows have the same true score."""
        return range_p_value(self.range, self.row_error, len(self.scores))


def verdicts(experiment: Experiment, study: Study) -> list[Verdict]:
    """Return the verdicts on the claims of an experiment; none for an empty study."""
    if not study.rows:
        return []
    return [_verdict(claim, [study.row(name) for name in claim.rows]) for claim in experiment.claim]


def _verdict(claim: Claim, rows: Sequence[StudyRow]) -> Verdict:
    ours, theirs = _measured(rows), _reported(rows)
    difference = error = our_p = reported = reported_p = games = needed = None
    contradicts = False
    answer = UNDECIDED
    if theirs is not None:
        games = min(row.reported["games"] for row in rows)
        reported = theirs.range if claim.differ else theirs.difference
        reported_p = theirs.range_p_value if claim.differ else p_value(theirs.difference, theirs.error)
    if ours is not None and claim.differ:
        difference, our_p = ours.range, ours.range_p_value
        small = difference + Z_95 * ours.row_error * math.sqrt(2) < SAME_MARGIN
        answer = CONFIRMED if our_p < SIGNIFICANCE_LEVEL else EQUAL if small else UNDECIDED
    elif ours is not None:
        difference, error = ours.difference, Z_95 * ours.error
        answer = _answer(difference, error, same=bool(claim.same))
        if theirs is not None:
            both = math.hypot(ours.error, theirs.error)
            contradicts = abs(theirs.difference - ours.difference) > Z_95 * both
    known = ours or theirs
    if known is not None and not claim.differ:
        score = known.scores[0]
        needed = games_needed(score, score - known.difference, even=len(rows) == 1)
    return Verdict(claim, answer, difference, error, our_p, reported, games, reported_p, contradicts, needed)


def _answer(difference: float, error: float, *, same: bool) -> str:
    low, high = difference - error, difference + error
    small = low > -SAME_MARGIN and high < SAME_MARGIN
    if same:
        return CONFIRMED if small else REFUTED if low > 0 or high < 0 else UNDECIDED
    return CONFIRMED if low > 0 else REFUTED if high < 0 else EQUAL if small else UNDECIDED


def _measured(rows: Sequence[StudyRow]) -> _Evidence | None:
    """Return our scores; None if a row has no games."""
    scores = tuple(row.score for row in rows if row.score is not None)
    errors = tuple(row.score_error / Z_95 for row in rows if row.score_error is not None)
    return _Evidence(scores, errors) if len(scores) == len(errors) == len(rows) else None


def _reported(rows: Sequence[StudyRow]) -> _Evidence | None:
    """Return the report's scores with standard errors under H0; None if one is missing."""
    reported = [row.reported for row in rows]
    if any("score" not in one or "games" not in one for one in reported):
        return None
    games = [one["games"] for one in reported]
    pooled = sum(one["score"] * one["games"] for one in reported) / sum(games) if len(reported) > 1 else 0.5
    errors = (math.sqrt(pooled * (1 - pooled) / count) for count in games)
    return _Evidence(tuple(one["score"] for one in reported), tuple(errors))


def p_value(difference: float, error: float) -> float:
    """Return the two-sided p-value of a difference with this standard error (z test)."""
    if error == 0:
        return 1.0 if difference == 0 else 0.0
    return 2 * NORMAL.cdf(-abs(difference) / error)


def range_p_value(difference: float, error: float, count: int) -> float:
    """Return the p-value of the range of `count` normal variables with this error."""
    if error == 0:
        return 1.0 if difference == 0 else 0.0
    width, step = difference / error, 0.02
    # The smallest is near x, and the others lie between x and x + width.
    points = (step * number for number in range(-400, 401))
    inside = sum(NORMAL.pdf(x) * (NORMAL.cdf(x + width) - NORMAL.cdf(x)) ** (count - 1) for x in points)
    return min(max(1 - count * step * inside, 0.0), 1.0)


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
