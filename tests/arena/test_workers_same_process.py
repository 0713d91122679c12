"""A runner without workers plays what a worker would play."""

from starscout.arena.batch import Batch, play_batch
from starscout.arena.plan import MatchPlan
from starscout.arena.workers import Runner, SameProcessRunner

PLAN = MatchPlan("ewn-3x3-3", "random", "random", seed=4)


def test_one_batch_at_a_time() -> None:
    runner: Runner = SameProcessRunner()
    assert (runner.workers(), runner.capacity(), runner.collect(0.0)) == (1, 1, [])
    runner.submit(Batch(1, PLAN, (0, 1)))
    assert runner.capacity() == 0
    (result,) = runner.collect(0.0)
    assert runner.capacity() == 1
    assert [record.scores for record in result.records] == [
        record.scores for record in play_batch(Batch(1, PLAN, (0, 1))).records
    ]
    runner.close()
