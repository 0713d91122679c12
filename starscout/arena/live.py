"""Games between existing players, such as connected engines, on several boards at once.

LiveRunner implements Runner, so these games are scheduled, counted and stored like those of any match.
"""

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from starscout import games
from starscout.arena.batch import Batch, BatchResult, play_pair, series_of
from starscout.arena.broadcast import broadcasting
from starscout.arena.pair import PairRecord, pack_pair
from starscout.game.state import State
from starscout.players.player import Limits, Player, Players
from starscout.records.packed import SeatedGame
from starscout.records.record import GameRecord
from starscout.referee.series import Series

DISCONNECTED = "disconnected"

Arrange = Callable[[State, Players], State]
Watch = Callable[[Batch, int, SeatedGame], None]
"""Receives the batch, the number of the game in its match (from 0) and the game."""


@dataclass(frozen=True)
class LiveSeries(Series):
    """A series of players that may be disconnected when a game begins; if both are, it scores 0 – 0."""

    before: Callable[[Players], None] = lambda players: None
    """Called before each game; may wait for players."""

    def play(self, pair: int, half: int, players: Players, limits: Limits) -> SeatedGame:
        self.before(players)
        if not all(player.gone for player in players):
            return super().play(pair, half, players, limits)
        side, start = self.side(half), self.start(pair, half)
        one, other = (player.name for player in (players if side == 0 else players[::-1]))
        detail = f"{one} and {other} are both disconnected"
        record = GameRecord(
            self.game.name, start.text, (one, other), (), None, DISCONNECTED, detail, self.seed, pair, half,
            source=games.source_digest(self.game),
        )  # fmt: skip
        return SeatedGame(record, side, start.mover)


class LiveRunner:
    """Runs batches with players of this process; a single board runs in the calling thread."""

    def __init__(
        self,
        players: Mapping[str, Player],
        boards: int = 1,
        watch: Watch = lambda batch, number, game: None,
        arrange: Arrange | None = None,
        *,
        before: Callable[[Players], None] = lambda players: None,
        resumable: bool = False,
    ) -> None:
        """Run games of these players.

        `before` is called before each game. If the match can be resumed, an interrupted pair is played again;
        otherwise its first game is kept.
        """
        self._players = players
        self._busy = {name: threading.Lock() for name in players}
        self._boards, self._watch, self._arrange = boards, watch, arrange
        self._before, self._resumable = before, resumable
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
        finished: list[SeatedGame] = []

        def watch(game: SeatedGame) -> None:
            finished.append(game)
            self._watch(batch, 2 * pair + game.record.half, game)

        try:
            fields = {**vars(series_of(batch.plan)), "arrange": self._arrange, "before": self._before}
            series = LiveSeries(**fields)
            with broadcasting(batch.live, batch.match):
                return play_pair(batch.plan, pair, players, batch.halves(pair), watch, series)
        except KeyboardInterrupt:
            # Keep a finished first game: the director stores what `collect` returns.
            if finished and not self._resumable:
                self._finished.append(BatchResult(batch.match, (pack_pair(pair, finished),), 0.0))
            raise
