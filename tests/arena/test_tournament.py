"""Tournaments of random players: schedules, sides, tables, resuming from the store."""

from pathlib import Path

import pytest

from starscout.arena.batch import Batch, BatchResult, play_batch
from starscout.arena.pairing import FORMATS, GAUNTLET, ROUND_ROBIN, SWISS
from starscout.arena.store import Store
from starscout.arena.tournament import Tournament, TournamentPlan, stored_standings
from starscout.game import GameError


class HereRunner:
    """Plays batches in this process."""

    def __init__(self) -> None:
        self._results: list[BatchResult] = []
        self.batches = 0

    def capacity(self) -> int:
        return 4 - len(self._results)

    def workers(self) -> int:
        return 1

    def submit(self, batch: Batch) -> None:
        self.batches += 1
        self._results.append(play_batch(batch))

    def collect(self, seconds: float) -> list[BatchResult]:
        results, self._results = self._results, []
        return results

    def close(self) -> None:
        pass


def plan(kind: str, players: int, rounds: int, pairs: int = 2) -> TournamentPlan:
    return TournamentPlan("ewn-3x3-3", ("random",) * players, kind, rounds, pairs, seed=3)


def test_swiss_of_thirty(tmp_path: Path) -> None:
    swiss = plan(SWISS, 30, 8, 5)
    with Store(tmp_path / "a.sqlite") as store:
        tournament = Tournament(swiss, store)
        tournament.play(HereRunner())
        standings = tournament.standings
        met = [frozenset((p.first, p.second)) for p in standings.meetings]
        assert len(met) == len(set(met)) == 120
        table = standings.table()
        assert [row["rank"] for row in table] == list(range(1, 31))
        assert all(row["games"] == 80 for row in table)
        assert sum(row["score"] for row in table) == 1200
        keys = [(row["score"], row["opponents_score"]) for row in table]
        assert keys == sorted(keys, reverse=True)
        recount_table(store, tournament)
        # Every player has side 0 equally often.
        sides = [sum(p.first == player for p in standings.meetings) for player in range(30)]
        assert all(3 <= count <= 5 for count in sides)


def recount_table(store: Store, tournament: Tournament) -> None:
    """Recount points, sides and first movers from the games."""
    points = [0.0] * 30
    for played in tournament.standings.meetings:
        for pair in store.pairs(played.match):
            for number, seated in enumerate(pair.games("ewn-3x3-3", ("first", "second"), 0)):
                game = seated.record
                game.check()
                # Sides are fixed, the first mover alternates.
                assert game.players == ("first", "second")
                assert next(game.states()).mover == number
                points[played.first if game.winner == 0 else played.second] += 1
    assert points == [tournament.standings.points(player) for player in range(30)]
    for row in tournament.standings.table():
        player = row["number"] - 1
        opponents = [
            p.second if p.first == player else p.first
            for p in tournament.standings.meetings
            if player in (p.first, p.second)
        ]
        assert row["opponents_score"] == sum(points[opponent] for opponent in opponents)


@pytest.mark.parametrize(("kind", "players", "rounds"), [(SWISS, 5, 3), (ROUND_ROBIN, 4, 2), (GAUNTLET, 4, 1)])
def test_every_format_resumes_from_the_store(tmp_path: Path, kind: str, players: int, rounds: int) -> None:
    wanted = plan(kind, players, rounds)
    with Store(tmp_path / "a.sqlite") as store:
        first = Tournament(wanted, store)
        runner = HereRunner()
        first.play(runner)
        assert runner.batches > 0
        assert sum(p.tally.sample.n for p in first.standings.meetings) == 2 * FORMATS[kind].meetings(players, rounds)
        again, idle = Tournament(wanted, store), HereRunner()
        again.play(idle)
        assert idle.batches == 0
        assert again.standings.table() == first.standings.table()
        stored_plan, standings = stored_standings(store, first.id)
        assert stored_plan == wanted
        assert standings.table() == first.standings.table()
        assert standings.rounds() == first.standings.rounds()


def test_bye_counts_as_a_won_round() -> None:
    with Store(":memory:") as store:
        tournament = Tournament(plan(SWISS, 3, 1), store)
        tournament.play(HereRunner())
        ((number, resting),) = tournament.standings.byes
        assert number == 1
        assert tournament.standings.points(resting) == 4


def test_cross_table_adds_up() -> None:
    with Store(":memory:") as store:
        tournament = Tournament(plan(ROUND_ROBIN, 4, 1), store)
        tournament.play(HereRunner())
        scores = tournament.standings.cross_table()
        for a in range(4):
            assert scores[a][a] is None
            for b in range(a):
                one, other = scores[a][b], scores[b][a]
                assert one is not None
                assert other is not None
                assert one + other == 1


def test_impossible_tournaments_are_refused() -> None:
    with pytest.raises(GameError, match="at least 2"):
        plan(ROUND_ROBIN, 1, 1)
    with pytest.raises(GameError, match="4 players can play at most 3 Swiss rounds, got 4"):
        plan(SWISS, 4, 4)
    with Store(":memory:") as store, pytest.raises(GameError, match="no tournament 7"):
        stored_standings(store, 7)
