"""What the evidence says about a claim, and what a report of its size could have said.

A claim compares the scores of two rows, of a row with an even score, or of many rows. The difference has a 95 %
interval; the rows count as independent, which is on the safe side: they share their starts and dice.

    confirmed            the interval lies on the side of the claim ("same": within ± SAME_MARGIN)
    refuted              it lies on the other side ("same": it does not contain 0)
    no real difference   it contains 0 and lies within ± SAME_MARGIN: whatever there is, it is small
    undecided            none of these

The difference of many rows is that between the best and the worst of them. That they differ is confirmed if equal rows
spread so far in less than one of twenty studies.

Two numbers say what the report's own games could show. `by_chance`: how often equal rows of that many games differ at
least as much as the report's. `games_needed`: how many single games per row it takes to see our difference with 80 %
chance, at the usual 5 % risk.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from starscout.arena.statistics import Z_95
from starscout.experiments.experiment import Claim, Experiment
from starscout.experiments.study import Study, StudyRow

CONFIRMED, REFUTED, EQUAL, UNDECIDED = ANSWERS = "confirmed", "refuted", "no real difference", "undecided"
SAME_MARGIN = 0.05
RISK = 0.05
"""What chance does more often than this is not evidence."""
POWER = 0.8
MOST_GAMES = 1_000_000
"""The most games per row that a sentence names."""
NORMAL = NormalDist()


@dataclass(frozen=True)
class Verdict:
    """The answer to one claim."""

    claim: Claim
    answer: str
    difference: float | None
    """Our score difference; None where we played no games."""
    error: float | None
    """The half-width of its 95 % interval; none where many rows are compared."""
    chance_here: float | None
    """Where many rows are compared: how often equal rows of our size spread at least as far."""
    reported_difference: float | None
    reported_games: float | None
    """How many games the report has for each of these rows, at least."""
    by_chance: float | None
    contradicts: bool
    """Whether the report's difference and ours lie further apart than the errors of both explain."""
    games_needed: int | None
    """None: more than MOST_GAMES, or no difference is known."""

    @property
    def sentence(self) -> str:
        """The verdict for people."""
        words = [f"{self.answer.capitalize()}: {self.claim.says}"]
        if self.difference is not None and self.chance_here is not None:
            words.append(
                f"from best to worst it is {100 * self.difference:.1f} points, "
                f"and equal rows spread so far in {percent(self.chance_here)} of studies of this size"
            )
        elif self.difference is not None and self.error is not None:
            words.append(f"the difference is {100 * self.difference:+.1f} ± {100 * self.error:.1f} points")
            if self.contradicts:
                words[-1] += ", which contradicts the report"
        if self.by_chance is not None and self.reported_difference is not None:
            words.append(
                f"chance alone makes one as large as the report's {100 * self.reported_difference:+.1f} "
                f"in {percent(self.by_chance)} of studies of its size"
            )
        return "; ".join([*words, *self._games_words()]) + "."

    def _games_words(self) -> list[str]:
        if self.claim.differ or self.claim.same:
            return []
        if self.games_needed is None and self.difference is None:
            return []
        if self.difference == 0:
            return ["the score is exactly even" if len(self.claim.rows) == 1 else "the two scores are equal"]
        if self.games_needed is None:
            return [f"it takes more than {MOST_GAMES:,} single games per row to see such a difference"]
        had = "" if self.reported_games is None else f", and the report has {self.reported_games:,.0f}"
        return [f"it takes {self.games_needed:,} single games per row to see such a difference{had}"]


def percent(share: float) -> str:
    """How often chance does something, for people."""
    return "less than 1 %" if share < 0.01 else f"{100 * share:.0f} %"


@dataclass(frozen=True)
class _Evidence:
    """The scores of the rows of a claim, and the standard deviation of each."""

    scores: tuple[float, ...]
    deviations: tuple[float, ...]

    @property
    def difference(self) -> float:
        """How much the first row scores more than the second, or than ½."""
        return self.scores[0] - (self.scores[1] if len(self.scores) > 1 else 0.5)

    @property
    def deviation(self) -> float:
        """The standard deviation of the difference."""
        return math.hypot(*self.deviations)

    @property
    def typical(self) -> float:
        """The approximate standard deviation of a row."""
        return self.deviation / math.sqrt(len(self.deviations))

    @property
    def spread(self) -> float:
        """From the best row to the worst."""
        return max(self.scores) - min(self.scores)

    @property
    def chance_of_spread(self) -> float:
        """How often equal rows spread so far."""
        return chance_of_spread(self.spread, self.typical, len(self.scores))


