"""Running experiments with worker processes, and studies read from the store."""

import contextlib
import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from starscout.arena.batch import Batch, play_batch
from starscout.arena.director import MatchRun
from starscout.arena.store import Store
from starscout.arena.tally import Tally
from starscout.arena.workers import LocalRunner, SameProcessRunner
from starscout.experiments.experiment import (
    experiment_from_description,
    experiment_names,
    find_experiment,
    parse_experiment,
)
from starscout.experiments.runner import Study, column_value, run_experiment, stored_experiment, stored_study
from starscout.game import GameError
from tests.experiments.examples import EXPERIMENT, TEXT
from tests.experiments.test_experiment import SWISS


def runner_of(workers: int):
    """Opens a runner with these worker processes; 0: in this process, which is quicker."""

    @contextlib.contextmanager
    def opened() -> Iterator[LocalRunner | SameProcessRunner]:
        runner = LocalRunner(workers) if workers else SameProcessRunner()
        try:
            yield runner
        finally:
            runner.close()

    return opened


def never():
    raise AssertionError("everything is in the store")


def without_times(study: Study) -> Study:
    return dataclasses.replace(study, seconds=0.0)


@pytest.fixture(scope="module")
def study() -> Study:
    with Store(":memory:") as store:
        return run_experiment(EXPERIMENT, store, runner_of(1))


def test_rows_equal_match_results(study: Study) -> None:
    tree, even, elsewhere = study.rows
    for row, duel in zip((tree, even), EXPERIMENT.duel, strict=False):
        plan, pairs = EXPERIMENT.plan(duel), EXPERIMENT.stopping_rule(duel, quick=False).pairs
        tally, first = Tally(), Tally()
        for record in play_batch(Batch(0, plan, tuple(range(pairs)))).records:
            tally.add(record)
            if record.pair < 3:
                first.add(record)
        summary = tally.summary()
        assert (row.games, row.score) == (summary["games"], pytest.approx(summary["score"]))
        assert row.counts == {name: summary[name] for name in ("wins", "losses", "draws")}
        assert row.quick_counts == {name: first.summary()[name] for name in ("wins", "losses", "draws")}
        low, high = summary["score_interval"]
        assert row.score_error == pytest.approx((high - low) / 2, abs=1e-5)
        assert row.interval == pytest.approx((low, high), abs=1e-9)
        assert sum(row.pair_counts.values()) == row.games / 2
        assert row.numbers["simulations"] == pytest.approx(summary["used"]["A"]["simulations_per_move"] or 0) or (
            row.numbers["simulations"] is None
        )
    assert tree.score is not None
    assert tree.score > 0.6
    assert tree.reported == {"games": 10, "score": 0.9}
    assert (elsewhere.games, elsewhere.score) == (0, None)
    assert study.command == "starscout experiment example"


@pytest.mark.slow
def test_study_is_independent_of_workers_and_interruption(study: Study, tmp_path: Path) -> None:
    with Store(":memory:") as store:
        assert without_times(run_experiment(EXPERIMENT, store, runner_of(2))) == without_times(study)

    def interrupt(match_runs: Sequence[MatchRun]) -> None:
        # The first batch has one pair; later batches grow and may contain all remaining pairs.
        if any(match_run.counted for match_run in match_runs):
            raise KeyboardInterrupt

    with Store(tmp_path / "store.sqlite") as store:
        with pytest.raises(KeyboardInterrupt):
            run_experiment(EXPERIMENT, store, runner_of(1), watch=interrupt)
        assert 1 <= sum(1 for match in store.matches() for _ in store.pairs(match.id)) < 35
        assert without_times(run_experiment(EXPERIMENT, store, runner_of(2))) == without_times(study)
        assert without_times(run_experiment(EXPERIMENT, store, never)) == without_times(study)


def test_quick_run_plays_the_first_pairs(study: Study) -> None:
    with Store(":memory:") as store:
        quick = run_experiment(EXPERIMENT, store, runner_of(0), quick=True)
    assert quick.quick
    assert quick.command.endswith(" --quick")
    assert [row.games for row in quick.rows] == [6, 6, 0]
    assert [row.counts for row in quick.rows] == [row.quick_counts for row in study.rows]


def test_columns_by_hand() -> None:
    used = {"A": {"nodes": 6, "depth": None, "first_moves": [{"nodes": 4}]}, "B": {"nodes": 2, "depth": 3}}
    assert column_value(used, "nodes") == 6
    assert column_value(used, "B nodes") == 2
    assert column_value(used, "first_moves 1 nodes") == 4
    assert column_value(used, "nodes / B nodes") == 3.0
    assert column_value(used, "depth") is None
    assert column_value(used, "depth / B depth") is None
    assert column_value(used, "B depth / depth") is None


