"""Live games: same results on one board and on two, interruptions, disconnected players."""

import concurrent.futures
import itertools
import json
import os

import pytest

from starscout import games
from starscout.arena.batch import Batch
from starscout.arena.director import MatchRun, run, stopping_rule_from_games
from starscout.arena.live import LiveRunner
from starscout.arena.pair import PairRecord, Usage
from starscout.arena.pairing import SWISS
from starscout.arena.plan import MatchPlan
from starscout.arena.store import Store
from starscout.arena.tally import Tally
from starscout.arena.tournament import Tournament, TournamentPlan, is_finished, stored_standings
from starscout.game import Game
from starscout.game.state import State, start
from starscout.players.player import Decision, Player, Players
from starscout.players.random_player import RandomPlayer
from starscout.protocols.channel import Channel
from starscout.protocols.lab import LabPlayer
from starscout.protocols.registry import PROTOCOLS
from starscout.protocols.remote_player import ConnectedEngine
from starscout.records.packed import SeatedGame
from starscout.referee.series import Schedule
from starscout.search.limits import Limit

IN_ORDER = Schedule(shuffled=False)
PLAN = MatchPlan("ewn-3x3-3", "A", "B", seed=7, schedule=IN_ORDER, event="test")


def players(*names: str) -> dict[str, Player]:
    return {name: RandomPlayer(name) for name in names}


def timeless(record: PairRecord) -> PairRecord:
    """Return all fields of a record that do not depend on the clock."""
    used = without_seconds(record.used[0]), without_seconds(record.used[1])
    return record._replace(seconds=0.0, times=b"", used=used)


def without_seconds(usage: Usage) -> Usage:
    return usage._replace(seconds=0.0, first_moves=tuple(map(without_seconds, usage.first_moves)))


def stored(boards: int, plans: list[MatchPlan], count: int) -> list[list[PairRecord]]:
    """Return the stored pairs of each plan after this many games."""
    with Store(":memory:") as store:
        match_runs = [MatchRun(store, plan, stopping_rule_from_games(count)) for plan in plans]
        runner = LiveRunner(players("A", "B", "C"), boards)
        run(match_runs, runner, store)
        runner.close()
        assert all(match_run.finished for match_run in match_runs)
        return [[timeless(record) for record in store.pairs(match_run.id)] for match_run in match_runs]


def test_one_board_and_two_play_the_same_games() -> None:
    meetings = (("A", "B"), ("B", "C"), ("C", "A"))
    plans = [MatchPlan("ewn-3x3-3", *names, seed=3, schedule=IN_ORDER) for names in meetings]
    one, two = stored(1, plans, 5), stored(2, plans, 5)
    assert one == two
    assert [[len(record.scores) for record in match] for match in one] == [[2, 2, 1]] * 3


def test_watch_receives_game_numbers() -> None:
    told: list[tuple[int, str]] = []

    def watch(batch: Batch, number: int, game: SeatedGame) -> None:
        told.append((number, game.record.players[0]))

    with Store(":memory:") as store:
        match_run = MatchRun(store, PLAN, stopping_rule_from_games(5))
        run([match_run], LiveRunner(players("A", "B"), watch=watch), store)
        assert match_run.summary()["games"] == 5
    assert told == [(0, "A"), (1, "B"), (2, "A"), (3, "B"), (4, "A")]


def test_arrange_changes_the_start() -> None:
    chosen = start(games.load("ewn-3x3-3"), 4)
    seen: list[str] = []
    runner = LiveRunner(
        players("A", "B"),
        watch=lambda batch, number, game: seen.append(game.record.start),
        arrange=lambda state, seats: chosen,
    )
    runner.submit(Batch(1, PLAN, (0, 1)))
    assert seen == [chosen.text] * 4
    assert [len(result.records) for result in runner.collect(0.0)] == [2]


class Impatient(RandomPlayer):
    """Raises KeyboardInterrupt in its fourth game."""

    number = 0

    def new_game(self, game: Game, seed: int) -> None:
        super().new_game(game, seed)
        self.number += 1

    def choose(self, state: State, limit: Limit) -> Decision:
        if self.number >= 4:
            raise KeyboardInterrupt
        return super().choose(state, limit)


def test_interrupted_pair_keeps_its_first_game() -> None:
    """Course schedules play game 2k before game 2k + 1, so that the kept game is the first.

    A single board runs in the main thread, which receives SIGINT.
    """
    whole = {record.pair: record for record in stored(1, [PLAN], 8)[0]}
    with Store(":memory:") as store:
        match_run = MatchRun(store, PLAN, stopping_rule_from_games(8))
        runner = LiveRunner({"A": Impatient("A"), "B": RandomPlayer("B")})
        with pytest.raises(KeyboardInterrupt):
            run([match_run], runner, store)
        runner.close()
        kept = list(store.pairs(match_run.id))
        assert [len(record.scores) for record in kept] == [2, 1]
        for record in kept:
            assert record.scores == whole[record.pair].scores[: len(record.scores)]
            for game in record.games(PLAN.game, ("A", "B"), PLAN.seed):
                game.record.check()


