"""The page of all studies, and the HTML view of a single experiment.

`starscout experiment --page docs/reports.md` writes the page from the studies in the folder `docs/reports` beside it;
the plots go into that folder. For each table, the page shows the report's numbers beside ours, a plot and the verdicts.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starscout.arena.statistics import wilson_interval
from starscout.drawing import charts
from starscout.experiments.experiment import Experiment, experiment_names, find_experiment
from starscout.experiments.runner import StoredStudy, Study, StudyRow, load_study
from starscout.experiments.verdict import ANSWERS, SIGNIFICANCE_LEVEL, Verdict, p_text, verdicts
from starscout.game import GameError
from starscout.views.html import Markup, NumberText, code_text, concat, heading, label, paragraph, table
from starscout.views.match import MatchWithProgress, forfeits_table, match_highlights
from starscout.views.store import standalone_page

TAGS = {"confirmed": "good", "refuted": "bad"}
"""Answer → CSS class."""


def study_view(stored: StoredStudy, matches: Sequence[MatchWithProgress], *, live: bool) -> Markup:
    """Render an experiment: its rows so far, the verdicts on its claims, and notable games."""
    experiment, study = stored.experiment, stored.study
    played = sum(row.games for row in study.rows)
    found = verdicts(experiment, study)
    parts = [
        Markup(f"<h1>{concat(experiment.title or experiment.question)}</h1>"),
        *([paragraph(experiment.question)] if experiment.title else []),
        *([paragraph(experiment.headline + ".")] if experiment.headline else []),
        paragraph(
            code_text(study.command), ", ", experiment.game, ", ", label("seed"), f" {study.seed}, {played:,} / "
            f"{experiment.games:,} ", label("games"), kind="faint",
        ),
        Markup('<div class="sheet">'),
        Markup(figure(study)) if study.rows else paragraph(label("no data yet")),
        Markup("</div>"),
        heading("Results"),
        table(headings(study), [_row(stored, row, live) for row in study.rows]) if study.rows else "",
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

UNBROKEN = "\N{NO-BREAK SPACE}"
"""Keeps a number and its unit on one line."""

INTRODUCTION = """# The five reports, replicated

StarScout grew out of five student reports. Each ends with tables of a few dozen games and draws conclusions from them.
This page replicates every table with at least ten times the games, in pairs with the same dice and seats swapped.
Scores are shown with the half-width of their 95 % confidence interval. In the plots, filled dots are our results and
hollow diamonds those of the report.

Every number on this page is in a file in `docs/reports`, with the command, the seed and the version that produced it.
Search limits are plies, nodes or simulations, so the same command plays the same games on any machine; only times
differ. `starscout experiment --page docs/reports.md` generates the page from these files.