def verdicts(experiment: Experiment, study: Study) -> list[Verdict]:
    """The answers to the claims of an experiment; none before anything is played."""
    if not study.rows:
        return []
    return [_verdict(claim, [study.row(name) for name in claim.rows]) for claim in experiment.claim]


def _verdict(claim: Claim, rows: Sequence[StudyRow]) -> Verdict:
    ours, told = _measured(rows), _reported(rows)
    difference = error = here = reported = by_chance = games = needed = None
    contradicts = False
    answer = UNDECIDED
    if told is not None:
        games = min(row.reported["games"] for row in rows)
        reported = told.spread if claim.differ else told.difference
        by_chance = told.chance_of_spread if claim.differ else p_value(told.difference, told.deviation)
    if ours is not None and claim.differ:
        difference, here = ours.spread, ours.chance_of_spread
        small = difference + Z_95 * ours.typical * math.sqrt(2) < SAME_MARGIN
        answer = CONFIRMED if here < RISK else EQUAL if small else UNDECIDED
    elif ours is not None:
        difference, error = ours.difference, Z_95 * ours.deviation
        answer = _answer(difference, error, same=bool(claim.same))
        if told is not None:
            both = math.hypot(ours.deviation, told.deviation)
            contradicts = abs(told.difference - ours.difference) > Z_95 * both
    known = ours or told
    if known is not None and not claim.differ:
        score = known.scores[0]
        needed = games_needed(score, score - known.difference, even=len(rows) == 1)
    return Verdict(claim, answer, difference, error, here, reported, games, by_chance, contradicts, needed)


def _answer(difference: float, error: float, *, same: bool) -> str:
    low, high = difference - error, difference + error
    small = low > -SAME_MARGIN and high < SAME_MARGIN
    if same:
        return CONFIRMED if small else REFUTED if low > 0 or high < 0 else UNDECIDED
    return CONFIRMED if low > 0 else REFUTED if high < 0 else EQUAL if small else UNDECIDED


def _measured(rows: Sequence[StudyRow]) -> _Evidence | None:
    """What we played; None where a row has no games."""
    scores = tuple(row.score for row in rows if row.score is not None)
    deviations = tuple(row.score_error / Z_95 for row in rows if row.score_error is not None)
    return _Evidence(scores, deviations) if len(scores) == len(deviations) == len(rows) else None


def _reported(rows: Sequence[StudyRow]) -> _Evidence | None:
    """What the report says, with the deviations of equal rows of its size; None where it has no numbers for a row."""
    told = [row.reported for row in rows]
    if any("score" not in single or "games" not in single for single in told):
        return None
    games = [single["games"] for single in told]
    pooled = sum(single["score"] * single["games"] for single in told) / sum(games) if len(told) > 1 else 0.5
    deviations = (math.sqrt(pooled * (1 - pooled) / count) for count in games)
    return _Evidence(tuple(single["score"] for single in told), tuple(deviations))


def p_value(difference: float, deviation: float) -> float:
    """How often a normal variable of mean 0 and this deviation is at least this far from 0, on either side."""
    if deviation == 0:
        return 1.0 if difference == 0 else 0.0
    return 2 * NORMAL.cdf(-abs(difference) / deviation)


def chance_of_spread(spread: float, deviation: float, count: int) -> float:
    """How often the largest of `count` normal variables of this deviation exceeds the smallest by at least `spread`."""
    if deviation == 0:
        return 1.0 if spread == 0 else 0.0
    width, step = spread / deviation, 0.02
    # The smallest is near x, and the others lie between x and x + width.
    points = (step * number for number in range(-400, 401))
    inside = sum(NORMAL.pdf(x) * (NORMAL.cdf(x + width) - NORMAL.cdf(x)) ** (count - 1) for x in points)
    return min(max(1 - count * step * inside, 0.0), 1.0)


def games_needed(score: float, other: float, *, even: bool) -> int | None:
    """Single games per row to tell two scores apart (`even`: one score from ½); None for more than MOST_GAMES."""
    effect = abs(score - other)
    if effect == 0:
        return None
    variance = score * (1 - score) + (0 if even else other * (1 - other))
    quantiles = Z_95 + NORMAL.inv_cdf(POWER)
    games = math.ceil(quantiles**2 * max(variance, 0.01) / effect**2)
    return games if games <= MOST_GAMES else None