class Failing(RandomPlayer):
    """Fails with an error that is not a forfeit."""

    @property
    def gone(self) -> bool:
        raise MemoryError


def test_failed_board_loses_no_game_of_another() -> None:
    """Fail the board of A and B while C and D play: the games of C and D are stored first."""
    plans = [MatchPlan("ewn-3x3-3", *names, seed=3, schedule=IN_ORDER) for names in (("A", "B"), ("C", "D"))]
    runner = LiveRunner({"A": Failing("A"), **players("B", "C", "D")}, 2)
    for number, plan in enumerate(plans):
        runner.submit(Batch(number, plan, (0,)))
    # Wait for both boards, so that one call of `collect` finds a result and a failure.
    assert not concurrent.futures.wait(runner._running, timeout=300.0).not_done
    collected = runner.collect(0.0)
    with pytest.raises(MemoryError):
        runner.collect(0.0)
    runner.close()
    assert [(result.match, len(result.records)) for result in collected] == [(1, 1)]


def test_course_schedules_play_rounds_in_order() -> None:
    assert all(not course.schedule.shuffled for protocol in PROTOCOLS.values() for course in protocol.courses.values())


def gone(name: str) -> LabPlayer:
    """A disconnected player."""
    read, write = os.pipe()
    os.close(write)
    theirs, ours = os.pipe()
    player = LabPlayer(name, ConnectedEngine(Channel(name, read, ours)))
    os.close(theirs)
    return player


@pytest.mark.parametrize("boards", [1, 2])
def test_games_of_two_disconnected_players_score_nothing(boards: int) -> None:
    """The other games go on; the table counts no points, and the games can be read from the store."""
    disconnected = {name: gone(name) for name in "AB"}
    everyone = {**disconnected, **players("C", "D")}
    plan = TournamentPlan("ewn-3x3-3", tuple(everyone), SWISS, 3, 1, seed=1, event="test", games=3)
    with Store(":memory:") as store:
        tournament = Tournament(plan, store)
        runner = LiveRunner(everyone, boards)
        tournament.play(runner)
        runner.close()
        (void,) = [p for p in tournament.standings.meetings if {p.first, p.second} == {0, 1}]
        assert (void.points(0), void.points(1), void.tally.double_forfeits) == (0.0, 0.0, 3)
        assert void.tally.forfeits == {"A": {"disconnected": 3}, "B": {"disconnected": 3}}
        table = {row["player"]: row for row in tournament.standings.table()}
        assert {name: (table[name]["games"], table[name]["score"]) for name in "AB"} == {"A": (6, 0.0), "B": (6, 0.0)}
        assert table["C"]["score"] + table["D"]["score"] == 4 * 3 + 3
        json.dumps(list(table.values()), allow_nan=False)
        assert stored_standings(store, tournament.id)[1].table() == tournament.standings.table()
        assert is_finished(store, tournament.id)
        for record in store.pairs(void.match):
            assert record.valid_scores == []
            for game in record.games(plan.game, ("A", "B"), 0):
                game.record.check()
                assert (game.record.winner, game.record.reason) == (None, "disconnected")
    for player in disconnected.values():
        player.close()


def test_a_pair_with_one_void_game_counts_the_other() -> None:
    record = PairRecord(0, (1.0, 0.5), (5, 0), ("corner", "disconnected"), None, 0.0, b"", b"")
    tally = Tally()
    tally.add(record)
    assert (tally.count, tally.halves, tally.double_forfeits, tally.results) == (1, 1, 1, {1.0: 1})
    assert tally.summary()["score"] == 1.0
    assert (tally.forfeits["A"], tally.forfeits["B"]) == ({"disconnected": 1}, {"disconnected": 1})


class Returning(RandomPlayer):
    """A player that is disconnected until it is called back."""

    away = True

    @property
    def gone(self) -> bool:
        return self.away


def test_a_player_that_returns_before_a_game_plays_it() -> None:
    """Both players are away before the first game; A returns before the third."""
    away = Returning("A"), Returning("B")
    calls = itertools.count()

    def before(seats: Players) -> None:
        for player in away:
            player.away = next(calls) < 4

    with Store(":memory:") as store:
        match_run = MatchRun(store, PLAN, stopping_rule_from_games(6))
        run([match_run], LiveRunner({"A": away[0], "B": away[1]}, before=before, resumable=True), store)
        assert match_run.tally.double_forfeits == 2
        assert sum(match_run.tally.results.values()) == 4


def test_connected_player_wins_against_disconnected_one() -> None:
    with Store(":memory:") as store:
        match_run = MatchRun(store, PLAN, stopping_rule_from_games(4))
        run([match_run], LiveRunner({"A": gone("A"), "B": RandomPlayer("B")}), store)
        assert match_run.tally.results == {0.0: 4}
        assert match_run.summary()["forfeits"] == {"A": {"disconnected": 4}, "B": {}}
