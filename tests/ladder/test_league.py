"""Pairs of one game: void pairs, suspension, quotas, damaged stores; the similarity report."""

import sqlite3
import time
from dataclasses import replace
from pathlib import Path

import pytest

from starscout import games
from starscout.arena.pair import PairRecord, Usage
from starscout.game import GameError
from starscout.ladder.client import check_badge, check_here
from starscout.ladder.configuration import Folder, Ladder, open_folder
from starscout.ladder.director import Director
from starscout.ladder.faults import is_server_fault
from starscout.ladder.league import MAX_FAULTS, League
from starscout.ladder.schema import SUSPENDED
from starscout.ladder.similarity import QUESTIONS, questions, report
from starscout.ladder.store import LadderStore
from starscout.records.packed import SeatedGame, pack_games
from starscout.records.record import GameRecord
from starscout.search.limits import Limit
from tests.ladder.running import CONFIGURATION, GAME

START = "1../.../..a r -"


@pytest.fixture
def ladder(tmp_path: Path) -> tuple[Folder, Ladder]:
    (tmp_path / "ladder.toml").write_text("minutes_per_day = 1\n" + CONFIGURATION)
    return open_folder(tmp_path)


def record(pair: int, score: float = 1.0, seconds: float = 1.0, detail: str = "", reason: str = "corner") -> PairRecord:
    """A pair in which A wins both games or loses both; without plies."""
    winner = 0 if score else 1
    game = GameRecord(GAME, START, ("A", "B"), (), winner, reason, detail)
    content, times = pack_games([SeatedGame(game, 0), SeatedGame(replace(game, winner=1 - winner), 1)])
    used = Usage(moves=1, seconds=seconds)
    return PairRecord(pair, (score, score), (0, 0), (reason, reason), None, seconds, content, times, (used, used))


def test_a_pair_that_was_not_played_is_played_later(ladder: tuple[Folder, Ladder]) -> None:
    folder, configuration = ladder
    with LadderStore(folder.store) as store:
        league = League(GAME, folder, configuration, store)
        first, second = league.next_assignments([1, 2], [], ())
        assert (first.match, first.pair, second.pair) == (second.match, 0, 1)
        league.release(first, fault=False)
        store.add_pairs(GAME, [league.add(second, record(second.pair))])
        assert store.stored_pairs(second.match) == [1]
        # A new process finds the gap, too.
        again = League(GAME, folder, configuration, store)
        assert [item.pair for item in again.next_assignments([3, 4], [], ())] == [0, 2]
        assert [item.pair for item in league.next_assignments([3, 4], [], ())] == [0, 2]


def test_ratings_after_a_restart_are_those_before(ladder: tuple[Folder, Ladder]) -> None:
    folder, configuration = ladder
    with LadderStore(folder.store) as store:
        league = League(GAME, folder, configuration, store)
        for number in range(10):
            (item,) = league.next_assignments([number], [], ())
            store.add_pairs(GAME, [league.add(item, record(item.pair, float(number % 3 > 0)))])
            league.fit()
        again = League(GAME, folder, configuration, store)
        for before, after in zip(league.standings, again.standings, strict=True):
            assert (before.version, before.pairs) == (after.version, after.pairs)
            assert before.elo == pytest.approx(after.elo, abs=30)


def test_a_version_is_suspended_after_void_pairs(ladder: tuple[Folder, Ladder]) -> None:
    folder, configuration = ladder
    with LadderStore(folder.store) as store:
        store.enrol("anna", "Anna", "", "", "hash")
        version = store.activate(store.entrants()[-1].id, GAME, "digest", "python:a.py:A", None)
        (folder.versions / f"{GAME}-digest").mkdir()
        (folder.versions / f"{GAME}-digest" / "a.py").write_text("class A: ...")
        league = League(GAME, folder, configuration, store)
        for number in range(MAX_FAULTS):
            items = [i for i in league.next_assignments(range(9), [], ()) if version.id in (i.first.id, i.second.id)]
            league.release(items[0], fault=True)
            assert (version.id in league.versions) == (number < MAX_FAULTS - 1)
        assert store.version(version.id).status == SUSPENDED
        assert store.events()[0][1] == "suspended"


