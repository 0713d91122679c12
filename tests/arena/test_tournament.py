"""Tournaments of random players: schedules, sides, tables, resuming from the store."""

import contextlib
import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from starscout.arena.batch import Batch, BatchResult, play_batch
from starscout.arena.pairing import FORMATS, GAUNTLET, ROUND_ROBIN, SWISS
from starscout.arena.store import Store
from starscout.arena.tournament import BOARDS, Tournament, TournamentPlan, stored_standings
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


def field(kind: str, names: str, rounds: int, late: tuple[int, ...] = (), **more: Any) -> TournamentPlan:
    """Random players with names of one letter."""
    players = ("random",) * len(names)
    return TournamentPlan("ewn-3x3-3", players, kind, rounds, 2, seed=3, names=tuple(names), late=late, **more)


def scores(tournament: Tournament) -> dict[frozenset[str], dict[str, float]]:
    """Return the points of every meeting by the names of its players."""
    names = tournament.plan.names
    return {
        frozenset((names[p.first], names[p.second])): {names[q]: p.points(q) for q in (p.first, p.second)}
        for p in tournament.standings.meetings
    }


@pytest.mark.parametrize(("kind", "rounds"), [(ROUND_ROBIN, 1), (ROUND_ROBIN, 2), (GAUNTLET, 1)])
def test_another_player_changes_no_other_meeting(kind: str, rounds: int) -> None:
    """A new tournament with one more player contains the same meetings, games included."""
    with Store(":memory:") as store:
        few, many = Tournament(field(kind, "abcde", rounds), store), Tournament(field(kind, "abcdef", rounds), store)
        few.play(HereRunner())
        played = sum(store.pair_counts().values())
        many.play(HereRunner())
        assert few.id != many.id
        assert scores(few).items() <= scores(many).items()
        new = [p for p in many.standings.meetings if 5 in (p.first, p.second)]
        assert sum(store.pair_counts().values()) == played + 2 * len(new)
        if rounds == 2:
            # The second meeting of two players has other dice.
            assert len({p.match for p in many.standings.meetings}) == len(many.standings.meetings)


def test_equal_descriptions_are_different_players() -> None:
    with Store(":memory:") as store:
        tournament = Tournament(plan(ROUND_ROBIN, 4, 1), store)
        tournament.play(HereRunner())
        assert len({p.match for p in tournament.standings.meetings}) == 6
        assert tournament.plan.keys == ("random", "random (2)", "random (3)", "random (4)")


class Killed(HereRunner):
    """Ends the run after this many batches."""

    def __init__(self, batches: int) -> None:
        super().__init__()
        self._left = batches

    def submit(self, batch: Batch) -> None:
        if not self._left:
            raise KeyboardInterrupt
        self._left -= 1
        super().submit(batch)


@pytest.mark.parametrize("batches", range(1, 26, 4))
def test_late_and_withdrawn_players_of_a_swiss(tmp_path: Path, batches: int) -> None:
    """Whenever the tournament is interrupted, rounds that have begun stay, and the rest equals an undisturbed run."""
    original, everyone = field(SWISS, "abcdef", 4), field(SWISS, "abcdefg", 4, (1,))
    with Store(tmp_path / "a.sqlite") as store:
        tournament = Tournament(original, store)
        with contextlib.suppress(KeyboardInterrupt):
            tournament.play(Killed(batches))
        before, begun = scores(tournament), max(p.round for p in tournament.standings.meetings)
        again = Tournament(original, store)
        again.join(everyone)
        again.withdraw(["b"])
        assert (again.id, again.plan.late, again.plan.withdrawn) == (tournament.id, (begun + 1,), ((1, begun + 1),))
        # Kill it once more; the second request changes nothing.
        with contextlib.suppress(KeyboardInterrupt):
            again.play(Killed(3))
        last = Tournament(original, store)
        last.join(everyone)
        last.withdraw(["b"])
        last.play(HereRunner())
        finished = {pair: points for pair, points in before.items() if sum(points.values()) == 4}
        assert finished.items() <= scores(last).items()
        for p in last.standings.meetings:
            present = {p.first, p.second}
            assert 6 not in present or p.round > begun
            assert 1 not in present or p.round <= begun
        assert last.standings.rounds() == stored_standings(store, last.id)[1].rounds()
        assert last.standings.table() == stored_standings(store, last.id)[1].table()
        # An undisturbed tournament with these changes.
        with Store(":memory:") as other:
            whole = Tournament(original, other)
            whole._change(last.plan)
            whole.play(HereRunner())
            assert whole.standings.table() == last.standings.table()


