"""The store: idempotent pairs, plans by identity, durable steps, errors for damaged files."""

import sqlite3
import zlib
from pathlib import Path
from typing import Any

import pytest

from starscout import results
from starscout.arena.batch import play_pair
from starscout.arena.director import stopping_rule_from_json
from starscout.arena.plan import MatchPlan, plan_from_json
from starscout.arena.store import Store, default_path
from starscout.game import GameError
from starscout.records.packed import unpack_games, unpack_times
from starscout.search.limits import Limit

PLAN = MatchPlan("ewn-3x3-3", "random", "random", Limit(nodes=5), seed=7)


def test_pair_counts_once(tmp_path: Path) -> None:
    with Store(tmp_path / "a.sqlite") as store:
        match = store.open_match(PLAN, {"pairs": 3})
        records = [play_pair(PLAN, pair) for pair in (2, 0)]
        store.add(match.id, records, 1.5)
        changed = records[0]._replace(scores=(1.0, 1.0), content=b"other")
        store.add(match.id, [changed, play_pair(PLAN, 1)], 0.5)
        stored = list(store.pairs(match.id))
        assert [record.pair for record in stored] == [0, 1, 2]
        assert stored[2] == records[0]
        assert store.match(match.id).seconds == 2.0


def test_pairs_persist_and_plans_are_separate(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "a.sqlite"
    with Store(path) as store:
        match = store.open_match(PLAN, {"pairs": 1})
        store.add(match.id, [play_pair(PLAN, 0)])
    with Store(path) as store:
        again = store.open_match(PLAN, {"pairs": 5})
        other = store.open_match(MatchPlan("ewn-3x3-3", "random", "random", Limit(nodes=5), seed=8), {"pairs": 5})
        assert again.id == match.id
        assert again.plan == PLAN
        assert again.current
        assert len(list(store.pairs(again.id))) == 1
        assert other.id != match.id
        assert list(store.pairs(other.id)) == []
        assert [m.id for m in store.matches()] == [match.id, other.id]


def test_scores_and_unique_experiments(tmp_path: Path) -> None:
    with Store(tmp_path / "a.sqlite") as store:
        match = store.open_match(PLAN, {"pairs": 3})
        records = [play_pair(PLAN, pair) for pair in range(3)]
        store.add(match.id, records)
        assert store.scores() == {match.id: pytest.approx(sum(record.score for record in records) / 3)}
        for _ in range(2):
            store.open_experiment("one", {"question": "?"})
        assert store.experiments() == [(1, {"question": "?"})]


def test_edited_code_changes_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    before = PLAN.identity
    monkeypatch.setattr("starscout.arena.plan.code_digest", lambda: "edited")
    assert PLAN.identity != before


def test_stored_plan_json_round_trip() -> None:
    assert plan_from_json(PLAN.to_json()) == PLAN


def test_records_round_trip() -> None:
    record = play_pair(PLAN, 5)
    first, second = (game.record for game in record.games(PLAN.game, ("a", "b"), PLAN.seed))
    for half, game in enumerate((first, second)):
        game.check()
        assert len(game.plies) == record.plies[half]
        assert game.half == half
    assert first.players == ("a", "b")
    assert second.players == ("b", "a")
    shared = min(record.plies)
    assert [p.roll for p in first.plies[:shared]] == [p.roll for p in second.plies[:shared]]
    assert first.start == second.start


def test_equal_pairs_are_equal_bytes() -> None:
    assert play_pair(PLAN, 3).content == play_pair(PLAN, 3).content


def test_files_that_are_not_stores_are_refused(tmp_path: Path) -> None:
    text = tmp_path / "text.sqlite"
    text.write_text("this is no database, and long enough to be looked at as one" * 10)
    with pytest.raises(GameError, match="not a result store"):
        Store(text)
    newer = tmp_path / "newer.sqlite"
    database = sqlite3.connect(newer)
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(GameError, match="version 99"):
        Store(newer)


def test_default_path_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.delenv("STARSCOUT_STORE", raising=False)
    assert default_path() == tmp_path / "starscout" / "arena.sqlite"
    monkeypatch.setenv("STARSCOUT_STORE", str(tmp_path / "mine.sqlite"))
    assert default_path() == tmp_path / "mine.sqlite"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "{" * 3_000,
        "[]",
        "null",
        "{}",
        '{"game": 3}',
        '{"seed": 1e999}',
        '{"limit": {"time": "x"}}',
        '{"hocus": 1}',
    ],
)
def test_damaged_plan_is_reported(text: str) -> None:
    with pytest.raises(GameError, match="damaged"):
        plan_from_json(text)


@pytest.mark.parametrize(
    "goal",
    [
        None,
        [],
        {},
        {"pairs": "7"},
        {"pairs": 1e999},
        {"pairs": 5, "sprt": 3},
        {"pairs": 5, "sprt": ["a", "b"]},
        {"pairs": 10**400},
    ],
)
def test_damaged_stopping_rule_is_reported(goal: Any) -> None:
    with pytest.raises(GameError, match="damaged"):
        stopping_rule_from_json(goal)


@pytest.mark.parametrize(
    "games",
    [b"", b"x", zlib.compress(b"["), zlib.compress(b"7"), zlib.compress(b"[{}]"), zlib.compress(b'[{"moves": 3}]')],
)
def test_damaged_games_are_reported(games: bytes) -> None:
    times = zlib.compress(b"[[1]]")
    with pytest.raises(GameError, match="damaged"):
        unpack_games(games, times, "ewn", ("a", "b"), 1, 0)
    if games != zlib.compress(b"[{}]"):
        with pytest.raises(GameError, match="damaged"):
            unpack_times(games)


def test_unreadable_plan_is_not_written(tmp_path: Path) -> None:
    with Store(tmp_path / "a.sqlite") as store:
        store.open_match(PLAN, {"pairs": 1})
        limits: list[Any] = [Limit(time=float("inf")), Limit(time="1"), Limit(depth=2.5), Limit(nodes=10**30)]  # pyright: ignore[reportArgumentType]
        for limit in limits:
            with pytest.raises(GameError, match=r"cannot be stored: limit\.\w+: expected a"):
                store.open_match(MatchPlan("ewn", "random", "random", limit), {"pairs": 1})
        assert (len(store.matches()), store.unreadable()) == (1, [])


def test_unreadable_match_does_not_hide_others(tmp_path: Path) -> None:
    with Store(tmp_path / "a.sqlite") as store:
        for seed in (1, 2, 3):
            plan = MatchPlan("ewn-3x3-3", "random", "random", seed=seed)
            store.add(store.open_match(plan, {"pairs": 1}).id, [play_pair(plan, 0)])
    with sqlite3.connect(tmp_path / "a.sqlite") as database:
        database.execute("UPDATE matches SET plan = replace(plan, '\"time\": null', '\"time\": Infinity') WHERE id = 2")
    database.close()
    with Store(tmp_path / "a.sqlite") as store:
        assert [match.id for match in store.matches()] == [1, 3]
        (sentence,) = store.unreadable()
        assert sentence.startswith("match 2: cannot read: the store is damaged: ")
    listed = results(store=tmp_path / "a.sqlite")
    assert [match.match for match in listed.matches] == [1, 3]
    assert sentence in str(listed)
    assert listed.json()["unreadable"] == [sentence]