Not pre-registered: we reduced search limits and sample sizes to fit our compute. We extended the rows against `hard` in
004-variance from 300 to 800 games because they were undecided at 300. We added the row with 4 plies in 002-evaluation,
the claim about c = 1 and the verdict "no real difference" after seeing scores.
"""


def saved_studies(folder: Path) -> list[tuple[Experiment, Study]]:
    """Return the built-in experiments that have a study in a folder. Raises GameError."""
    experiments = map(find_experiment, experiment_names())
    return [(one, study) for one in experiments if (study := load_study(one, folder)) is not None]


def write_page(path: Path) -> str:
    """Write the page and its plots; return a one-line summary. Raises GameError."""
    folder = path.with_suffix("")
    found = saved_studies(folder)
    if not found:
        raise GameError(f"{folder}: no studies; run an experiment with --save {folder}")
    for _, study in found:
        (folder / f"{study.name}.svg").write_text(plot_file(study), encoding="utf-8")
    path.write_text(page_text(found, folder.name), encoding="utf-8")
    return f"{path}: {len(found)} studies"


def page_text(found: list[tuple[Experiment, Study]], folder: str) -> str:
    """Return the page of some studies whose plots are in a folder beside it."""
    parts = [INTRODUCTION, _summary(found), _findings(found)]
    report = None
    for experiment, study in found:
        if experiment.report != report:
            report = experiment.report
            parts.append(f"## Report {report}\n" if report else "## Beyond the reports\n")
        parts.append(_section(experiment, study, folder))
    parts.append(_conclusions(found))
    played = {study.name for _, study in found}
    missing = [name for name in experiment_names() if name not in played]
    if missing:
        parts.append(f"## Not yet played\n\n{', '.join(f'`{name}`' for name in missing)}\n")
    return "\n".join(parts)


def _report_conclusions(found: list[tuple[Experiment, Study]]) -> list[tuple[Experiment, Verdict]]:
    """Return the conclusions that the reports draw from a difference between their own scores."""
    return [
        (experiment, verdict)
        for experiment, study in found
        for verdict in verdicts(experiment, study)
        if verdict.reported_p_value is not None and not verdict.claim.same
    ]


def _summary(found: list[tuple[Experiment, Study]]) -> str:
    games = sum(row.games for _, study in found for row in study.rows)
    seconds = sum(study.seconds for _, study in found)
    conclusions = [verdict for _, verdict in _report_conclusions(found)]
    weak = [verdict for verdict in conclusions if (verdict.reported_p_value or 0.0) > SIGNIFICANCE_LEVEL]
    strong = [verdict for verdict in conclusions if verdict not in weak]
    return (
        f"{games:,} games, {seconds / 60:.0f} minutes of thinking time. The reports draw {len(conclusions)} "
        f"conclusions from differences between their scores. {len(weak)} of these differences are not significant at "
        f"the 5 % level; our verdicts on them: {_answers(weak)}. Our verdicts on the other {len(strong)}: "
        f"{_answers(strong)}. "
        "The [last section](#conclusions) lists them all.\n"
    )


def _answers(found: Sequence[Verdict]) -> str:
    counts = {answer: sum(verdict.answer == answer for verdict in found) for answer in ANSWERS}
    return ", ".join(f"{count} {answer}" for answer, count in counts.items() if count)


def _findings(found: list[tuple[Experiment, Study]]) -> str:
    lines = [f"- [{one.name}](#{one.name}): {one.headline}" for one, _ in found if one.headline]
    return "\n".join(["Main findings:\n", *lines, ""])


def _section(experiment: Experiment, study: Study, folder: str) -> str:
    lines = [f'<a id="{experiment.name}"></a>\n', f"### {experiment.title or experiment.question}\n"]
    if experiment.headline:
        lines.append(f"{experiment.headline}.\n")
    if experiment.title:
        lines.append(f"*{experiment.question}*\n")
    lines.append("| " + " | ".join(headings(study)) + " |")
    lines.append("|---" + "|---:" * (len(headings(study)) - 1) + "|")
    for row in study.rows:
        name, *numbers = cells(study, row)
        lines.append("| " + " | ".join([name, *(number.replace(" ", UNBROKEN) for number in numbers)]) + " |")
    lines.append(f"\n![{experiment.question}]({folder}/{study.name}.svg)\n")
    lines += [f"- **{answer}**:{rest}" for answer, rest in map(_split_answer, verdicts(experiment, study))]
    if experiment.notes:
        lines.append(f"\n{experiment.notes}")
    table = f"Table in the report: {experiment.table}. " if experiment.table else ""
    source = f"`{study.command}`, seed {study.seed}, version {study.version}"
    lines.append(f"\n{table}{source}, {study.seconds:.0f} s of thinking time.\n")
    return "\n".join(lines)


def _conclusions(found: list[tuple[Experiment, Study]]) -> str:
    """Return the table of the reports' conclusions with their p-values and our results."""
    lines = ['<a id="conclusions"></a>\n', "## All conclusions of the reports\n"]
    lines.append("| report | conclusion | reported difference | p-value | our result |")
    lines.append("|---|---|---:|---:|---|")
    for one, verdict in _report_conclusions(found):
        number = f"[{one.report[:3]}](#{one.name})"
        reported, p = verdict.reported_difference or 0.0, p_text(verdict.reported_p_value or 0.0)[2:].removeprefix("= ")
        lines.append(f"| {number} | {verdict.claim.says} | {100 * reported:+.1f} | {p} | {_our_result(verdict)} |")
    return "\n".join([*lines, ""])


def _our_result(verdict: Verdict) -> str:
    """Return the answer with our difference."""
    if verdict.difference is None:
        return verdict.answer
    if verdict.interval is None:
        return f"{verdict.answer}: {100 * verdict.difference:+.1f}"
    low, high = (100 * end for end in verdict.interval)
    return f"{verdict.answer}: {100 * verdict.difference:+.1f} ({low:+.1f} to {high:+.1f})"


def _split_answer(verdict: Verdict) -> tuple[str, str]:
    answer, _, rest = verdict.text.partition(":")
    return answer, rest


def headings(study: Study) -> list[str]:
    """Return the column titles of a study's table."""
    reported = _reported_titles(study)
    scores = [title for title, key in (("report", "score"), ("report games", "games")) if key in reported]
    titles = [f"{title} (report)" if title in reported else title for title in _titles(study)]
    return ["", "score", "games", *scores, *titles]


def cells(study: Study, row: StudyRow) -> list[str]:
    """Return a row of the table as text."""
    line = [row.name, _score_text(row), f"{row.games:,}" if row.games else ""]
    reported = _reported_titles(study)
    line += [_share(row.reported.get("score"))] if "score" in reported else []
    line += [number_text(row.reported.get("games"))] if "games" in reported else []
    for title in _titles(study):
        number = row.reported.get(title)
        beside = "" if number is None else f"({number_text(number)})"
        line.append(f"{number_text(row.numbers.get(title))} {beside}".strip())
    return line


def _score_text(row: StudyRow) -> str:
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
