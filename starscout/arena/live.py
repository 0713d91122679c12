"""Games between existing players, such as connected engines, on several boards at once.

LiveRunner implements Runner, so these games are scheduled, counted and stored like those of any match.
"""

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import replace

from starscout.arena.batch import Batch, BatchResult, play_pair, series_of
from starscout.arena.pair import PairRecord, pack_pair
from starscout.game.state import State
from starscout.players.player import Player, Players
from starscout.records.packed import SeatedGame

Arrange = Callable[[State, Players], State]
Watch = Callable[[Batch, int, SeatedGame], None]
"""Receives the batch, the number of the game in its match (from 0) and the game."""


class DisconnectedError(Exception):
    """Both players of a game have disconnected."""


class LiveRunner:
    """Runs batches with players of this process; a single board runs in the calling thread."""

    def __init__(
        self,
        players: Mapping[str, Player],
        boards: int = 1,
        watch: Watch = lambda batch, number, game: None,
        arrange: Arrange | None = None,
    ) -> None:
        self._players = players
        self._busy = {name: threading.Lock() for name in players}
        self._boards, self._watch, self._arrange = boards, watch, arrange
        self._pool = ThreadPoolExecutor(boards) if boards > 1 else None
        self._running: set[Future[BatchResult]] = set()
        self._finished: list[BatchResult] = []
        self._failures: list[BaseException] = []

    def capacity(self) -> int:
        return self._boards - len(self._running) - len(self._finished)

    def workers(self) -> int:
        return self._boards

    def submit(self, batch: Batch) -> None:
        if self._pool is None:
            self._finished.append(self._play(batch))
        else:
            self._running.add(self._pool.submit(self._play, batch))

    def collect(self, seconds: float) -> list[BatchResult]:
        done, self._running = wait(self._running, seconds, FIRST_COMPLETED) if self._running else (set(), set())
        for future in done:
            error = future.exception()
            if error is None:
                self._finished.append(future.result())
            else:
                self._failures.append(error)
        results, self._finished = self._finished, []
        # Return finished results before raising, so that a failed board loses no results of others.
        if self._failures and not results:
            raise self._failures.pop(0)
        return results

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def _play(self, batch: Batch) -> BatchResult:
        began = time.perf_counter()
        names = sorted({batch.plan.first, batch.plan.second})
        with self._busy[names[0]], self._busy[names[-1]] if len(names) > 1 else threading.Lock():
            records = tuple(self._play_pair(batch, pair) for pair in batch.pairs)
        return BatchResult(batch.match, records, time.perf_counter() - began)

    def _play_pair(self, batch: Batch, pair: int) -> PairRecord:
        players = self._players[batch.plan.first], self._players[batch.plan.second]
        if all(player.gone for player in players):
            raise DisconnectedError(f"{batch.plan.first} and {batch.plan.second} have both disconnected")
        finished: list[SeatedGame] = []

        def watch(game: SeatedGame) -> None:
            finished.append(game)
            self._watch(batch, 2 * pair + game.record.half, game)

        try:
            series = replace(series_of(batch.plan), arrange=self._arrange)
            return play_pair(batch.plan, pair, players, batch.halves(pair), watch, series)
        except KeyboardInterrupt:
            # Keep a finished first game: the director stores what `collect` returns.
            if finished:
                self._finished.append(BatchResult(batch.match, (pack_pair(pair, finished),), 0.0))
            raise