@pytest.mark.parametrize("kind", [ROUND_ROBIN, GAUNTLET])
def test_late_and_withdrawn_players_of_other_formats(kind: str) -> None:
    with Store(":memory:") as store:
        tournament = Tournament(field(kind, "abcd", 1), store)
        with pytest.raises(KeyboardInterrupt):
            tournament.play(Killed(1))
        ((begun, *_),) = [row for row in zip(tournament.standings.meetings, strict=True) if row[0].tally.count]
        again = Tournament(field(kind, "abcd", 1), store)
        again.join(field(kind, "abcde", 1, (1,)))
        again.withdraw(["d"])
        again.play(HereRunner())
        met = {(p.first, p.second) for p in again.standings.meetings}
        assert (begun.first, begun.second) in met
        assert all(3 not in meeting or meeting == (begun.first, begun.second) for meeting in met)
        others = {0, 1, 2} if kind == ROUND_ROBIN else {0}
        assert {a + b - 4 for a, b in met if 4 in (a, b)} == others
        assert again.standings.table() == stored_standings(store, again.id)[1].table()


def test_unsuitable_changes_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(":memory:") as store:
        tournament = Tournament(field(SWISS, "abcd", 2), store)
        with pytest.raises(GameError, match="withdraw: no player 'x' in tournament 1: a, b, c, d"):
            tournament.withdraw(["x"])
        tournament.join(field(SWISS, "abcde", 2, (1,)))
        edited = field(SWISS, "abcde", 2, (1,), contents=("", "", "", "", "new"))
        with pytest.raises(GameError, match="e: a different program has joined tournament 1"):
            tournament.join(edited)
        monkeypatch.setattr(FORMATS[SWISS], "by_rounds", None)
        with pytest.raises(GameError, match="not supported in a Swiss"):
            tournament.withdraw(["a"])


def test_other_pairings_in_the_store_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(":memory:") as store:
        tournament = Tournament(plan(SWISS, 4, 1), store)
        tournament.play(HereRunner())
        monkeypatch.setattr("starscout.arena.swiss.swiss_round", lambda *_: ([(0, 2), (1, 3)], None))
        met = {frozenset((p.first, p.second)) for p in tournament.standings.meetings}
        assert frozenset((0, 2)) not in met
        with pytest.raises(GameError, match="tournament 1 has different pairings"):
            Tournament(plan(SWISS, 4, 1), store).play(HereRunner())


def test_tournaments_of_earlier_versions_are_read(tmp_path: Path) -> None:
    """Their descriptions lack the newer fields: the dice came from round and board, and they are never resumed."""
    with Store(tmp_path / "a.sqlite") as store:
        old = replace(plan(ROUND_ROBIN, 3, 1), seeding=BOARDS)
        tournament = Tournament(old, store)
        tournament.play(HereRunner())
        values = {name: value for name, value in asdict(old).items() if name not in NEW_FIELDS}
        store.update_tournament(1, json.loads(json.dumps(values)))
        stored, standings = stored_standings(store, 1)
        assert stored == old
        assert standings.table() == tournament.standings.table()
        new = Tournament(plan(ROUND_ROBIN, 3, 1), store)
        assert new.id == 2
        new.play(HereRunner())
        assert not {p.match for p in new.standings.meetings} & {p.match for p in standings.meetings}


NEW_FIELDS = ("seeding", "openings", "quick_luck", "late", "withdrawn")
