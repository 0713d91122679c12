"""A ladder plays on a Dask cluster whose workers are killed."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from starscout.ladder.store import LadderStore
from tests.ladder.running import FIRST, LAST, running

pytest.importorskip("distributed")

import distributed

from tests.arena.test_cluster import start_worker

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

ROOT = Path(__file__).parents[2]
LOOPS = "class Loops:\n    def choose(self, state, limit):\n        while True:\n            pass\n"


@pytest.fixture
def address() -> Iterator[str]:
    """The address of a scheduler without workers."""
    # Dask's type annotations describe its asynchronous interface only.
    dask: Any = distributed
    with dask.LocalCluster(n_workers=0, dashboard_address=None) as cluster:
        yield cluster.scheduler_address


def test_a_ladder_continues_when_workers_die_and_return(tmp_path: Path, address: str) -> None:
    worker = start_worker(address, "first", ROOT)
    try:
        with running(tmp_path / "ladder", "--cluster", address) as ladder:
            tokens = ladder.tokens()
            assert ladder.submit(tokens["anna"], "agent.py", FIRST.encode())["status"] == "accepted"
            assert ladder.submit(tokens["bert"], "agent.py", LAST.encode())["status"] == "accepted"
            assert ladder.submit(tokens["kim"], "agent.py", LOOPS.encode())["status"] == "rejected"

            def pairs() -> int:
                return sum((ladder.standing(name) or {"pairs": 0})["pairs"] for name in ("Anna <b>", "Team"))

            def plays_on() -> None:
                before = pairs()
                ladder.until(pairs, lambda found: found > before)

            for _ in range(2):
                plays_on()
                worker.send_signal(signal.SIGKILL)
                worker.wait()
                worker = start_worker(address, "another", ROOT)
            plays_on()
        with LadderStore(tmp_path / "ladder" / "ladder.sqlite") as store:
            assert store.forfeits() == []
            stored = sum(len(store.stored_pairs(match.id)) for match in store.matches())
            assert stored == store.pair_count() > 0
    finally:
        worker.kill()
        worker.wait()


def test_a_ladder_starts_its_own_cluster(tmp_path: Path) -> None:
    with running(tmp_path / "ladder", "--cluster", "local") as ladder:
        token = ladder.tokens()["anna"]
        assert ladder.submit(token, "agent.py", FIRST.encode())["status"] == "accepted"
        ladder.until(lambda: ladder.standing("Anna <b>"), lambda row: row is not None and row["pairs"] > 0)
    assert not [entry for entry in os.listdir("/proc") if entry.isdigit() and _mentions(entry, str(tmp_path))]


def _mentions(process: str, text: str) -> bool:
    try:
        return text.encode() in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False
