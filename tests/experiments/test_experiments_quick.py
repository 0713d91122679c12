"""Quick runs of all experiments play the first games of the stored full runs."""

import json

import pytest

from starscout.experiments.experiment import experiment_names, find_experiment
from starscout.experiments.runner import load_study
from tests.cli.conftest import CommandLine, command_line
from tests.experiments.test_report_pages import FOLDER

__all__ = ["command_line"]


@pytest.mark.slow
@pytest.mark.parametrize("name", experiment_names())
def test_quick_run_repeats_the_stored_one(name: str, command_line: CommandLine) -> None:
    done = command_line("experiment", name, "--quick", "--store", ":memory:", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    study = load_study(find_experiment(name), FOLDER)
    assert study is not None, "the full run is missing"
    # Later rows of a study may not have been played yet.
    stored = {row.name: row.quick_counts for row in study.rows if row.games}
    assert stored
    assert {row["name"]: row["counts"] for row in found["rows"] if row["name"] in stored} == stored
    assert found["quick"]
