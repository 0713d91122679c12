"""The director: same result with any number of workers, after interruptions and crashes."""

import os
import signal
from pathlib import Path

import pytest

from starscout.arena.batch import Batch, BatchResult, play_batch
from starscout.arena.director import MatchRun, StoppingRule, run, stopping_rule_from_json
from starscout.arena.plan import MatchPlan
from starscout.arena.sprt import Sprt
from starscout.arena.store import Store
from starscout.arena.workers import LocalRunner
from starscout.game import GameError

PLAN = MatchPlan("ewn-3x3-3", "random", "random", seed=7)


class HereRunner:
    """Plays batches in this process; returns the results in reverse order, each twice."""

    def __init__(self) -> None:
        self._results: list[BatchResult] = []

    def capacity(self) -> int:
        return 3 - len(self._results) // 2

    def workers(self) -> int:
        return 1

    def submit(self, batch: Batch) -> None:
        result = play_batch(batch)
        self._results += [result, result]

    def collect(self, seconds: float) -> list[BatchResult]:
        results, self._results = self._results[::-1], []
        return results

    def close(self) -> None:
        pass


def undisturbed(pairs: int) -> list[tuple[object, ...]]:
    """Return the pairs played by one process in order."""
    return [content(record) for record in play_batch(Batch(0, PLAN, tuple(range(pairs)))).records]


def content(record: object) -> tuple[object, ...]:
    """Return all fields of a record that do not depend on the clock."""
    return tuple(getattr(record, name) for name in ("pair", "scores", "plies", "reasons", "luck", "content"))


def test_results_out_of_order_or_repeated_count_once() -> None:
    with Store(":memory:") as store:
        match_run = MatchRun(store, PLAN, StoppingRule(40))
        calls = []
        run([match_run], HereRunner(), store, lambda: calls.append(match_run.counted))
        assert match_run.finished
        assert match_run.counted == 40
        assert [content(r) for r in store.pairs(match_run.id)] == undisturbed(40)
        assert calls[-1] == 40
        assert match_run.summary()["games"] == 80
        assert store.match(match_run.id).counted == 40


def test_match_resumes_and_can_be_extended(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with Store(path) as store:
        match = store.open_match(PLAN, StoppingRule(10).to_json())
        store.add(match.id, play_batch(Batch(match.id, PLAN, (3, 4, 9))).records)
    with Store(path) as store:
        match_run = MatchRun(store, PLAN, StoppingRule(10))
        assert match_run.resumed == 3
        assert match_run.counted == 0
        run([match_run], HereRunner(), store)
        longer = MatchRun(store, PLAN, StoppingRule(25))
        assert longer.counted == 10
        run([longer], HereRunner(), store)
        assert [content(r) for r in store.pairs(match_run.id)] == undisturbed(25)


@pytest.mark.slow
def test_result_is_unchanged_by_killed_workers(tmp_path: Path) -> None:
    with Store(tmp_path / "a.sqlite") as store:
        match_run = MatchRun(store, PLAN, StoppingRule(600))
        runner = LocalRunner(2)
        killed = []

        def watch() -> None:
            if len(killed) < 3 and match_run.counted >= len(killed):
                killed.append(runner.process_ids()[len(killed) % 2])
                os.kill(killed[-1], signal.SIGKILL)

        try:
            run([match_run], runner, store, watch)
        finally:
            runner.close()
        assert len(set(killed)) == 3
        assert [content(r) for r in store.pairs(match_run.id)] == undisturbed(600)


def test_sprt_stops_at_the_same_pair_in_any_order() -> None:
    rule = StoppingRule(4000, Sprt(-200, -100))
    counted = []
    for _ in range(2):
        with Store(":memory:") as store:
            match_run = MatchRun(store, PLAN, rule)
            run([match_run], HereRunner(), store)
            counted.append(match_run.counted)
            assert match_run.summary()["sprt"]["verdict"] == "elo1"
            # Pairs stored after the last counted pair do not change the result of a second run.
            again = MatchRun(store, PLAN, rule)
            assert again.finished
            assert again.counted == match_run.counted
    assert counted[0] == counted[1] < 4000


def test_stopping_rule_round_trip_and_range() -> None:
    rule = StoppingRule(10, Sprt(0, 5), adjusted=True)
    assert stopping_rule_from_json(rule.to_json()) == rule
    assert stopping_rule_from_json(StoppingRule(3).to_json()) == StoppingRule(3)
    with pytest.raises(GameError, match="pairs: expected a whole number from 1 to 1,000,000,000, got 0"):
        StoppingRule(0)
