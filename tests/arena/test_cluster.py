"""A local Dask cluster plays the same pairs as one process, even if workers are killed."""

import os
import signal

import pytest

from starscout.arena.batch import Batch, play_batch
from starscout.arena.director import MatchRun, StoppingRule, run
from starscout.arena.plan import MatchPlan
from starscout.arena.store import Store
from starscout.game import GameError

pytest.importorskip("distributed")

from starscout.arena.cluster import ClusterRunner

pytestmark = pytest.mark.filterwarnings("ignore")

PLAN = MatchPlan("ewn-3x3-3", "random", "random", seed=7)


def test_cluster_result_is_unchanged_by_a_killed_worker() -> None:
    runner = ClusterRunner("local", 2)
    try:
        with Store(":memory:") as store:
            match_run = MatchRun(store, PLAN, StoppingRule(400))
            killed = []

            def watch() -> None:
                if not killed and match_run.counted > 50:
                    killed.append(runner.process_ids()[0])
                    os.kill(killed[0], signal.SIGKILL)

            run([match_run], runner, store, watch)
            assert killed
            undisturbed = play_batch(Batch(0, PLAN, tuple(range(400)))).records
            stored = list(store.pairs(match_run.id))
            assert [(r.pair, r.content) for r in stored] == [(r.pair, r.content) for r in undisturbed]
    finally:
        runner.close()


def test_missing_scheduler_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starscout.arena.cluster.CONNECT_SECONDS", 0.5)
    with pytest.raises(GameError, match="no Dask scheduler"):
        ClusterRunner("tcp://127.0.0.1:1")
