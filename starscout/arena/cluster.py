"""Dask cluster: play batches of pairs on several machines (extra `cluster`).

    ClusterRunner("tcp://scheduler:8786")   connect to a running cluster
    ClusterRunner("local")                  start a cluster on this machine for this run

A batch contains its seed, so a cluster plays the same games as local workers. Dask resubmits the batches of a lost
worker; if both copies return, the director drops the second.
"""

import itertools
import logging
from dataclasses import replace
from typing import Any

from starscout.arena.batch import Batch, BatchResult, play_batch
from starscout.arena.workers import QUEUED_BATCHES, WorkerError, default_workers, print_on_standard_error
from starscout.game import GameError
from starscout.settings.schema import SettingError

CONNECT_SECONDS = 10


class ClusterRunner:
    """Runs batches on a Dask cluster."""

    def __init__(self, address: str, workers: int | None = None) -> None:
        try:
            import distributed
        except ImportError as error:
            raise SettingError("{} needs Dask: pip install 'starscout[cluster]'", ("cluster",)) from error
        # Dask's type annotations describe its asynchronous interface only.
        dask: Any = distributed
        self._dask, self._cluster = dask, None
        if address == "local":
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
        self._abandoned: set[tuple[int, int]] = set()

    def workers(self) -> int:
        """Return the number of cluster threads in use."""
        threads = sum(worker["nthreads"] for worker in self._client.scheduler_info(n_workers=-1)["workers"].values())
        return min(threads, self._limit or threads)

    def capacity(self) -> int:
        return max(0, QUEUED_BATCHES * max(1, self.workers()) - len(self._futures))

    def submit(self, batch: Batch) -> None:
        # A unique key stops Dask from reusing the result of an equal batch.
        key = f"starscout-{id(self)}-{next(self._numbers)}"
        self._futures[self._client.submit(play_batch, batch, key=key, pure=False)] = batch

    def collect(self, seconds: float) -> list[BatchResult]:
        if not self._futures:
            return []
        try:
            done = self._dask.wait(list(self._futures), timeout=seconds, return_when="FIRST_COMPLETED").done
        except TimeoutError:
            return []
        results = []
        for future in done:
            batch = self._futures.pop(future)
            if future.status == "finished":
                results.append(future.result())
            else:
                self._failed(future, batch)
        return results

    def _failed(self, future: Any, batch: Batch) -> None:
        """Handle a failed batch: resubmit it pair by pair if its worker died, else raise its error."""
        from distributed.scheduler import KilledWorker

        error = future.exception()
        if error is not None and not isinstance(error, KilledWorker):
            raise error
        # Dask abandons a batch after several dead workers. If a single pair is abandoned twice, the pair is the cause.
        if len(batch.pairs) == 1 and isinstance(error, KilledWorker):
            key = (batch.match, batch.pairs[0])
            if key in self._abandoned:
                raise WorkerError(
                    f"pair {batch.pairs[0]} of {batch.plan.first} against {batch.plan.second} killed its Dask workers "
                    "repeatedly"
                ) from error
            self._abandoned.add(key)
        for pair in batch.pairs:
            self.submit(replace(batch, pairs=(pair,)))

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
