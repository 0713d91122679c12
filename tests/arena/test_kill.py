"""SIGKILL of directors and workers at random times: no pair is lost or counted twice.

The players are limited by nodes, so stored pairs must equal those of an undisturbed run byte for byte.
"""

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

MATCH = ("match", "ewn-3x3-3", "negascout eval=distance table=0", "random", "--nodes", "60", "--json")


def start(store: Path, pairs: int, *more: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "starscout", *MATCH, "--pairs", str(pairs), "--store", str(store), *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def stored(store: Path) -> list[tuple[object, ...]]:
    """Return all fields of the pairs that do not depend on the clock."""
    with contextlib.closing(sqlite3.connect(store)) as database:
        return database.execute(
            "SELECT match, pair, score0, score1, plies0, plies1, reason0, reason1, luck0, luck1, content "
            "FROM pairs ORDER BY match, pair"
        ).fetchall()


def count(store: Path) -> int:
    if not store.exists():
        return 0
    with contextlib.closing(sqlite3.connect(store, timeout=20)) as database:
        try:
            return database.execute("SELECT count(*) FROM pairs").fetchone()[0]
        except sqlite3.OperationalError:
            return 0


def children(process: int) -> list[int]:
    """Return the child processes of a process."""
    with contextlib.suppress(OSError):
        return [int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    return []


def alive(process: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return False


def kill(process: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def finish(store: Path, pairs: int, *more: str) -> None:
    process = start(store, pairs, *more)
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[int, list[tuple[object, ...]]]:
    """Return what an undisturbed run stores, by number of pairs."""
    runs = {}
    for pairs in (1_500, 10_000):
        store = tmp_path_factory.mktemp("undisturbed") / "a.sqlite"
        finish(store, pairs)
        runs[pairs] = stored(store)
        assert len(runs[pairs]) == pairs
    return runs


def test_killed_directors_lose_no_pair(tmp_path: Path, undisturbed: dict[int, list[tuple[object, ...]]]) -> None:
    store, generator, grown = tmp_path / "a.sqlite", random.Random(1), 0
    for _ in range(50):
        before = count(store)
        process = start(store, 10_000)
        # Kill half of them during start-up and half during play.
        if generator.random() < 0.5:
            time.sleep(generator.uniform(0, 3))
        else:
            deadline = time.monotonic() + 300
            while count(store) == before and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(generator.uniform(0, 0.3))
        workers = children(process.pid)
        kill(process.pid)
        process.communicate()
        grown += count(store) > before
        deadline = time.monotonic() + 300
        while any(alive(worker) for worker in workers) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not any(alive(worker) for worker in workers)
    assert grown >= 10
    finish(store, 10_000)
    assert stored(store) == undisturbed[10_000]


def test_killed_workers_lose_no_pair(tmp_path: Path, undisturbed: dict[int, list[tuple[object, ...]]]) -> None:
    store, generator = tmp_path / "a.sqlite", random.Random(2)
    process = start(store, 10_000, "--workers", "2")
    killed = 0
    while process.poll() is None and killed < 20:
        time.sleep(generator.uniform(0.2, 1.5))
        # The first child of a spawning process may be its resource tracker, which must survive.
        workers = [child for child in children(process.pid) if "spawn_main" in command_line(child)]
        if workers:
            kill(generator.choice(workers))
            killed += 1
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    assert killed >= 5
    assert stored(store) == undisturbed[10_000]


def command_line(process: int) -> str:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_text()
    return ""


def test_killed_cluster_processes_lose_no_pair(
    tmp_path: Path, undisturbed: dict[int, list[tuple[object, ...]]]
) -> None:
    distributed = pytest.importorskip("distributed")
    store, generator = tmp_path / "a.sqlite", random.Random(3)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        address = cluster.scheduler_address
        for turn in range(12):
            process = start(store, 1_500, "--cluster", address)
            time.sleep(generator.uniform(1, 8))
            if turn % 2:
                client.wait_for_workers(2, timeout=300)
                kill(generator.choice(list(client.run(os.getpid).values())))
                time.sleep(generator.uniform(0, 1))
            kill(process.pid)
            process.communicate()
        finish(store, 1_500, "--cluster", address)
    assert stored(store) == undisturbed[1_500]


def test_random_kills_lose_no_pair() -> None:
    """A short run of `make kills`."""
    from tests.kills import run

    assert run(30, 600.0, seed=3, pairs=1_000) > 0
