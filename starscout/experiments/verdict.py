"""What the evidence says about a claim, and what a report of its size could have said.

A claim compares the scores of two rows, or of a row with an even score. The difference has a 95 % interval; the rows
count as independent, which is on the safe side: they share their starts and dice.

    confirmed     the interval lies on the side of the claim ("same": within ± SAME_MARGIN)
    refuted       it lies on the other side ("same": it does not contain 0)
    undecided     neither

Two numbers say what the report's own games could show. `by_chance`: how often two equal rows of that many games differ
at least as much as the report's. `games_needed`: how many single games per row it takes to see our difference with
80 % chance, at the usual 5 % risk.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

from starscout.arena.statistics import Z_95
from starscout.experiments.experiment import Claim, Experiment
from starscout.experiments.study import Study, StudyRow

CONFIRMED, REFUTED, UNDECIDED = "confirmed", "refuted", "undecided"
SAME_MARGIN = 0.05
POWER = 0.8
MOST_GAMES = 1_000_000
"""A number of games beyond which a difference is as good as none."""


@dataclass(frozen=True)
class Verdict:
    """The answer to one claim."""

    claim: Claim
    answer: str
    difference: float | None
    """Our score difference; None where we played no games."""
    error: float | None
    """The half-width of its 95 % interval."""
    reported_difference: float | None
    by_chance: float | None
    games_needed: int | None
    """None: more than MOST_GAMES, or no difference is known."""

    @property
    def sentence(self) -> str:
        """The verdict for people."""
        words = [f"{self.answer.capitalize()}: {self.claim.says}"]
        if self.difference is not None and self.error is not None:
            words.append(f"the difference is {100 * self.difference:+.1f} ± {100 * self.error:.1f} points")
        if self.by_chance is not None and self.reported_difference is not None:
            words.append(
                f"the report's {100 * self.reported_difference:+.1f} or more come by chance alone "
                f"in {_percent(self.by_chance)} of studies of its size"
            )
        if self.games_needed is not None:
            words.append(f"it takes {self.games_needed:,} single games per row to see such a difference")
        elif self.difference is not None:
            words.append(f"not even {MOST_GAMES:,} single games per row would show it")
        return "; ".join(words) + "."


def _percent(share: float) -> str:
    return "less than 1 %" if share < 0.01 else f"{100 * share:.0f} %"


def verdicts(experiment: Experiment, study: Study) -> list[Verdict]:
    """The answers to the claims of an experiment."""
    return [_verdict(claim, study) for claim in experiment.claim]


def _verdict(claim: Claim, study: Study) -> Verdict:
    row, other = study.row(claim.row), study.row(claim.than) if claim.than else None
    difference, error = _difference(row, other)
    reported, by_chance = _reported(row, other)
    answer = UNDECIDED
    if difference is not None and error is not None:
        answer = _answer(difference, error, same=bool(claim.same))
    effect, base = (difference, row.score) if difference is not None else (reported, row.reported.get("score"))
    needed = None if effect is None or base is None else games_needed(base, base - effect, even=other is None)
    return Verdict(claim, answer, difference, error, reported, by_chance, needed)


def _answer(difference: float, error: float, *, same: bool) -> str:
    low, high = difference - error, difference + error
    if same:
        return CONFIRMED if low > -SAME_MARGIN and high < SAME_MARGIN else REFUTED if low > 0 or high < 0 else UNDECIDED
    return CONFIRMED if low > 0 else REFUTED if high < 0 else UNDECIDED


def _difference(row: StudyRow, other: StudyRow | None) -> tuple[float | None, float | None]:
    """Our difference and the half-width of its interval."""
    if row.score is None or row.score_error is None:
        return None, None
    if other is None:
        return row.score - 0.5, row.score_error
    if other.score is None or other.score_error is None:
        return None, None
    return row.score - other.score, math.hypot(row.score_error, other.score_error)


def _reported(row: StudyRow, other: StudyRow | None) -> tuple[float | None, float | None]:
    """The report's difference, and how often chance alone gives one at least as large."""
    numbers = [single.reported for single in (row, other) if single is not None]
    if any("score" not in single or "games" not in single for single in numbers):
        return None, None
    games = [single["games"] for single in numbers]
    if other is None:
        difference = numbers[0]["score"] - 0.5
        return difference, chance_of(difference, math.sqrt(0.25 / games[0]))
    pooled = sum(single["score"] * single["games"] for single in numbers) / sum(games)
    difference = numbers[0]["score"] - numbers[1]["score"]
    return difference, chance_of(difference, math.sqrt(pooled * (1 - pooled) * sum(1 / count for count in games)))


def chance_of(difference: float, deviation: float) -> float:
    """How often a normal variable of mean 0 and this deviation is at least this far from 0, on either side."""
    if deviation == 0:
        return 1.0 if difference == 0 else 0.0
    return 2 * NormalDist().cdf(-abs(difference) / deviation)


def games_needed(score: float, other: float, *, even: bool) -> int | None:
    """Single games per row to tell two scores apart (`even`: one score from ½); None for more than MOST_GAMES."""
    effect = abs(score - other)
    if effect == 0:
        return None
    variance = score * (1 - score) + (0 if even else other * (1 - other))
    quantiles = Z_95 + NormalDist().inv_cdf(POWER)
    games = math.ceil(quantiles**2 * max(variance, 0.01) / effect**2)
    return games if games <= MOST_GAMES else None
