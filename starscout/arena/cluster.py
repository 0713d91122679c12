"""Dask cluster: play batches of pairs on several machines (extra `cluster`).

    ClusterRunner("tcp://scheduler:8786")   connect to a running cluster
    ClusterRunner("local")                  start a cluster on this machine for this run

A batch contains its seed, so a cluster plays the same games as local workers. Dask resubmits the batches of a lost
worker; if both copies return, the director drops the second.

If workers die repeatedly, the director guards the batches that follow: a worker reports each turn of a program or
class to the scheduler before it asks for a move. If two workers die on the same turn, the player to move loses the game
by a crash, and the next worker plays the remaining games.

A batch carries a digest of the code and of the files that determine its games. A worker with different code or files
does not play it: the director names the worker and its version, and gives it no more batches.
"""

import contextlib
import functools
import itertools
import logging
import pickle
import secrets
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import starscout
from starscout import games
from starscout.arena.batch import MAX_DEATHS_ON_TURN, Batch, BatchResult, Crash, crash_of, play_batch
from starscout.arena.plan import MatchPlan, code_digest, contents_digest
from starscout.arena.workers import QUEUED_BATCHES, WorkerError, default_workers, print_on_standard_error
from starscout.game import GameError
from starscout.kernels.notices import print_notice
from starscout.players.spec import describe
from starscout.settings.schema import SettingError

CONNECT_SECONDS = 10

MAX_ABANDONED = 3
"""Number of times that Dask abandons a pair until the match fails; batches are guarded after the first."""


@functools.lru_cache(maxsize=64)
def plan_contents(plan: MatchPlan) -> str:
    """Return the digest of the files of a match on this machine: game file, programs, classes, weights, tables."""
    players = [describe(spec, games.load(plan.game)) for spec in (plan.first, plan.second)]
    return contents_digest(plan.game, players, plan.luck, plan.openings)


class _ReportedTurns:
    """Turns of a guarded batch, kept by the scheduler as `[prefix, match, pair]` → state of the pair.

    The state contains the last `turn` that a worker reported, (half, player), on which it may have died, and the number
    of `deaths` per turn. The player is 1 (A), 2 (B) or 0 (none).
    """

    def __init__(self, client: Any, prefix: str, match: int) -> None:
        self._client, self._prefix, self._match = client, prefix, match
        self._now = [0, 0, 0]
        self._deaths: dict[int, dict[str, int]] = {}

    def crashes(self, batch: Batch) -> tuple[Crash, ...]:
        """Count the death of the last worker, and return the games that players lost by deaths on their turns."""
        found: list[Crash] = []
        for pair in batch.pairs:
            state = self._client.get_metadata(self._keys(pair), None)
            self._deaths[pair] = {} if state is None else _deaths(state)
            self._store(pair, 0, 0)
            for turn, count in self._deaths[pair].items():
                if count >= MAX_DEATHS_ON_TURN:
                    half, player = map(int, turn.split())
                    found.append(crash_of(batch.plan, pair, half, player, f"{count} Dask workers died"))
        return tuple(found)

    def __setitem__(self, index: int, value: int) -> None:
        self._now[index] = value
        if index == 2:
            self._store(*self._now)

    def _keys(self, pair: int) -> list[str]:
        return [self._prefix, str(self._match), str(pair)]

    def _store(self, pair: int, half: int, player: int) -> None:
        self._client.set_metadata(self._keys(pair), {"turn": [half, player], "deaths": self._deaths[pair]})


def _deaths(state: Mapping[str, Any]) -> dict[str, int]:
    """The deaths per turn in the state of a pair, including the one on its last turn."""
    deaths, (half, player) = dict(state["deaths"]), state["turn"]
    if player:
        deaths[f"{half} {player}"] = deaths.get(f"{half} {player}", 0) + 1
    return deaths


_guard = threading.Lock()
"""Held by a guarded batch, because another batch in the same process could be the cause of a death."""
_unguarded = 0
_fewer_unguarded = threading.Condition()


