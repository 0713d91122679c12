"""Exports contain all stored games, and exported games replay."""

import csv
import importlib.util
import json
from pathlib import Path

import pytest

from starscout.arena.batch import Batch, play_batch
from starscout.arena.export import COLUMNS, PlayedMatch, export_games, game_rows
from starscout.arena.plan import MatchPlan
from starscout.arena.store import Store
from starscout.game import GameError
from starscout.records.json_lines import record_from_json
from starscout.search.limits import Limit

PLAN = MatchPlan("ewn-3x3-3", "random", "random", seed=2, luck="eval=race depth=1")


@pytest.fixture(scope="module")
def store() -> Store:
    store = Store(":memory:")
    match = store.open_match(PLAN, {"pairs": 3})
    # Pair 3 is missing, so pair 4 does not count yet.
    store.add(match.id, play_batch(Batch(match.id, PLAN, (0, 1, 2, 4))).records)
    return store


def played(store: Store) -> list[PlayedMatch]:
    return [(match.id, match.plan, list(store.counted_pairs(match))) for match in store.matches()]


def test_csv_export(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    assert export_games(played(store), str(path)) == 6
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == COLUMNS
    pairs = list(store.pairs(1))
    for row in rows:
        pair, half = pairs[int(row["pair"])], int(row["half"])
        assert float(row["a_score"]) == pair.scores[half]
        assert len(row["rolls"].split()) == len(row["moves"].split()) == pair.plies[half] == int(row["plies"])
        assert float(row["a_luck"]) == (pair.luck or (0, 0))[half]
        assert (row["a_left"], row["a_depth"], row["b_nodes"]) == ("", "", "")


def test_export_contains_usage_of_both_players(tmp_path: Path) -> None:
    plan = MatchPlan("ewn-3x3-3", "mcts simulations=20", "random", Limit(clock=60.0), seed=2)
    with Store(":memory:") as store:
        match = store.open_match(plan, {"pairs": 1})
        (pair,) = play_batch(Batch(match.id, plan, (0,))).records
        store.add(match.id, [pair])
        first, second = game_rows([(match.id, plan, [pair])])
    a, b = pair.used
    assert first["a_simulations"] + second["a_simulations"] == a.simulations > 0
    assert first["a_nodes"] + second["a_nodes"] == a.nodes > 0
    assert first["a_depth"] > 0
    assert (first["b_simulations"], first["b_depth"]) == (None, None)
    for row in (first, second):
        for side in "ab":
            assert row[f"{side}_left"] == pytest.approx(60.0 - row[f"{side}_seconds"], abs=1e-3)
    assert (first["a_left"] + second["a_left"]) / 2 == pytest.approx(a.summary()["seconds_left"])
    assert b.summary()["seconds_left"] == pytest.approx(60.0 - b.seconds / 2, abs=1e-3)


def test_json_games_replay(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "games.json"
    assert export_games(played(store), str(path)) == 6
    for game in json.loads(path.read_text())["games"]:
        record_from_json(game).check()
        assert len(game["luck"]) == len(game["loss"]) == len(game["plies"])


def test_unknown_suffix_is_refused(store: Store, tmp_path: Path) -> None:
    with pytest.raises(GameError, match=r"\.csv, \.json, \.parquet"):
        export_games(played(store), str(tmp_path / "games.xls"))


def test_parquet_export_or_message_naming_the_extra(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "games.parquet"
    if importlib.util.find_spec("pyarrow") is None:
        with pytest.raises(GameError, match="pip install"):
            export_games(played(store), str(path))
        assert not path.exists()
    else:
        assert export_games(played(store), str(path)) == 6
        assert path.read_bytes()[:4] == b"PAR1"
