"""The view of an experiment: its rows, its claims, links on the page and none in a report."""

import dataclasses

from starscout.arena.store import Store
from starscout.experiments.page import study_report, study_view
from starscout.experiments.runner import conduct
from starscout.experiments.stored_study import StoredStudy, played_duels, stored_study
from starscout.views.store_views import seen_matches
from tests.experiments.examples import EXPERIMENT, row, study_of
from tests.experiments.test_runner import runner_of


def test_an_experiment_is_shown_with_its_matches_claims_and_games() -> None:
    with Store(":memory:") as store:
        conduct(EXPERIMENT, store, runner_of(1), quick=True)
        stored, seen = stored_study(store, EXPERIMENT), seen_matches(played_duels(store, EXPERIMENT))
    view = study_view(stored, seen, live=True)
    for number in (1, 2):
        assert f'href="#/watch/match/{number}"' in view
    assert "It does" in view
    assert "12 / 70 " in view
    assert 'class="told"' in view
    assert "a tree beats a random mover" in view
    assert "largest loss" in view
    report = study_report(stored, seen)
    assert "#/watch" not in report
    assert "<title>Does a tree beat a random mover?</title>" in report


def test_names_are_escaped_and_an_unplayed_experiment_says_so() -> None:
    evil = dataclasses.replace(EXPERIMENT, question="<b>?", headline="", notes="<script>")
    rows = [row("tree – chance", 0.7), row("even", None), row("another compiler", None, reported={"score": 0.7})]
    view = study_view(StoredStudy(evil, study_of(*rows), {}, []), [], live=True)
    assert "<b>?" not in view
    assert "<script>" not in view
    assert "Undecided" in view
    empty = study_view(StoredStudy(evil, study_of(), {}, []), [], live=True)
    assert "nothing yet" in empty
