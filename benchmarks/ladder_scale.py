"""Capacity of one director and one SQLite store of a ladder.

    python benchmarks/ladder_scale.py workers [SECONDS] [WORKERS] [PLAYERS]
    python benchmarks/ladder_scale.py store [PAIRS]
    python benchmarks/ladder_scale.py spectators [SPECTATORS] [SECONDS]

workers     a real director and a real store with simulated workers whose games take no time: pairs stored per second,
            time from the choice of a pair to its storage, and memory
store       a store with PAIRS pairs (two games each, with the content of one real pair): time to start, and of pages
spectators  a real server with 60 players and 10,000 games; each spectator loads the standings every five seconds

The folder is in the temporary folder and is deleted at the end.
"""

import contextlib
import json
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from starscout.arena.batch import Batch, BatchResult, play_pair
from starscout.arena.luck_adjustment import Fold
from starscout.arena.pair import PairRecord
from starscout.arena.plan import make_plan
from starscout.arena.store import pair_row
from starscout.arena.store_schema import COLUMNS, add_functions, row_checksum
from starscout.ladder.configuration import Folder, Ladder, open_folder
from starscout.ladder.director import Director
from starscout.ladder.pages import Call, Viewer
from starscout.ladder.schema import STUDENT
from starscout.ladder.store import LadderStore
from starscout.ladder.views import Views
from starscout.search.limits import Limit

GAME = "ewn-3x3-3"
CONFIGURATION = f"""games = ["{GAME}"]
[limits]
depth = 1
[[baseline]]
name = "random"
player = "random"
"""
GROUP = 20_000


def make_ladder(path: Path, players: int) -> tuple[Folder, Ladder, list[int]]:
    """A ladder with this many entrants, whose engines move at random; also returns the versions."""
    path.mkdir()
    (path / "ladder.toml").write_text(CONFIGURATION)
    folder, ladder = open_folder(path)
    versions: list[int] = []
    with LadderStore(folder.store) as store:
        for number in range(players):
            store.enrol(f"s{number}", f"Student {number}", "", "", f"{number:064d}")
        for entrant in store.entrants():
            if entrant.kind == STUDENT:
                versions.append(store.activate(entrant.id, GAME, "", "random", None).id)
    return folder, ladder, versions


def sample_pair() -> PairRecord:
    """A real pair of games."""
    return play_pair(make_plan(GAME, "random", "random", Limit(depth=1), 1), 0)


class InstantWorkers:
    """Simulated workers whose games take no time. Each holds one batch in progress and one in its queue."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._batches: list[Batch] = []
        self._record = sample_pair()
        self._random = random.Random(1)
        self._began: dict[int, float] = {}
        self._returned: list[int] = []
        self.latencies: list[float] = []

    def capacity(self) -> int:
        return 2 * self._count - len(self._batches)

    def workers(self) -> int:
        return self._count

    def submit(self, batch: Batch) -> None:
        # The director stores the returned pairs before it chooses again.
        now = time.perf_counter()
        self.latencies += [now - self._began.pop(match) for match in self._returned]
        self._returned.clear()
        self._began[batch.match] = now
        self._batches.append(batch)

    def collect(self, seconds: float) -> list[BatchResult]:
        ready, self._batches = self._batches[: self._count], self._batches[self._count :]
        self._returned += [batch.match for batch in ready]
        return [BatchResult(batch.match, (self._result(batch.pairs[0]),), 0.0) for batch in ready]

    def _result(self, pair: int) -> PairRecord:
        return self._record._replace(pair=pair, scores=self._random.choice(((1.0, 1.0), (1.0, 0.0), (0.0, 0.0))))

    def close(self) -> None:
        pass


def resident() -> float:
    """Resident memory of this process in MB."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure_workers(path: Path, seconds: float, workers: int, players: int) -> None:
    """Pairs per second, latency and memory of a director."""
    folder, ladder, _ = make_ladder(path, players)
    runner = InstantWorkers(workers)
    director = Director(folder, ladder, lambda: runner, queued=2)
    director.start()
    for _ in range(4):
        stored, began, count = director.stored, time.perf_counter(), len(runner.latencies)
        time.sleep(seconds / 4)
        rate = (director.stored - stored) / (time.perf_counter() - began)
        latencies = sorted(runner.latencies[count:]) or [0.0]
        print(
            f"{rate:6.0f} pairs/s, from choice to storage {1e3 * statistics.median(latencies):.0f} ms (median), "
            f"{1e3 * latencies[int(0.99 * len(latencies))]:.0f} ms (99 %), memory {resident():.0f} MB"
        )
    director.close()
    size = sum(file.stat().st_size for file in folder.path.glob("ladder.sqlite*"))
    print(f"{director.stored} pairs, {size / max(director.stored, 1):.0f} bytes each")


