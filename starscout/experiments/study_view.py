"""The view of an experiment: what the page shows while it is played, and what its report saves."""

from collections.abc import Sequence
from typing import Any

from starscout.experiments.page import cells, figure, headings
from starscout.experiments.stored_study import StoredStudy
from starscout.experiments.study import StudyRow
from starscout.experiments.verdict import Verdict, verdicts
from starscout.views.elements import Figure, Markup, combined, heading, paragraph, quoted, table, word
from starscout.views.report import saved_page
from starscout.views.store_views import SeenMatch, forfeits_table, match_highlights

TAGS = {"confirmed": "good", "refuted": "bad", "undecided": ""}


def study_view(stored: StoredStudy, matches: Sequence[SeenMatch], *, live: bool) -> Markup:
    """An experiment as far as it is played: its rows, what they say about each claim, and the games to look at."""
    experiment, study = stored.experiment, stored.study
    played = sum(row.games for row in study.rows)
    asked = [] if not experiment.headline else [paragraph(experiment.question)]
    judged = verdicts(experiment, study)
    parts = [
        Markup(f"<h1>{combined(experiment.headline or experiment.question)}</h1>"),
        *asked,
        paragraph(
            quoted(study.command), ", ", experiment.game, ", ", word("seed"), f" {study.seed}, {played:,} / "
            f"{experiment.games:,} ", word("games"), kind="faint",
        ),
        Markup('<div class="sheet">'),
        Markup(figure(study)) if study.rows else paragraph(word("nothing yet")),
        Markup("</div>"),
        heading("Results"),
        table(headings(study), [_row(stored, row, live) for row in study.rows]) if study.rows else "",
        *([heading("What the numbers say")] if judged else []),
        Markup(f'<ul class="verdicts">{"".join(_verdict(one) for one in judged)}</ul>') if judged else "",
        *([paragraph(experiment.notes)] if experiment.notes else []),
        _tournaments(stored, live),
        forfeits_table(matches),
        match_highlights(matches, linked=live),
    ]  # fmt: skip
    return combined(*parts)


def study_report(stored: StoredStudy, matches: Sequence[SeenMatch]) -> str:
    """The report of an experiment as one file."""
    return saved_page(stored.experiment.question, study_view(stored, matches, live=False))


def _row(stored: StoredStudy, row: StudyRow, live: bool) -> list[Any]:
    name, *rest = cells(stored.study, row)
    match = stored.matches.get(name)
    shown = Markup(f'<a href="#/watch/match/{match.id}">{combined(name)}</a>') if live and match is not None else name
    return [shown, *map(Figure, rest)]


def _verdict(verdict: Verdict) -> Markup:
    answer, _, rest = verdict.sentence.partition(":")
    return Markup(f'<li><span class="tag {TAGS[verdict.answer]}" data-t>{answer}</span> {combined(rest)}</li>')


def _tournaments(stored: StoredStudy, live: bool) -> Markup:
    if not (live and stored.tournaments):
        return Markup("")
    links = [Markup(f'<a href="#/watch/tournament/{number}">{number}</a> ') for number in stored.tournaments]
    return paragraph(word("Tournaments"), ": ", *links)