def play_in_worker(batch: Batch, guard: str) -> BatchResult:
    """Play a batch in a Dask worker; `guard`: prefix of the reported turns, empty if the batch is not guarded."""
    global _unguarded
    if guard:
        from distributed import get_client

        with _guard:
            with _fewer_unguarded:
                _fewer_unguarded.wait_for(lambda: not _unguarded)
            turns = _ReportedTurns(get_client(), guard, batch.match)
            return play_batch(replace(batch, crashes=(*batch.crashes, *turns.crashes(batch))), turns=turns)
    with _guard, _fewer_unguarded:
        _unguarded += 1
    try:
        return play_batch(batch)
    finally:
        with _fewer_unguarded:
            _unguarded -= 1
            _fewer_unguarded.notify_all()


def _portable_task() -> Callable[[bytes, str, str, str], Any]:
    """Return the function that workers call; a nested function is sent as code, so any version can run it."""

    def play(payload: bytes, code: str, contents: str, guard: str) -> Any:
        import pickle

        from distributed import get_worker

        import starscout

        worker = get_worker()
        who = (worker.address, str(worker.name), starscout.__version__)
        try:
            from starscout.arena.plan import code_digest

            if code_digest() != code:
                return (*who, f"code {code_digest()[:8]}")
            from starscout.arena.cluster import plan_contents, play_in_worker
        except ImportError:
            return (*who, "unknown code")
        batch = pickle.loads(payload)
        if plan_contents(batch.plan) != contents:
            return (*who, f"different files of {batch.plan.first} or {batch.plan.second}")
        return play_in_worker(batch, guard)

    return play


