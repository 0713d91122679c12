"""The director of a ladder: a thread that plays pairs of games, one per core, and rates the players.

It is the only writer of pairs. Other threads give it work by `call`. After the deadline it plays the final tournament,
a tournament of the arena in a separate store.
"""

import concurrent.futures
import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from starscout.arena.batch import Batch, BatchResult, warm
from starscout.arena.director import MatchRun
from starscout.arena.plan import make_plan
from starscout.arena.store import Store
from starscout.arena.store_schema import StoreError
from starscout.arena.tournament import Tournament
from starscout.arena.workers import QUEUED_BATCHES, Runner
from starscout.game import GameError
from starscout.ladder.configuration import Folder, Ladder
from starscout.ladder.faults import is_server_fault
from starscout.ladder.final import FinalRunner, final_plan
from starscout.ladder.game_logs import GameLogs
from starscout.ladder.league import Assignment, League, Standing
from starscout.ladder.schema import STUDENT
from starscout.ladder.store import DAY_HOURS, HOUR, FinishedPair, LadderStore

RUNNING, FINAL, FINISHED = "running", "final", "finished"
"""Phases."""
FROZEN = "frozen"
"""Key of the stored flag that stops new games."""

WAIT_SECONDS = 0.1
RATINGS_SECONDS = 600.0
"""Time between two stored copies of the ratings."""
USAGE_SECONDS = 30.0
"""Interval between checks of the thinking time that entrants have used."""
RETRY_SECONDS = 2.0
MAX_GROUP = 256
"""Maximum number of pairs stored in one transaction."""

log = logging.getLogger("starscout.ladder")

Returned = TypeVar("Returned")


@dataclass(frozen=True)
class LivePair:
    """A pair of games in progress: the entrants, and when it began."""

    game: str
    first: int
    second: int
    since: float


class _StoppedError(Exception):
    """The director was closed during the final."""


