"""Running statistics of a match."""

import numpy
import pytest

from starscout.arena.batch import Batch, play_batch
from starscout.arena.plan import MatchPlan
from starscout.arena.statistics import Sample, confidence_interval
from starscout.views.match import HIGHLIGHTS, MatchProgress

PLAN = MatchPlan("ewn-3x3-3", "random", "random", seed=2, luck="eval=race depth=1")


@pytest.fixture(scope="module")
def progress() -> MatchProgress:
    seen = MatchProgress()
    for record in play_batch(Batch(1, PLAN, tuple(range(12)))).records:
        seen.add(record)
    return seen


def test_running_score_band(progress: MatchProgress) -> None:
    raw, adjusted = progress.score_bands()
    scores = numpy.array(progress.scores)
    assert (raw.name, adjusted.name) == ("raw", "luck-adjusted")
    assert raw.values[-1] == pytest.approx(scores.mean())
    interval = confidence_interval(Sample(12, scores.mean(), scores.var()))
    assert (raw.low[-1], raw.high[-1]) == pytest.approx(interval)
    assert len(adjusted.values) == 12
    assert MatchProgress().score_bands() == []


def test_highlights_are_the_largest_mistakes(progress: MatchProgress) -> None:
    found = []
    for record in play_batch(Batch(1, PLAN, tuple(range(12)))).records:
        for half, game in enumerate(record.games(PLAN.game, ("random", "random"), 2)):
            assert game.annotation is not None
            found.append((max(game.annotation.loss), record.pair, half))
    assert [(h.size, h.pair, h.half) for h in progress.losses] == sorted(found, reverse=True)[:HIGHLIGHTS]
    assert len(progress.swings) == HIGHLIGHTS
    assert progress.swings[0].size > 0


def test_lengths_and_times(progress: MatchProgress) -> None:
    assert len(progress.plies) == 24
    assert len(progress.times) == sum(progress.plies)
    assert progress.last is not None
    assert progress.last.pair == 11