def fill(folder: Folder, ladder: Ladder, versions: list[int], pairs: int) -> None:
    """Write pairs of random players directly, the rows that the director would store."""
    generator, record = random.Random(1), sample_pair()
    variants = [record._replace(scores=scores) for scores in ((1.0, 1.0), (1.0, 0.0), (0.0, 0.0))]
    templates = [(variant.score, pair_row(0, variant)[2:]) for variant in variants]
    with LadderStore(folder.store) as store:
        owners = {version.id: version.entrant for version in store.versions(GAME)}
        plan = make_plan(GAME, "random", "random", Limit(depth=1), 0)
        keys = [(first, second) for second in versions for first in versions if first < second]
        seeded = [replace(plan, seed=first * 65_537 + second) for first, second in keys]
        matches = store.open_matches(seeded)
        folds = [(Fold(), Fold()) for _ in keys]
    database = sqlite3.connect(folder.store, isolation_level=None)
    add_functions(database)
    database.execute("PRAGMA synchronous=OFF")
    for start in range(0, pairs, GROUP):
        rows, log, sides = list[Any](), list[Any](), list[Any]()
        for number in range(start, min(start + GROUP, pairs)):
            # Every encounter in turn, so that the pairs of a match have consecutive numbers.
            place, pair = number % len(keys), number // len(keys)
            score, template = generator.choice(templates)
            match, (first, second) = matches[place], (owners[version] for version in keys[place])
            folds[place][pair % 2].add(0.0, score)
            row = match, pair, *template
            rows.append((*row, row_checksum(*row)))
            log.append((number + 1, match, pair, GAME, first, second, 1.8e9 + number, score, 0))
            sides += [(first, number + 1, score, 0), (second, number + 1, 1 - score, 0)]
        database.execute("BEGIN")
        for table, content in (("pairs", rows), ("ladder_log", log), ("ladder_sides", sides)):
            marks = ", ".join("?" * len(content[0]))
            database.executemany(f"INSERT INTO {table} VALUES ({marks})", content)
        database.execute("COMMIT")
    database.execute("BEGIN")
    for match, (first, second), (even, odd) in zip(matches, keys, folds, strict=True):
        count, points = even.n + odd.n, 2 * (even.y + odd.y)
        database.execute(
            "UPDATE matches SET stored = ?, games = ?, points = ? WHERE id = ?", (count, 2 * count, points, match)
        )
        row = match, GAME, first, second, json.dumps([vars(even), vars(odd)])
        database.execute("INSERT INTO ladder_encounters VALUES (?, ?, ?, ?, ?, ?)", (*row, row_checksum(*row)))
    database.execute(f"UPDATE matches SET checksum = row_checksum({COLUMNS['matches']})")
    database.execute("COMMIT")
    database.close()


def measure_store(path: Path, pairs: int) -> None:
    """Time of start and pages with many games."""
    folder, ladder, versions = make_ladder(path, 60)
    began = time.perf_counter()
    fill(folder, ladder, versions, pairs)
    size = sum(file.stat().st_size for file in folder.path.glob("ladder.sqlite*"))
    print(f"{pairs} pairs in {time.perf_counter() - began:.0f} s, {size / 1e9:.2f} GB")
    director = Director(folder, ladder, lambda: InstantWorkers(1))
    began = time.perf_counter()
    director.start()
    print(f"start of the director: {time.perf_counter() - began:.2f} s")
    director.close()
    with LadderStore(folder.store) as store:
        viewer = Viewer(entrant=30, student=30)
        views = Views(store, folder, ladder, director, viewer, {})
        middle, last = str(pairs // 2), str(pairs)
        for name, query, route in (
            ("standings", {}, {}), ("games", {}, {}), ("games", {"before": middle}, {}),
            ("games", {"player": "10"}, {}), ("games", {"player": "10", "kind": "losses", "before": middle}, {}),
            ("games", {"player": "10", "opponent": "20"}, {}), ("games", {"player": "10", "kind": "forfeits"}, {}),
            ("entrant", {}, {"entrant": "10"}), ("pair", {}, {"pair": last}), ("mine", {}, {}), ("live", {}, {}),
        ):  # fmt: skip
            call = Call(viewer, query, {}, route)
            views.names  # noqa: B018
            began = time.perf_counter()
            text = getattr(views, name)(call)
            print(
                f"{name} {query or route or ''}: {1e3 * (time.perf_counter() - began):.0f} ms, {len(text) / 1e3:.0f} kB"
            )


@contextlib.contextmanager
def served(path: Path) -> Iterator[str]:
    """The address of a real server of this ladder."""
    words = [sys.executable, "-m", "starscout", "ladder", str(path), "--port", "0", "--workers", "1"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = next(word for line in process.stderr for word in line.split() if word.startswith("http://"))
        process.stderr.readline()
        try:
            yield address.rstrip("/")
        finally:
            process.terminate()


def measure_spectators(path: Path, spectators: int, seconds: float) -> None:
    """Time to load the standings while games are played."""
    folder, ladder, versions = make_ladder(path, 60)
    fill(folder, ladder, versions, 5_000)
    times: list[float] = []
    failures: list[str] = []
    with served(path) as address:
        end = time.monotonic() + seconds

        def watch(number: int) -> None:
            time.sleep(5 * number / spectators)
            while time.monotonic() < end:
                began = time.perf_counter()
                try:
                    with urllib.request.urlopen(f"{address}/", timeout=60) as answer:
                        answer.read()
                    times.append(time.perf_counter() - began)
                except OSError as error:
                    failures.append(str(error))
                time.sleep(5)

        threads = [threading.Thread(target=watch, args=(number,)) for number in range(spectators)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    times.sort()
    print(
        f"{len(times)} pages by {spectators} spectators, median {1e3 * statistics.median(times):.0f} ms, "
        f"99 % {1e3 * times[int(0.99 * len(times))]:.0f} ms, slowest {1e3 * times[-1]:.0f} ms, {len(failures)} failures"
    )


def main(what: str, *numbers: str) -> None:
    """Run one measurement."""
    with tempfile.TemporaryDirectory(prefix="ladder-scale-") as folder:
        path = Path(folder, "ladder")
        if what == "workers":
            seconds, workers, players = [*map(int, numbers), *(40, 200, 60)[len(numbers) :]]
            measure_workers(path, seconds, workers, players)
        elif what == "store":
            measure_store(path, int(numbers[0]) if numbers else 5_000_000)
        else:
            spectators, seconds = [*map(int, numbers), *(200, 60)[len(numbers) :]]
            measure_spectators(path, spectators, seconds)


if __name__ == "__main__":
    main(*sys.argv[1:])
