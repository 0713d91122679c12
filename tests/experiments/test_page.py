"""The view of one experiment."""

import dataclasses

import pytest

from starscout.arena.store import Store
from starscout.experiments.page import cells, figure, headings, number_text, study_report, study_view
from starscout.experiments.runner import StoredStudy, played_matches, run_experiment, stored_study
from starscout.views.match import matches_with_progress
from tests.experiments.examples import EXPERIMENT, row, study_of
from tests.experiments.test_runner import runner_of

STUDY = study_of(
    row("tree – chance", 0.85, 0.0625, {"games": 10, "score": 0.9}),
    row("even", 0.5, 0.1),
    row("another compiler", None, None, {"games": 10, "score": 0.7, "simulations": 5000}),
)


def test_table_shows_our_numbers_beside_the_report() -> None:
    assert headings(STUDY) == ["", "score", "games", "report", "report games", "simulations (report)"]
    assert [cells(STUDY, each) for each in STUDY.rows] == [
        ["tree – chance", "85.0 ± 6.2 %", "100", "90.0 %", "10", ""],
        ["even", "50.0 ± 10.0 %", "100", "", "", ""],
        ["another compiler", "", "", "70.0 %", "10", "(5,000)"],
    ]
    ours = study_of(dataclasses.replace(row("a", 0.5), numbers={"nodes": 1234.5}))
    assert headings(ours) == ["", "score", "games", "nodes"]
    assert cells(ours, ours.rows[0]) == ["a", "50.0 ± 5.0 %", "100", "1,234"]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (None, ""),
        (0.0, "0"),
        (59.2312, "59.23"),
        (999.96, "1000"),
        (12345.6, "12,346"),
        (3, "3"),
        (566074, "566.1 k"),
        (1053231, "1.053 M"),
        (134110, "134.1 k"),
    ],
)
def test_number_text(number: float | None, text: str) -> None:
    assert number_text(number) == text


def test_plot_names_every_row() -> None:
    assert all(each.name in figure(STUDY) for each in STUDY.rows)


def test_study_view_shows_matches_claims_and_games() -> None:
    with Store(":memory:") as store:
        run_experiment(EXPERIMENT, store, runner_of(0), quick=True)
        stored, seen = stored_study(store, EXPERIMENT), matches_with_progress(played_matches(store, EXPERIMENT))
    view = study_view(stored, seen, live=True)
    for number in (1, 2):
        assert f'href="#/watch/match/{number}"' in view
    assert "It does" in view
    assert "12 / 70 " in view
    assert 'class="reported"' in view
    assert "a tree beats a random mover" in view
    assert "largest mistake" in view
    report = study_report(stored, seen)
    assert "#/watch" not in report
    assert "<title>Does a tree beat a random mover?</title>" in report


def test_study_view_escapes_names_and_shows_unplayed_experiments() -> None:
    evil = dataclasses.replace(EXPERIMENT, question="<b>?", headline="", notes="<script>")
    rows = [row("tree – chance", 0.7), row("even", None), row("another compiler", None, reported={"score": 0.7})]
    view = study_view(StoredStudy(evil, study_of(*rows), {}, []), [], live=True)
    assert "<b>?" not in view
    assert "<script>" not in view
    assert "Undecided" in view
    empty = study_view(StoredStudy(evil, study_of(), {}, []), [], live=True)
    assert "no data yet" in empty
