"""The HTML view of an experiment, and its table and plot."""

from collections.abc import Sequence
from typing import Any

from starscout.arena.statistics import wilson_interval
from starscout.arena.store import Store
from starscout.drawing import charts
from starscout.experiments.runner import StoredStudy, Study, StudyRow
from starscout.experiments.verdict import Verdict, verdicts
from starscout.views.html import (
    COMMA,
    NOTHING,
    Markup,
    NumberText,
    code_text,
    concat,
    heading,
    label,
    paragraph,
    progress_line,
    table,
)
from starscout.views.match import MatchWithProgress, forfeits_table, latest_game, match_highlights
from starscout.views.store import standalone_page

TAGS = {"confirmed": "good", "refuted": "bad"}
"""Answer → CSS class."""


def study_progress(store: Store, stored: StoredStudy) -> Markup:
    """The progress of an experiment with the estimated time left."""
    met = [match for number in stored.tournaments for *_, match in store.meetings(number)]
    seconds = sum(store.match(match.id).seconds for match in stored.matches.values())
    seconds += sum(store.match(match).seconds for match in met)
    played, wanted = sum(row.games for row in stored.study.rows), stored.experiment.games
    return progress_line(played, max(played, wanted), "games", seconds, finished=played >= wanted)


def study_view(
    stored: StoredStudy, matches: Sequence[MatchWithProgress], *, live: bool, progress: Markup = NOTHING
) -> Markup:
    """Render an experiment: its rows so far, the verdicts on its claims, and notable games."""
    experiment, study = stored.experiment, stored.study
    played = sum(row.games for row in study.rows)
    found = verdicts(experiment, study)
    parts = [
        Markup(f"<h1>{concat(experiment.title or experiment.question)}</h1>"),
        *([paragraph(experiment.question)] if experiment.title else []),
        *([paragraph(experiment.headline + ".")] if experiment.headline else []),
        paragraph(
            code_text(study.command), COMMA, experiment.game, COMMA, label("seed"), f" {study.seed}", COMMA,
            f"{played:,} / {experiment.games:,} ", label("games"), kind="faint",
        ),
        progress,
        Markup('<div class="columns wide">' if live else "<div>"),
        Markup('<div class="sheet">'),
        Markup(figure(study)) if study.rows else paragraph(label("no data yet")),
        Markup("</div>"),
        latest_game(matches) if live else "",
        Markup("</div>"),
        heading("Results"),
        table(headings(study), [_row(stored, row, live) for row in study.rows], "cards named") if study.rows else "",
        *([heading("Verdicts")] if found else []),
        Markup(f'<ul class="verdicts">{"".join(_verdict(one) for one in found)}</ul>') if found else "",
        *([paragraph(experiment.notes)] if experiment.notes else []),
        _tournaments(stored, live),
        forfeits_table(matches),
        match_highlights(matches, linked=live),
    ]  # fmt: skip
    return concat(*parts)


def study_report(stored: StoredStudy, matches: Sequence[MatchWithProgress]) -> str:
    """Return the report of an experiment as one HTML file."""
    return standalone_page(stored.experiment.question, study_view(stored, matches, live=False))


def _row(stored: StoredStudy, row: StudyRow, live: bool) -> list[Any]:
    name, *rest = cells(stored.study, row)
    match = stored.matches.get(name)
    shown = Markup(f'<a href="#/watch/match/{match.id}">{concat(name)}</a>') if live and match is not None else name
    return [shown, *map(NumberText, rest)]


def _verdict(verdict: Verdict) -> Markup:
    answer, _, rest = verdict.text.partition(":")
    return Markup(f'<li><span class="tag {TAGS.get(verdict.answer, "")}" data-t>{answer}</span> {concat(rest)}</li>')


def _tournaments(stored: StoredStudy, live: bool) -> Markup:
    if not (live and stored.tournaments):
        return Markup("")
    links = [Markup(f'<a href="#/watch/tournament/{number}">{number}</a> ') for number in stored.tournaments]
    return paragraph(label("Tournaments"), ": ", *links)


GREY = "#767676"
"""A colour with enough contrast on light and dark pages."""


def headings(study: Study) -> list[str]:
    """Return the column titles of a study's table."""
    reported = _reported_titles(study)
    scores = [title for title, key in (("report", "score"), ("report games", "games")) if key in reported]
    titles = [f"{title} (report)" if title in reported else title for title in _titles(study)]
    return ["", "score", "games", *scores, *titles]


def cells(study: Study, row: StudyRow) -> list[str]:
    """Return a row of the table as text."""
    line = [row.name, score_text(row), f"{row.games:,}" if row.games else ""]
    reported = _reported_titles(study)
    line += [_share(row.reported.get("score"))] if "score" in reported else []
    line += [number_text(row.reported.get("games"))] if "games" in reported else []
    for title in _titles(study):
        number = row.reported.get(title)
        beside = "" if number is None else f"({number_text(number)})"
        line.append(f"{number_text(row.numbers.get(title))} {beside}".strip())
    return line


def score_text(row: StudyRow) -> str:
    """Return the score with the half-width of its interval; empty without games."""
    if row.score is None or row.score_error is None:
        return ""
    return f"{100 * row.score:.1f} ± {100 * row.score_error:.1f} %"


def _titles(study: Study) -> list[str]:
    """Return the titles of all columns except games and score, ours and the report's."""
    titles = [title for row in study.rows for title in (*row.numbers, *row.reported)]
    return [title for title in dict.fromkeys(titles) if title not in ("games", "score")]


def _reported_titles(study: Study) -> set[str]:
    return {title for row in study.rows for title in row.reported}


def _share(score: float | None) -> str:
    return "" if score is None else f"{100 * score:.1f} %"


def number_text(number: float | None) -> str:
    """Format a number with about four digits; numbers from 100,000 in thousands or millions."""
    if number is None:
        return ""
    for size, letter in ((1_000_000, "M"), (1000, "k")):
        if abs(number) >= max(100_000, size):
            return f"{number / size:,.4g} {letter}"
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"


def figure(study: Study) -> str:
    """Return the plot of a study as SVG."""
    return charts.estimates(
        [
            charts.Estimate(row.name, row.score, row.interval, row.reported.get("score"), _reported_interval(row))
            for row in study.rows
        ]
    )


def plot_file(study: Study) -> str:
    """Return the plot as a stand-alone file, with an explicit colour."""
    return figure(study).replace("<svg ", f'<svg color="{GREY}" ', 1)


def _reported_interval(row: StudyRow) -> tuple[float, float] | None:
    """Return the 95 % interval of the report's score: Wilson's, for independent games."""
    if row.reported.get("score") is None or not row.reported.get("games"):
        return None
    return wilson_interval(row.reported["score"], round(row.reported["games"]))