class ClusterRunner:
    """Runs batches on a Dask cluster."""

    def __init__(self, address: str, workers: int | None = None) -> None:
        try:
            import distributed
            from dask import config as dask_config
        except ImportError as error:
            raise SettingError("{} needs Dask: pip install 'starscout[cluster]'", ("cluster",)) from error
        # Dask's type annotations describe only its asynchronous interface.
        dask: Any = distributed
        self._dask, self._cluster = dask, None
        self._settings = contextlib.ExitStack()
        if address == "local":
            # A local cluster removes a worker that is absent after this time, even if the worker has returned by then.
            self._settings.enter_context(dask_config.set({"distributed.deploy.lost-worker-timeout": "1 day"}))
            self._cluster = dask.LocalCluster(
                n_workers=workers or default_workers(),
                threads_per_worker=1,
                processes=True,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            )
        try:
            self._client = dask.Client(self._cluster or address, timeout=CONNECT_SECONDS)
        except (OSError, ValueError) as error:
            raise GameError(f"cluster: no Dask scheduler at {address!r}: {error}") from error
        if self._cluster is not None:
            self._client.run(print_on_standard_error)
        self._limit = workers
        self._futures: dict[Any, Batch] = {}
        self._numbers = itertools.count()
        self._prefix = f"starscout-{secrets.token_hex(8)}"
        self._guarded = False
        """Whether workers report turns, because some have died repeatedly."""
        self._abandoned: Counter[tuple[int, int]] = Counter()
        """Match and pair → how often Dask has abandoned it without a game lost by a crash."""
        self._lost: dict[tuple[int, int], int] = {}
        """Match and pair → number of turns on which workers have died repeatedly."""
        self._rejected: dict[str, str] = {}
        """Address of each rejected worker → its description."""
        self._allowed: dict[Any, set[str]] = {}
        """Futures that may only run on these workers."""
        self._task = _portable_task()

    def workers(self) -> int:
        """Return the number of cluster threads in use."""
        threads = sum(self._accepted().values())
        return min(threads, self._limit or threads)

    def _accepted(self) -> dict[str, int]:
        """Return the address of each worker that has not been rejected → its number of threads."""
        known = self._client.scheduler_info(n_workers=-1)["workers"]
        return {address: worker["nthreads"] for address, worker in known.items() if address not in self._rejected}

    def capacity(self) -> int:
        return max(0, QUEUED_BATCHES * max(1, self.workers()) - len(self._futures))

    def submit(self, batch: Batch) -> None:
        # A unique key stops Dask from reusing the result of an equal batch.
        key = f"{self._prefix}-{next(self._numbers)}"
        guard = self._prefix if self._guarded else ""
        given = pickle.dumps(batch), code_digest(), plan_contents(batch.plan), guard
        allowed = set(self._accepted()) if self._rejected else set[str]()
        if self._rejected and not allowed:
            raise WorkerError(f"cluster: no worker can play this match: {'; '.join(self._rejected.values())}")
        future = self._client.submit(self._task, *given, key=key, pure=False, workers=sorted(allowed) or None)
        self._futures[future] = batch
        if allowed:
            self._allowed[future] = allowed

    def collect(self, seconds: float) -> list[BatchResult]:
        if not self._futures:
            return []
        self._resubmit_stranded()
        try:
            done = self._dask.wait(list(self._futures), timeout=seconds, return_when="FIRST_COMPLETED").done
        except TimeoutError:
            return []
        results = []
        for future in done:
            batch = self._futures.pop(future)
            self._allowed.pop(future, None)
            if future.status != "finished":
                self._failed(future, batch)
            elif isinstance(result := future.result(), BatchResult):
                results.append(result)
            else:
                self._reject(*result)
                self.submit(batch)
        return results

    def _reject(self, address: str, name: str, version: str, difference: str) -> None:
        """Exclude a worker with different code or files from further batches, and report it once."""
        if address not in self._rejected:
            here = f"StarScout {starscout.__version__}, code {code_digest()[:8]}"
            self._rejected[address] = f"worker {name} at {address} has StarScout {version}, {difference} (here: {here})"
            print_notice(f"rejected: {self._rejected[address]}")

    def _resubmit_stranded(self) -> None:
        """Resubmit batches reserved for workers that have all left, for example because they were restarted."""
        present = set(self._accepted())
        for future in [future for future, allowed in self._allowed.items() if not allowed & present]:
            if future.status == "pending":
                future.cancel()
                del self._allowed[future]
                self.submit(self._futures.pop(future))

    def _failed(self, future: Any, batch: Batch) -> None:
        """Handle a failed batch: resubmit it pair by pair if its worker died, else raise its error."""
        from distributed.scheduler import KilledWorker

        error = future.exception()
        if error is not None and not isinstance(error, KilledWorker):
            raise error
        # Dask abandons a batch after several dead workers. If this happens to a single pair again, and no player lost a
        # game by it, the pair is the cause.
        if len(batch.pairs) == 1 and isinstance(error, KilledWorker):
            key = (batch.match, batch.pairs[0])
            lost = self._lost_turns(*key)
            self._abandoned[key] += lost == self._lost.get(key, 0)
            self._lost[key] = lost
            if self._abandoned[key] == MAX_ABANDONED:
                raise WorkerError(
                    f"pair {batch.pairs[0]} of {batch.plan.first} against {batch.plan.second} killed its Dask workers "
                    "repeatedly"
                ) from error
        self._guarded = self._guarded or isinstance(error, KilledWorker)
        for pair in batch.pairs:
            self.submit(replace(batch, pairs=(pair,)))

    def _lost_turns(self, match: int, pair: int) -> int:
        """Return the number of turns of a pair that have repeatedly killed a worker."""
        state = self._client.get_metadata([self._prefix, str(match), str(pair)], None)
        return 0 if state is None else sum(count >= MAX_DEATHS_ON_TURN for count in _deaths(state).values())

    def process_ids(self) -> list[int]:
        """Return the process ids of the workers (local cluster only)."""
        import os

        return list(self._client.run(os.getpid).values())

    def close(self) -> None:
        for future in self._futures:
            future.cancel()
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()
        self._settings.close()