def test_swiss_has_a_row_per_player() -> None:
    swiss = parse_experiment(SWISS, Path("cup.toml"))
    with Store(":memory:") as store:
        found = run_experiment(swiss, store, runner_of(0))
        again = run_experiment(swiss, store, runner_of(0))
        quick = run_experiment(swiss, store, runner_of(0), quick=True)
    assert without_times(again) == without_times(found)
    # Three tournaments of two rounds with ten games in each meeting.
    assert [row.games for row in found.rows] == [60] * 4
    assert sum(row.counts["points"] for row in found.rows) == 3 * 2 * 2 * 10
    ranks = [row.numbers["mean rank"] or 0 for row in found.rows]
    assert ranks == sorted(ranks)
    assert sum(ranks) == pytest.approx(1 + 2 + 3 + 4)
    assert found.rows[0].name == "b"
    assert {row.name: row.counts for row in quick.rows} == {row.name: row.quick_counts for row in found.rows}


def test_swiss_with_places_has_a_row_per_place() -> None:
    by_player, by_place = (parse_experiment(SWISS + more, Path("cup.toml")) for more in ("", "places = true\n"))
    with Store(":memory:") as store:
        players, places = run_experiment(by_player, store, runner_of(0)), run_experiment(by_place, store, runner_of(0))
    assert [row.name for row in places.rows] == [f"place {number}" for number in range(1, 5)]
    scores = [row.score or 0.0 for row in places.rows]
    assert scores == sorted(scores, reverse=True)
    assert [row.games for row in places.rows] == [row.games for row in players.rows]
    points = [sum(row.counts["points"] for row in found.rows) for found in (players, places)]
    assert points[0] == points[1]
    first = places.rows[0]
    assert (first.numbers["fewest wins"] or 0) <= (first.numbers["wins"] or 0) <= (first.numbers["most wins"] or 0)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (('"simulations_per_move"\n"first', '"simulation_per_move"\n"first'), "no field 'simulation_per_move'"),
        (("first_moves 1 simulations_per_move", "first_moves 9 nodes"), "no field 'first_moves 9 nodes'"),
        (("first_moves 1 simulations_per_move", "first_moves"), "'first_moves' is not a number"),
        (('first = "chance"\nsecond = "random"', 'first = "tree"\nsecond = "random"'), "are the same match"),
    ],
)
def test_unknown_columns_are_refused(change: tuple[str, str], sentence: str) -> None:
    wrong = parse_experiment(TEXT.replace(*change).replace("pairs = 20", "pairs = 1"), Path("wrong.toml"))
    with Store(":memory:") as store, pytest.raises(GameError, match=sentence):
        run_experiment(wrong, store, runner_of(0), quick=True)


def test_stored_study_equals_played_study() -> None:
    with Store(":memory:") as store:
        partial: list[int] = []

        def look(match_runs: Sequence[MatchRun]) -> None:
            rows = stored_study(store, EXPERIMENT).study.rows
            partial.append(sum(row.games for row in rows))

        played = run_experiment(EXPERIMENT, store, runner_of(0), watch=look)
        assert stored_experiment(store, 1) == EXPERIMENT
        stored = stored_study(store, EXPERIMENT)
        assert stored.study.rows == played.rows
        assert sorted(stored.matches) == ["even", "tree – chance"]
        assert partial == sorted(partial)
        # A second run plays no games.
        run_experiment(EXPERIMENT, store, runner_of(1))
        assert [match.counted for match in store.matches()] == [20, 15]
        assert len(store.experiments()) == 1


def test_stored_swiss_equals_played_swiss() -> None:
    experiment = parse_experiment(SWISS, Path("swiss.toml"))
    with Store(":memory:") as store:
        assert stored_study(store, experiment).study.rows == ()
        played = run_experiment(experiment, store, runner_of(0))
        stored = stored_study(store, experiment)
        assert stored.study.rows == played.rows
        assert stored.tournaments == [number for number, *_ in store.tournaments()]


@pytest.mark.parametrize("name", experiment_names())
def test_description_round_trip(name: str) -> None:
    experiment = find_experiment(name)
    assert experiment_from_description(experiment.description()[1]) == experiment


def test_game_file_named_by_a_store_is_not_run(tmp_path: Path) -> None:
    file = tmp_path / "game.py"
    file.write_text("raise SystemExit(3)")
    with Store(":memory:") as store:
        with pytest.raises(GameError, match="allow it"):
            stored_study(store, dataclasses.replace(EXPERIMENT, game=str(file)))
        with pytest.raises(GameError, match="no experiment 7"):
            stored_experiment(store, 7)
