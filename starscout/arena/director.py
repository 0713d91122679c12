"""The director: hands out batches of pairs, stores what comes back, and says when a match is decided.

Results are counted in the order of the pairs, whatever order they come back in: a sequential test then stops at the
same pair on one worker, on ten, and after an interruption, and long games are not counted later than short ones.
"""

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from starscout.arena.batch import Batch, BatchResult
from starscout.arena.pair import PairRecord
from starscout.arena.plan import MatchPlan, read_stored
from starscout.arena.sprt import Sprt
from starscout.arena.store import Store
from starscout.arena.tally import Tally
from starscout.arena.workers import Runner
from starscout.game import GameError

BATCH_SECONDS = 0.25
LARGEST_BATCH = 256
WAIT_SECONDS = 0.2
MOST_PAIRS = 10**9


@dataclass(frozen=True)
class Goal:
    """When a match ends: after this many pairs, or earlier when a sequential test has decided."""

    pairs: int
    sprt: Sprt | None = None
    adjusted: bool = False
    """Whether the test uses the luck-adjusted pairs."""
    games: int | None = None
    """An odd number of games leaves the last pair with one; None: two in every pair."""

    def __post_init__(self) -> None:
        if not 1 <= self.pairs <= MOST_PAIRS:
            raise GameError(f"a match has 1 to {MOST_PAIRS:,} pairs, not {self.pairs}")

    def to_json(self) -> dict[str, Any]:
        """The goal for the store."""
        bounds = None if self.sprt is None else [self.sprt.elo0, self.sprt.elo1]
        return {"pairs": self.pairs, "sprt": bounds, "adjusted": self.adjusted, "games": self.games}


def goal_from_json(value: Any) -> Goal:
    """The inverse of `Goal.to_json`; raises GameError, for a store may be damaged."""
    if isinstance(value, dict) and isinstance(bounds := value.get("sprt"), list) and len(bounds) == 2:
        value = {**value, "sprt": {"elo0": bounds[0], "elo1": bounds[1]}}
    return read_stored(Goal, value)


def goal_from_games(games: int) -> Goal:
    """This many games, in pairs."""
    return Goal((games + 1) // 2, games=games)


class MatchRun:
    """A match under way: its stored pairs, its tally, and the pairs that are still to be played."""

    def __init__(self, store: Store, plan: MatchPlan, goal: Goal) -> None:
        stored = store.open_match(plan, goal.to_json())
        self.plan, self.goal, self.id = plan, goal, stored.id
        self.tally = Tally()
        self.seconds = stored.seconds
        """How long this match has been running, earlier runs included."""
        self.finished = False
        self._seen: set[int] = set()
        self._waiting: dict[int, PairRecord] = {}
        for record in store.pairs(self.id):
            if record.pair < goal.pairs:
                self.take(record)
        self.resumed = len(self._seen)
        """How many pairs were in the store already."""
        self._missing = (pair for pair in range(goal.pairs) if pair not in self._seen)

    @property
    def counted(self) -> int:
        """The pairs that make up the result so far: all up to the first that is still missing."""
        return self.tally.count

    def next_pairs(self, count: int) -> tuple[int, ...]:
        """Up to `count` pairs that are not being played yet."""
        return () if self.finished else tuple(pair for _, pair in zip(range(count), self._missing, strict=False))

    def take(self, record: PairRecord) -> bool:
        """Count a pair; False if it came before."""
        if record.pair in self._seen:
            return False
        self._seen.add(record.pair)
        forfeited = any(record.forfeiter(half) for half in range(len(record.scores)))
        self._waiting[record.pair] = record if forfeited else _light(record)
        while not self.finished and self.counted in self._waiting:
            self.tally.add(self._waiting.pop(self.counted))
            self.finished = self.counted == self.goal.pairs or self._decided()
        return True

    def _decided(self) -> bool:
        test, n = self.goal.sprt, self.counted
        # Each test searches for a root: after the first 250 pairs, test only every few pairs.
        if test is None or n % (1 + n // 250) != 0:
            return False
        return self.tally.verdict(test, self.goal.adjusted) != "undecided"

    def summary(self) -> dict[str, Any]:
        """The fields of `starscout match --json`."""
        return {**self.tally.summary(self.goal.sprt, self.goal.adjusted), "seconds": self.seconds, "match": self.id}


def _light(record: PairRecord) -> PairRecord:
    """The record without its games: all that a tally needs of a pair without forfeits."""
    return record._replace(content=b"", times=b"")


def run(
    match_runs: Sequence[MatchRun],
    runner: Runner,
    store: Store,
    watch: Callable[[], None] = lambda: None,
    *,
    hopeless_ends: bool = False,
) -> None:
    """Play the match_runs to their ends. `watch` is called a few times per second, between two batches.

    `hopeless_ends`: stop when a player forfeits game after game before its first move.
    """
    by_id = {match_run.id: match_run for match_run in match_runs}
    for match_run in match_runs:
        if match_run.finished:
            store.finish(match_run.id, match_run.counted)
    size, last = 1, time.perf_counter()
    work = _batches(match_runs, lambda: size)
    try:
        while any(not match_run.finished for match_run in match_runs):
            while runner.capacity() > 0 and (batch := next(work, None)) is not None:
                runner.submit(batch)
            results = runner.collect(WAIT_SECONDS)
            now = time.perf_counter()
            for result in results:
                # The elapsed time is divided among the matches that made progress.
                _store_result(by_id[result.match], result, store, (now - last) / len(results))
                size = _batch_size(result)
            if results:
                last = now
            watch()
            if hopeless_ends and all(match_run.tally.hopeless for match_run in match_runs):
                return
    except BaseException:
        # Keep what is finished, whatever ended the run.
        with contextlib.suppress(Exception):
            for result in runner.collect(0.0):
                _store_result(by_id[result.match], result, store, 0.0)
        raise


def _store_result(match_run: MatchRun, result: BatchResult, store: Store, seconds: float) -> None:
    was_finished = match_run.finished
    fresh = [record for record in result.records if not was_finished and match_run.take(record)]
    # Stored first, shown afterwards: `watch` runs when all results of this turn are stored.
    store.add(match_run.id, fresh, seconds)
    match_run.seconds += seconds
    if match_run.finished and not was_finished:
        store.finish(match_run.id, match_run.counted)


def _batches(match_runs: Sequence[MatchRun], size: Callable[[], int]) -> Iterator[Batch]:
    """The batches still to be played, match by match; made one at a time, since sizes and verdicts change."""
    for match_run in match_runs:
        while pairs := match_run.next_pairs(size()):
            yield Batch(match_run.id, match_run.plan, pairs, match_run.goal.games)


def _batch_size(result: BatchResult) -> int:
    """How many pairs take about BATCH_SECONDS, judged by the latest batch."""
    per_pair = result.seconds / max(1, len(result.records))
    return max(1, min(LARGEST_BATCH, int(BATCH_SECONDS / max(per_pair, 1e-9))))
