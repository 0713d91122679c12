"""The director schedules batches, stores their results, and stops decided matches.

Results are counted in pair order, not in order of arrival: an SPRT stops at the same pair with one worker, with ten,
and after an interruption, and long games are not counted later than short ones.
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
from starscout.arena.store import Store, live_folder
from starscout.arena.tally import Tally
from starscout.arena.workers import Runner
from starscout.game import GameError

BATCH_SECONDS = 0.25
MAX_BATCH_PAIRS = 256
WAIT_SECONDS = 0.2
MAX_PAIRS = 10**9


@dataclass(frozen=True)
class StoppingRule:
    """End of a match: after this many pairs, or earlier if an SPRT has decided."""

    pairs: int
    sprt: Sprt | None = None
    adjusted: bool = False
    """Whether the SPRT uses luck-adjusted pairs."""
    games: int | None = None
    """Number of games; if odd, the last pair has one game. None: two in every pair."""

    def __post_init__(self) -> None:
        if not 1 <= self.pairs <= MAX_PAIRS:
            raise GameError(f"pairs: expected a whole number from 1 to {MAX_PAIRS:,}, got {self.pairs}")

    def to_json(self) -> dict[str, Any]:
        """Return the rule as stored in the database."""
        bounds = None if self.sprt is None else [self.sprt.elo0, self.sprt.elo1]
        return {"pairs": self.pairs, "sprt": bounds, "adjusted": self.adjusted, "games": self.games}


def stopping_rule_from_json(value: Any) -> StoppingRule:
    """The inverse of `StoppingRule.to_json`; raises GameError if the store is damaged."""
    if isinstance(value, dict) and isinstance(bounds := value.get("sprt"), list) and len(bounds) == 2:
        value = {**value, "sprt": {"elo0": bounds[0], "elo1": bounds[1]}}
    return read_stored(StoppingRule, value)


def stopping_rule_from_games(games: int) -> StoppingRule:
    """Return the stopping rule of a match with this many games."""
    return StoppingRule((games + 1) // 2, games=games)


class MatchRun:
    """A running match: its stored pairs, its tally, and the pairs still to be played."""

    def __init__(self, store: Store, plan: MatchPlan, rule: StoppingRule) -> None:
        stored = store.open_match(plan, rule.to_json())
        self.plan, self.stopping_rule, self.id = plan, rule, stored.id
        self.tally = Tally()
        self.seconds = stored.seconds
        """Wall-clock time of this match, including earlier runs."""
        self.finished = False
        self._seen: set[int] = set()
        self._waiting: dict[int, PairRecord] = {}
        for record in store.pairs(self.id):
            if record.pair < rule.pairs:
                self.add_pair(record)
        self.resumed = len(self._seen)
        """Number of pairs found in the store."""
        self._missing = (pair for pair in range(rule.pairs) if pair not in self._seen)
        if self.finished:
            store.finish(self.id, self.counted)

    @property
    def counted(self) -> int:
        """Number of pairs in the result so far: all before the first missing pair."""
        return self.tally.count

    def next_pairs(self, count: int) -> tuple[int, ...]:
        """Return up to `count` pairs that have not been scheduled."""
        return () if self.finished else tuple(pair for _, pair in zip(range(count), self._missing, strict=False))

    def add_pair(self, record: PairRecord) -> bool:
        """Count a pair; return False if it was already counted."""
        if record.pair in self._seen:
            return False
        self._seen.add(record.pair)
        forfeited = any(record.forfeiters(half) for half in range(len(record.scores)))
        self._waiting[record.pair] = record if forfeited else _without_games(record)
        while not self.finished and self.counted in self._waiting:
            self.tally.add(self._waiting.pop(self.counted))
            self.finished = self.counted == self.stopping_rule.pairs or self._decided()
        return True

    def _decided(self) -> bool:
        test, n = self.stopping_rule.sprt, self.counted
        # Evaluating the SPRT runs a root finder, so after 250 pairs it is evaluated only every few pairs.
        if test is None or n % (1 + n // 250) != 0:
            return False
        return self.tally.verdict(test, self.stopping_rule.adjusted) != "undecided"

    def summary(self) -> dict[str, Any]:
        """Return the fields of `starscout match --json`."""
        return {
            **self.tally.summary(self.stopping_rule.sprt, self.stopping_rule.adjusted),
            "seconds": self.seconds,
            "match": self.id,
        }


def _without_games(record: PairRecord) -> PairRecord:
    """Drop the games from a record: a tally needs them only for forfeits."""
    return record._replace(content=b"", times=b"")


def run(
    match_runs: Sequence[MatchRun],
    runner: Runner,
    store: Store,
    watch: Callable[[], None] = lambda: None,
    *,
    stop_when_failing: bool = False,
) -> None:
    """Play all matches to their ends. `watch` is called a few times per second, between batches.

    `stop_when_failing`: stop if a player forfeits all games before its first move.
    """
    by_id = {match_run.id: match_run for match_run in match_runs}
    size, last = 1, time.perf_counter()
    work = _batches(match_runs, lambda: size, live_folder(store.path))
    try:
        while any(not match_run.finished for match_run in match_runs):
            while runner.capacity() > 0 and (batch := next(work, None)) is not None:
                runner.submit(batch)
            results = runner.collect(WAIT_SECONDS)
            now = time.perf_counter()
            for result in results:
                # Divide the elapsed time among the matches that made progress.
                _store_result(by_id[result.match], result, store, (now - last) / len(results))
                size = _batch_size(result)
            if results:
                last = now
            watch()
            if stop_when_failing and all(match_run.tally.failing_player for match_run in match_runs):
                return
    except BaseException:
        # Store finished results, whatever ended the run.
        with contextlib.suppress(Exception):
            for result in runner.collect(0.0):
                _store_result(by_id[result.match], result, store, 0.0)
        raise


def _store_result(match_run: MatchRun, result: BatchResult, store: Store, seconds: float) -> None:
    was_finished = match_run.finished
    fresh = [record for record in result.records if not was_finished and match_run.add_pair(record)]
    # Store results before `watch` can show them.
    store.add(match_run.id, fresh, seconds)
    match_run.seconds += seconds
    if match_run.finished and not was_finished:
        store.finish(match_run.id, match_run.counted)


def _batches(match_runs: Sequence[MatchRun], size: Callable[[], int], live: str) -> Iterator[Batch]:
    """Yield the remaining batches lazily, because batch sizes and verdicts change."""
    for match_run in match_runs:
        while pairs := match_run.next_pairs(size()):
            yield Batch(match_run.id, match_run.plan, pairs, match_run.stopping_rule.games, live=live)


def _batch_size(result: BatchResult) -> int:
    """Return the number of pairs that take about BATCH_SECONDS, based on the latest batch."""
    per_pair = result.seconds / max(1, len(result.records))
    return max(1, min(MAX_BATCH_PAIRS, int(BATCH_SECONDS / max(per_pair, 1e-9))))
