"""The final tournament: a tournament of the arena between the versions that play at the deadline.

Only its own games count. `starscout results --store FOLDER/final.sqlite --tournament 1` shows and exports it.
"""

from collections.abc import Mapping
from dataclasses import replace

from starscout.api.tournament import TournamentResult, stored_tournament, tournament_plan
from starscout.arena.batch import Batch, BatchResult
from starscout.arena.pair import PairRecord
from starscout.arena.store import Store
from starscout.arena.tournament import TournamentPlan
from starscout.arena.workers import Runner
from starscout.game import GameError
from starscout.ladder.configuration import Folder, Ladder
from starscout.ladder.faults import is_server_fault
from starscout.ladder.league import League
from starscout.ladder.submissions import version_spec

MAX_VOID = 3
"""Maximum number of replays of a pair in which the server could not start an engine."""


def final_plan(league: League, folder: Folder, ladder: Ladder, names: Mapping[int, str]) -> TournamentPlan:
    """The plan of the final of a game; raises GameError for fewer than two players."""
    # Ordered by version, not by rating: ratings may differ in the last digits after a restart.
    playing = sorted(league.versions.values(), key=lambda version: version.id)
    if len(playing) < 2:
        raise GameError(f"{league.game}: a tournament needs at least two players")
    specs = [version_spec(folder, league.game, version.digest, version.spec) for version in playing]
    rules = ladder.final
    plan, _ = tournament_plan(league.game, specs, rules.kind, rules.rounds, rules.pairs, {"seed": ladder.seed})
    limit = ladder.limits.limit
    return replace(plan, limit=limit, names=tuple(names[version.entrant] for version in playing))


def final_result(folder: Folder, number: int) -> TournamentResult:
    """The final of a game so far."""
    with Store(folder.final) as store:
        return stored_tournament(store, number)


class FinalRunner:
    """A runner for the final: every pair starts its engines anew, and pairs with faults of the server are replayed."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._batches: dict[tuple[int, int], Batch] = {}
        self._void: dict[tuple[int, int], int] = {}
        self.capacity, self.workers, self.close = runner.capacity, runner.workers, runner.close

    def submit(self, batch: Batch) -> None:
        """Submit a batch."""
        for pair in batch.pairs:
            self._batches[batch.match, pair] = replace(batch, pairs=(pair,), closing=True)
        self._runner.submit(replace(batch, closing=True))

    def collect(self, seconds: float) -> list[BatchResult]:
        """Return results, except pairs that are replayed."""
        kept: list[BatchResult] = []
        for result in self._runner.collect(seconds):
            records = tuple(record for record in result.records if not self._replayed(result.match, record))
            if records:
                kept.append(replace(result, records=records))
        return kept

    def _replayed(self, match: int, record: PairRecord) -> bool:
        key = match, record.pair
        if not is_server_fault(record) or self._void.get(key, 0) == MAX_VOID:
            self._batches.pop(key, None)
            return False
        self._void[key] = self._void.get(key, 0) + 1
        self._runner.submit(self._batches[key])
        return True