class Director:
    """Plays the games of a ladder until it is closed."""

    def __init__(self, folder: Folder, ladder: Ladder, open_runner: Callable[[], Runner], *, queued: int = 1) -> None:
        """`queued`: batches per worker; use more than one only for remote workers, whose logs cannot be kept."""
        self._folder, self._ladder, self._open_runner = folder, ladder, open_runner
        self._queued, self._is_remote = min(queued, QUEUED_BATCHES), queued > 1
        self._calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._cores = threading.Condition()
        self._reserved = 0
        """Cores that submissions occupy or wait for."""
        self._playing = 0
        self._workers = 1
        self._thread = threading.Thread(target=self._run, name="ladder director", daemon=True)
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self.leagues: dict[str, League] = {}
        self._under_way: dict[int, Assignment] = {}
        self._number = 0
        self._logs = GameLogs(folder)
        self._rated_at = 0.0
        self._usage_at = 0.0
        self._resting: set[int] = set()
        self.phase = RUNNING
        self.frozen = False
        self.live: tuple[LivePair, ...] = ()
        self.stored = 0
        """Number of pairs stored by this process."""

    # Called by other threads.

    def start(self) -> None:
        """Start the thread; raises the error if it cannot start."""
        self._thread.start()
        self._ready.wait()
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """Stop; pairs in progress are played again later."""
        self._stop.set()
        self._thread.join()

    def call(self, function: Callable[[LadderStore], Returned]) -> Returned:
        """Run a function in the director's thread with its store and return its result."""
        future: concurrent.futures.Future[Returned] = concurrent.futures.Future()

        def run() -> None:
            try:
                future.set_result(function(self._store))
            except BaseException as error:
                future.set_exception(error)

        self._calls.put(run)
        while True:
            try:
                return future.result(timeout=1)
            except concurrent.futures.TimeoutError:
                if not self._thread.is_alive():
                    raise GameError("the ladder is closing") from None

    @contextlib.contextmanager
    def core(self) -> Iterator[None]:
        """Reserve the core of one game: wait until a game ends, and start no other game on its core."""
        with self._cores:
            self._reserved += 1
            self._cores.wait_for(lambda: self._playing + self._reserved <= self._workers or not self._playing)
        try:
            yield
        finally:
            with self._cores:
                self._reserved -= 1

    def accept(self, entrant: int, game: str, digest: str, spec: str) -> int:
        """Replace the active version of an entrant; returns the number of the new one."""

        def act(store: LadderStore) -> int:
            league = self.leagues[game]
            before = [version for version in league.versions.values() if version.entrant == entrant]
            version = store.activate(entrant, game, digest, spec, league.elo(before[0].id) if before else None)
            league.reload()
            store.add_ratings(game, league.rating_rows())
            return version.id

        return self.call(act)

    def restore(self, version: int) -> None:
        """Reactivate an earlier version of an entrant."""

        def act(store: LadderStore) -> None:
            found = store.version(version)
            store.activate(found.entrant, found.game, found.digest, found.spec, found.prior)
            self.leagues[found.game].reload()

        self.call(act)

    def set_entrant(self, entrant: int, status: str, note: str) -> None:
        """Disqualify or reinstate an entrant."""

        def act(store: LadderStore) -> None:
            store.set_entrant(entrant, status, note)
            store.add_event(status, f"entrant {entrant}: {note}")
            for league in self.leagues.values():
                league.reload()

        self.call(act)

    def freeze(self, frozen: bool) -> None:
        """Pause or resume the start of new games."""

        def act(store: LadderStore) -> None:
            store.set_state(FROZEN, "1" if frozen else "")
            self.frozen = frozen

        self.call(act)

    def begin_final(self) -> None:
        """Lock submissions and play the final now."""

        def act(store: LadderStore) -> None:
            if self.phase == RUNNING:
                self._set_phase(FINAL)

        self.call(act)

    def standings(self, game: str) -> tuple[Standing, ...]:
        """The current standings of a game."""
        return self.leagues[game].standings

    # In the director's thread.

    def _run(self) -> None:
        runner: Runner | None = None
        try:
            with LadderStore(self._folder.store) as store:
                self._store = store
                self.phase = store.state("phase") or RUNNING
                self.frozen = bool(store.state(FROZEN))
                for game in self._ladder.games:
                    self.leagues[game] = League(game, self._folder, self._ladder, store)
                self._logs.clean()
                self._warm()
                runner = self._open_runner()
                self._ready.set()
                while not self._stop.is_set():
                    runner = self._step_safely(runner)
                self._store_finished(runner.collect(0.0))
        except BaseException as error:
            self._failure = error
            if self._ready.is_set():
                log.exception("the director has stopped")
        finally:
            self._ready.set()
            if runner is not None:
                runner.close()

    def _warm(self) -> None:
        """Compile what the workers need, once."""
        for game in self._ladder.games:
            for baseline in self._ladder.baselines_of(game):
                warm(make_plan(game, baseline.player, "random", self._ladder.limits.limit, 0))

    def _step_safely(self, runner: Runner) -> Runner:
        """Play until closed; a fault of the server voids all pairs in progress and replaces the workers."""
        try:
            self._step(runner)
        except _StoppedError:
            return runner
        except Exception as error:
            log.exception("pairs in progress are void")
            with contextlib.suppress(GameError, StoreError):
                self._store.add_event("server", f"{len(self._under_way)} pairs are void: {error}")
            for item in list(self._under_way.values()):
                item.league.release(item, fault=True)
            self._under_way.clear()
            self._show_live()
            runner.close()
            self._stop.wait(RETRY_SECONDS)
            return self._open_runner()
        return runner

    def _step(self, runner: Runner) -> None:
        while not self._calls.empty():
            self._calls.get()()
        deadline = self._ladder.deadline
        if self.phase == RUNNING and deadline is not None and time.time() >= deadline:
            self._set_phase(FINAL)
        if self.phase == RUNNING and not self.frozen:
            self._fill(runner)
        if self._under_way:
            self._store_finished(runner.collect(WAIT_SECONDS))
        else:
            self._show_live()
            if self.phase == FINAL and not self.frozen:
                self._play_final(runner)
            else:
                self._stop.wait(WAIT_SECONDS)

    def _set_phase(self, phase: str) -> None:
        self._store.set_state("phase", phase)
        self.phase = phase
        for game, league in self.leagues.items():
            self._store.add_ratings(game, league.rating_rows())

    def _fill(self, runner: Runner) -> None:
        """Start pairs on free cores, the games of the ladder in turn."""
        now = time.time()
        if now - self._usage_at >= USAGE_SECONDS:
            self._usage_at = now
            self._resting = self._exhausted(now)
        with self._cores:
            self._workers = runner.workers()
            wanted = self._workers * self._queued - self._reserved - len(self._under_way)
            wanted = min(wanted, runner.capacity())
        numbers: dict[League, list[int]] = {}
        playable = [league for league in self.leagues.values() if len(league.versions) > 1]
        for _ in range(wanted if playable else 0):
            self._number += 1
            numbers.setdefault(playable[self._number % len(playable)], []).append(self._number)
        for league, chosen in numbers.items():
            for item in league.next_assignments(chosen, self._under_way.values(), self._resting):
                self._under_way[item.number] = item
                log_file = None if self._is_remote else str(self._logs.raw(item))
                runner.submit(Batch(item.number, item.plan, (item.pair,), closing=True, log=log_file))
        self._show_live()

    def _exhausted(self, now: float) -> set[int]:
        """Entrants of students that have used up their thinking time of the last 24 hours."""
        minutes = self._ladder.minutes_per_day
        if minutes is None:
            return set()
        used = self._store.usage(now - DAY_HOURS * HOUR)
        students = {entrant.id for entrant in self._store.entrants() if entrant.kind == STUDENT}
        return {entrant for entrant, seconds in used.items() if entrant in students and seconds >= 60 * minutes}

    def _show_live(self) -> None:
        with self._cores:
            self._playing = len(self._under_way)
            self._cores.notify_all()
        self.live = tuple(
            LivePair(item.league.game, item.first.entrant, item.second.entrant, item.since)
            for item in self._under_way.values()
        )

    def _store_finished(self, results: Sequence[BatchResult]) -> None:
        """Store finished pairs, then count them."""
        groups: dict[League, list[FinishedPair]] = {}
        for result in results:
            # A cluster may return a pair twice.
            item = self._under_way.get(result.match)
            if item is None or not result.records:
                continue
            record = result.records[0]
            if is_server_fault(record):
                self._store.add_event("void", f"match {item.match}, pair {item.pair}: {record.details()}")
                item.league.release(item, fault=True)
            else:
                groups.setdefault(item.league, []).append(item.league.add(item, record))
            if not self._is_remote:
                self._logs.keep(item, record)
            del self._under_way[result.match]
        for league, finished in groups.items():
            for start in range(0, len(finished), MAX_GROUP):
                self._write(league.game, finished[start : start + MAX_GROUP])
            league.fit()
        if groups and time.time() - self._rated_at >= RATINGS_SECONDS:
            self._rated_at = time.time()
            for game, league in self.leagues.items():
                self._store.add_ratings(game, league.rating_rows())
        self._show_live()

    def _write(self, game: str, finished: list[FinishedPair]) -> None:
        """Store pairs durably; while the disk is full, wait."""
        while True:
            try:
                self._store.add_pairs(game, finished)
            except StoreError as error:
                log.error("%s", error)
                if self._stop.wait(RETRY_SECONDS):
                    raise
            else:
                self.stored += len(finished)
                return

    def _play_final(self, runner: Runner) -> None:
        """Play the final tournament of every game, or what is left of it."""
        names = {entrant.id: entrant.name for entrant in self._store.entrants()}
        with Store(self._folder.final) as store:
            for game, league in self.leagues.items():
                if len(league.versions) < 2:
                    self._store.add_event("final", f"{game}: fewer than two players")
                    continue
                plan = final_plan(league, self._folder, self._ladder, names)
                tournament = Tournament(plan, store)
                self._store.set_state(f"final {game}", str(tournament.id))
                tournament.play(FinalRunner(runner), self._watch_final)
        self._set_phase(FINISHED)

    def _watch_final(self, match_runs: Sequence[MatchRun]) -> None:
        while not self._calls.empty():
            self._calls.get()()
        if self._stop.is_set():
            raise _StoppedError