def test_only_failed_starts_are_faults_of_the_server() -> None:
    assert is_server_fault(record(0, reason="crash", detail="x cannot be started: no memory"))
    assert is_server_fault(record(0, reason="crash", detail="x exited with exit code 126"))
    assert not is_server_fault(record(0, reason="crash", detail="x exited with exit code 1"))
    assert not is_server_fault(record(0, reason="corner"))


def test_a_player_that_has_used_its_time_rests(ladder: tuple[Folder, Ladder]) -> None:
    folder, configuration = ladder
    with LadderStore(folder.store) as store:
        store.enrol("anna", "Anna", "", "", "hash")
        anna = store.entrants()[-1].id
        store.activate(anna, GAME, "", "random", None)
        league = League(GAME, folder, configuration, store)
        for _ in range(2):
            item = next(
                i for i in league.next_assignments(range(9), [], ()) if anna in (i.first.entrant, i.second.entrant)
            )
            store.add_pairs(GAME, [league.add(item, record(item.pair, seconds=40))])
        director = Director(folder, configuration, lambda: pytest.fail("no games"))
        director._store = store
        # The permanent players have used time as well; they do not rest.
        assert director._exhausted(2e9) == set()
        assert director._exhausted(time.time()) == {anna}
        assert all(
            anna not in (item.first.entrant, item.second.entrant) for item in league.next_assignments([1], [], {anna})
        )


def test_a_damaged_row_is_noticed(ladder: tuple[Folder, Ladder]) -> None:
    folder, configuration = ladder
    with LadderStore(folder.store) as store:
        league = League(GAME, folder, configuration, store)
        (item,) = league.next_assignments([1], [], ())
        store.add_pairs(GAME, [league.add(item, record(0))])
    database = sqlite3.connect(folder.store)
    database.execute("UPDATE ladder_encounters SET sums = replace(sums, '1.0', '0.0')")
    database.commit()
    database.close()
    with LadderStore(folder.store) as store, pytest.raises(GameError, match="damaged: checksum of table ladder_enc"):
        League(GAME, folder, configuration, store)


def test_the_similarity_report_lists_equal_engines_first() -> None:
    states = questions(games.load(GAME))
    assert 0 < len(states) <= QUESTIONS
    assert all(len(state.legal) >= 3 for state in states)
    same, other, different = ["a", "b", "c", "d"], ["a", "x", "y", "z"], ["q", "r", "s", "-"]
    rows = report({1: same, 2: same, 3: other, 4: different}, {1: "f", 2: "g", 3: "h", 4: "h"})
    assert [(rows[0].first, rows[0].second, rows[0].same_files) for _ in "x"] == [(3, 4, True)]
    assert (rows[1].first, rows[1].second, rows[1].agreement) == (1, 2, 1.0)
    assert rows[1].usual is not None
    assert rows[1].usual < 0.2
    assert report({1: same, 2: other}, {1: "f", 2: "g"})[0].usual is None
    assert next(row for row in rows if (row.first, row.second) == (1, 4)).positions == 3


def test_a_folder_without_engine_is_rejected_here_as_on_the_ladder(tmp_path: Path) -> None:
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "notes.txt").write_text("hello")
    found = check_here(tmp_path / "engine", GAME, ["random"], 1, Limit(depth=1))
    assert (found.ok, "no engine found" in found.reason) == (False, True)


def test_the_current_folder_has_a_name_and_its_forfeits_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my.engine").mkdir()
    (tmp_path / "my.engine" / "agent.py").write_text(
        "class Agent:\n    def choose(self, state, limit):\n"
        "        return state.moves[0] if limit.depth == 1 else 'no move'\n"
    )
    monkeypatch.chdir(tmp_path / "my.engine")
    accepted = check_here(Path(), GAME, ["random"], 1, Limit(depth=1))
    assert (accepted.ok, accepted.name) == (True, "my.engine")
    assert "my.engine" in check_badge(accepted)
    monkeypatch.setattr("starscout.ladder.client.check_engine", lambda *_: "python:agent.py:Agent")
    forfeited = check_here(Path(), GAME, ["random"], 1, Limit(depth=2))
    assert (forfeited.status, forfeited.ok, len(forfeited.forfeits)) == ("accepted", False, 2)
    assert "forfeits" in check_badge(forfeited)
