"""The page of the reports and the view of one experiment."""

import dataclasses
import re
from pathlib import Path

import pytest

import starscout
from starscout.arena.store import Store
from starscout.experiments.experiment import Experiment, experiment_names
from starscout.experiments.page import (
    UNBROKEN,
    cells,
    figure,
    headings,
    number_text,
    page_text,
    plot_file,
    saved_studies,
    study_report,
    study_view,
    write_page,
)
from starscout.experiments.runner import StoredStudy, Study, played_matches, run_experiment, stored_study
from starscout.experiments.verdict import verdicts
from starscout.game import GameError
from starscout.views.match import matches_with_progress
from tests.experiments.examples import EXPERIMENT, row, study_of
from tests.experiments.test_runner import runner_of

ROOT = Path(starscout.__file__).parent.parent
PAGE = ROOT / "docs" / "reports.md"
FOLDER = ROOT / "docs" / "reports"
STUDY = study_of(
    row("tree – chance", 0.85, 0.0625, {"games": 10, "score": 0.9}),
    row("even", 0.5, 0.1),
    row("another compiler", None, None, {"games": 10, "score": 0.7, "simulations": 5000}),
)


def kept() -> list[tuple[Experiment, Study]]:
    """Return the experiments with studies in the repository."""
    return saved_studies(FOLDER)


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


def test_page_of_one_study(tmp_path: Path) -> None:
    text = page_text([(EXPERIMENT, STUDY)], "reports")
    assert "## Report 000_example.txt" in text
    assert "- [example](#example): It does" in text
    assert '<a id="example"></a>\n\n### A tree against a random mover' in text
    assert "mover\n\nIt does.\n\n*Does a tree beat a random mover?*" in text
    assert "![Does a tree beat a random mover?](reports/example.svg)" in text
    assert "## Not yet played\n\n" + ", ".join(f"`{name}`" for name in experiment_names()) in text
    # Only one of the two claims compares scores of the report; nine wins of ten have p = 0.021.
    assert "200 games, 0 minutes of thinking time. The reports draw 1 conclusions" in text
    assert "0 of these differences" in text
    assert "Our verdicts on the other 1: 1 confirmed." in text
    assert "| [000](#example) | a tree beats a random mover | +40.0 | 0.021 | confirmed: +35.0 (+2" in text
    assert "`starscout experiment example`, seed 7, version 0.1.0, 12 s of thinking time" in text
    for verdict in verdicts(EXPERIMENT, STUDY):
        assert f"- **{verdict.answer.capitalize()}**" in text
        assert verdict.text.partition(":")[2] in text
    with pytest.raises(GameError, match="no studies"):
        write_page(tmp_path / "nothing.md")


def test_plot_names_every_row() -> None:
    assert all(each.name in figure(STUDY) for each in STUDY.rows)


def test_page_in_the_repository_is_up_to_date() -> None:
    """The page equals the text generated from the studies."""
    assert PAGE.read_text(encoding="utf-8") == page_text(kept(), FOLDER.name)
    for _, study in kept():
        assert (FOLDER / f"{study.name}.svg").read_text(encoding="utf-8") == plot_file(study)


def test_table_numbers_are_in_the_study_files() -> None:
    """Parse the numbers from the page independently of the code that writes it."""
    pages = PAGE.read_text(encoding="utf-8").replace(UNBROKEN, " ").partition('<a id="conclusions">')[0]
    sections = re.split(r"^### ", pages, flags=re.MULTILINE)[1:]
    assert len(sections) == len(kept())
    for section, (_, study) in zip(sections, kept(), strict=True):
        lines = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")]
        by_name = {each.name: each for each in study.rows}
        names = [line[0].strip() for line in lines[1:]]
        assert names == list(by_name)
        for line in lines[1:]:
            each = by_name[line[0].strip()]
            if each.score is not None:
                score, error = (float(part) for part in line[1].strip(" %").split(" ± "))
                assert score == pytest.approx(100 * each.score, abs=0.051)
                assert error == pytest.approx(100 * (each.score_error or 0.0), abs=0.051)
                assert int(line[2].replace(",", "")) == each.games
            if "score" in each.reported:
                assert float(line[3].strip(" %")) == pytest.approx(100 * each.reported["score"], abs=0.051)


def test_studies_in_the_repository_match_their_experiments() -> None:
    for experiment, study in kept():
        assert not study.quick
        assert study.seed == experiment.seed
        assert study.command == f"starscout experiment {experiment.name}"
        if experiment.swiss is not None:
            assert {each.name for each in study.rows} == set(experiment.swiss.row_names(experiment.players))
            continue
        for duel, each in zip(experiment.duel, study.rows, strict=True):
            players = tuple(experiment.players.get(name, name) for name in (duel.first, duel.second))
            assert (each.name, each.players) == (experiment.row_name(duel), players if duel.first else ())
            assert each.games == (2 * experiment.stopping_rule(duel, quick=False).pairs if duel.first else 0)
            assert each.reported == dict(duel.reported)
            assert sum(each.counts.values()) == each.games


def test_headline_numbers_are_in_the_study() -> None:
    """Numbers may be counts, games, percentages, or parts of player specifications."""
    for experiment, study in kept():
        known = {int(number) for each in study.rows for text in each.players for number in re.findall(r"\d+", text)}
        known |= {int(number) for number in re.findall(r"\d+", experiment.limit)}
        if experiment.swiss is not None:
            known.add(2 * experiment.swiss.pairs * experiment.swiss.rounds)
        for each in study.rows:
            shares = [share for share in (each.score, each.reported.get("score")) if share is not None]
            known |= {each.games, *map(int, each.counts.values()), *(round(100 * share) for share in shares)}
            known |= {round(number) for number in (*each.numbers.values(), *each.reported.values()) if number}
        numbers = [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", experiment.headline)]
        assert set(numbers) <= known, experiment.name


def test_study_view_shows_matches_claims_and_games() -> None:
    with Store(":memory:") as store:
        run_experiment(EXPERIMENT, store, runner_of(1), quick=True)
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
