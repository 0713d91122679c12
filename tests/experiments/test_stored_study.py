"""An experiment in a store: the same study as the one who played it got, while it is played and afterwards."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import pytest

from starscout.arena.director import MatchRun
from starscout.arena.store import Store
from starscout.experiments.experiment import described_experiment, experiment_names, find_experiment, parse_experiment
from starscout.experiments.runner import conduct
from starscout.experiments.stored_study import stored_experiment, stored_study
from starscout.game import GameError
from tests.experiments.examples import EXPERIMENT
from tests.experiments.test_experiment import SWISS
from tests.experiments.test_runner import runner_of


def test_the_study_of_the_store_is_the_one_that_was_played() -> None:
    with Store(":memory:") as store:
        partial: list[int] = []

        def look(match_runs: Sequence[MatchRun]) -> None:
            rows = stored_study(store, EXPERIMENT).study.rows
            partial.append(sum(row.games for row in rows))

        played = conduct(EXPERIMENT, store, runner_of(1), watch=look)
        assert stored_experiment(store, 1) == EXPERIMENT
        stored = stored_study(store, EXPERIMENT)
        assert stored.study.rows == played.rows
        assert sorted(stored.matches) == ["even", "tree – chance"]
        assert partial == sorted(partial)
        # A second run plays nothing, and everything stays finished.
        conduct(EXPERIMENT, store, runner_of(1))
        assert [match.counted for match in store.matches()] == [20, 15]
        assert len(store.experiments()) == 1


def test_the_swiss_of_the_store_is_the_one_that_was_played() -> None:
    experiment = parse_experiment(SWISS, Path("swiss.toml"))
    with Store(":memory:") as store:
        assert stored_study(store, experiment).study.rows == ()
        played = conduct(experiment, store, runner_of(1))
        stored = stored_study(store, experiment)
        assert stored.study.rows == played.rows
        assert stored.tournaments == [number for number, *_ in store.tournaments()]


@pytest.mark.parametrize("name", experiment_names())
def test_a_description_is_the_whole_experiment(name: str) -> None:
    experiment = find_experiment(name)
    assert described_experiment(experiment.description()[1]) == experiment


def test_a_game_file_that_only_a_store_names_is_not_run(tmp_path: Path) -> None:
    file = tmp_path / "game.py"
    file.write_text("raise SystemExit(3)")
    with Store(":memory:") as store:
        with pytest.raises(GameError, match="allow it"):
            stored_study(store, dataclasses.replace(EXPERIMENT, game=str(file)))
        with pytest.raises(GameError, match="no experiment 7"):
            stored_experiment(store, 7)
