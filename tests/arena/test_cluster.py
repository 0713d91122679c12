"""A local Dask cluster plays the same pairs as one process, even if workers are killed."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import starscout
from starscout.arena.batch import Batch, play_batch
from starscout.arena.director import MatchRun, StoppingRule, run
from starscout.arena.plan import MatchPlan
from starscout.arena.store import Store
from starscout.game import GameError

pytest.importorskip("distributed")

import distributed

from starscout.arena.cluster import ClusterRunner, plan_contents
from starscout.arena.workers import WorkerError
from tests.hostile.test_matches import KILLER

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


def start_worker(address: str, name: str, path: Path) -> "subprocess.Popen[bytes]":
    """Start a Dask worker that imports StarScout from a folder."""
    variables = {**os.environ, "PYTHONPATH": str(path)}
    words = ["worker", address, "--name", name, "--no-nanny", "--no-dashboard", "--nthreads", "1"]
    return subprocess.Popen([sys.executable, "-P", "-m", "dask", *words], env=variables, stderr=subprocess.DEVNULL)


@pytest.mark.slow
def test_worker_with_other_code_is_rejected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    package = Path(starscout.__file__).parent
    shutil.copytree(package, tmp_path / "starscout", ignore=shutil.ignore_patterns("__pycache__", "static"))
    with open(tmp_path / "starscout" / "players" / "random_player.py", "a") as file:
        file.write("\nEDITED = True\n")
    undisturbed = [(r.pair, r.content) for r in play_batch(Batch(0, PLAN, tuple(range(60)))).records]
    # Dask's type annotations describe its asynchronous interface only.
    dask: Any = distributed
    with dask.LocalCluster(n_workers=0, dashboard_address=None) as cluster:
        address = cluster.scheduler_address
        old = start_worker(address, "old", tmp_path)
        own = None
        runner = ClusterRunner(address)
        try:
            runner._client.wait_for_workers(1, timeout=120)
            with (
                Store(":memory:") as store,
                pytest.raises(WorkerError, match="no worker can play this match: worker old"),
            ):
                run([MatchRun(store, PLAN, StoppingRule(60))], runner, store)
            assert runner.workers() == 0
            message = capsys.readouterr().err
            assert message.startswith("starscout: rejected: worker old at tcp://")
            assert f"has StarScout {starscout.__version__}, code " in message
            runner.close()
            runner = ClusterRunner(address)
            own = start_worker(address, "own", package.parent)
            runner._client.wait_for_workers(2, timeout=120)
            with Store(":memory:") as store:
                match_run = MatchRun(store, PLAN, StoppingRule(60))
                run([match_run], runner, store)
                assert [(r.pair, r.content) for r in store.pairs(match_run.id)] == undisturbed
        finally:
            runner.close()
            for process in filter(None, (old, own)):
                process.kill()
                process.wait()


@pytest.mark.slow
def test_worker_with_another_file_is_rejected(tmp_path: Path) -> None:
    """A worker on another machine has its own file at the path of a player."""
    agent = tmp_path / "agent.py"
    agent.write_text("class Agent:\n    def choose(self, state, limit):\n        return state.moves[0]\n")
    plan = MatchPlan("ewn-3x3-3", "random", f"python:{agent}:Agent", seed=7)
    before = plan_contents(plan)
    agent.write_text(agent.read_text().replace("[0]", "[-1]"))
    plan_contents.cache_clear()
    assert plan_contents(plan) != before
    runner = ClusterRunner("local", 1)
    try:
        plan_contents.cache_clear()
        plan_contents(plan)
        agent.write_text(agent.read_text().replace("[-1]", "[0]"))
        runner.submit(Batch(0, plan, (0,)))
        with pytest.raises(WorkerError, match=r"different files of random or python:.*agent\.py:Agent"):
            runner.collect(300.0)
    finally:
        runner.close()


def test_missing_scheduler_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starscout.arena.cluster.CONNECT_SECONDS", 0.5)
    with pytest.raises(GameError, match="no Dask scheduler"):
        ClusterRunner("tcp://127.0.0.1:1")


@pytest.mark.slow
def test_a_program_that_kills_its_dask_workers_loses(tmp_path: Path) -> None:
    """Only possible without isolation. Regression: it ended the match with an error."""
    (tmp_path / "killer.py").write_text(KILLER)
    killer = f"lab:{sys.executable} {tmp_path}/killer.py"
    result = starscout.match(
        "ewn-3x3-3", killer, "random", pairs=2, cluster="local", workers=1, trust=True, store=":memory:",
        progress=False, luck="off",
    )  # fmt: skip
    assert result.forfeits == {"A": {"crash": 4}, "B": {}}
    assert "ended the referee's process (2 Dask workers died)" in (result.first_forfeit or "")
