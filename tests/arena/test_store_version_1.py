"""Migration of a version 1 store: upgraded when opened, without losing results.

Made by version 0.1: a match of ewn (6 pairs), one of kari (3 pairs), and a Swiss of three players and two rounds.
"""

import shutil
import sqlite3
from pathlib import Path

import pytest

from starscout.arena.director import MatchRun, StoppingRule
from starscout.arena.plan import make_plan
from starscout.arena.store import Store
from starscout.arena.store_schema import VERSION
from starscout.arena.tally import Tally
from starscout.arena.tournament import stored_standings
from starscout.referee.series import Schedule
from starscout.search.limits import Limit

OLD = Path(__file__).parent / "data" / "store-version-1.sqlite"
RACE, DISTANCE = "negascout depth=1 eval=race", "negascout depth=1 eval=distance"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(shutil.copy(OLD, tmp_path / "store.sqlite"))


def score(store: Store, number: int) -> tuple[int, int, int]:
    tally = Tally()
    for record in store.counted_pairs(store.match(number)):
        tally.add(record)
    return tally.results[1.0], tally.results[0.0], tally.results[0.5]


def test_matches_keep_their_scores(store: Store) -> None:
    with store:
        assert [(match.plan.game, match.plan.first, match.plan.second) for match in store.matches()] == [
            ("ewn", "negascout nodes=300 eval=race", DISTANCE),
            ("kari", "mcts simulations=50", "random"),
            ("ewn", DISTANCE, RACE),
            ("ewn", RACE, "random"),
        ]
        assert [score(store, number) for number in (1, 2, 3, 4)] == [(11, 1, 0), (6, 0, 0), (0, 2, 0), (1, 1, 0)]
        assert [match.plan.schedule.swapped for match in store.matches()] == [True, True, False, False]
        assert not any(match.current for match in store.matches())
        assert [match.counted for match in store.matches()] == [6, 3, 1, 1]


def test_games_replay_legally(store: Store) -> None:
    with store:
        played = 0
        for match in store.matches():
            for record in store.pairs(match.id):
                for half, game in enumerate(record.games(match.plan.game, ("A", "B"), match.plan.seed)):
                    game.record.check()
                    assert game.score == record.scores[half]
                    assert len(game.record.plies) == record.plies[half]
                    assert (game.annotation is not None) == (match.plan.game == "ewn")
                    played += 1
        assert played == 22


def test_tournament_keeps_its_table(store: Store) -> None:
    with store:
        plan, standings = stored_standings(store, 1)
    assert (plan.kind, plan.rounds, plan.pairs, plan.players) == ("Swiss", 2, 1, ("random", RACE, DISTANCE))
    # Random has the bye in round 1, the distance player in round 2: two points each.
    assert [standings.points(player) for player in range(3)] == [3.0, 3.0, 2.0]
    assert standings.byes == [(1, 0), (2, 2)]
    # Tie-break: the opponents of race have 2 + 3 points, those of random 3.
    table = [(row["player"], row["score"], row["opponents_score"]) for row in standings.table()]
    assert table == [(RACE, 3.0, 5.0), ("random", 3.0, 3.0), (DISTANCE, 2.0, 3.0)]


def test_same_plan_opens_a_new_match(store: Store) -> None:
    with store:
        old = store.match(1)
        plan = make_plan("ewn", old.plan.first, old.plan.second, Limit(), 5, luck=old.plan.luck)
        assert plan == old.plan
        match_run = MatchRun(store, plan, StoppingRule(6))
        assert match_run.id == 5
        assert (match_run.resumed, match_run.counted) == (0, 0)
        assert len(list(store.pairs(old.id))) == 6
        assert store.match(5).plan.schedule == Schedule()


def test_migration_runs_once(tmp_path: Path) -> None:
    path = shutil.copy(OLD, tmp_path / "store.sqlite")
    for _ in range(2):
        with Store(path) as store:
            assert len(store.matches()) == 4
        database = sqlite3.connect(path)
        assert database.execute("PRAGMA user_version").fetchone() == (VERSION,)
        database.close()
