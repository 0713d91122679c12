"""The page of all studies: for each table the report's numbers beside ours, a plot, and what the evidence supports.

`starscout experiment --page docs/reports.md` writes it from the studies in the folder `docs/reports` beside it; the
plots go into that folder. Whatever is on the page comes from an experiment's file or from its study.

The view of an experiment: what the page shows while it is played, and what its report saves.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starscout.arena.statistics import Z_95
from starscout.drawing import charts
from starscout.experiments.experiment import Experiment, experiment_names, find_experiment
from starscout.experiments.stored_study import StoredStudy
from starscout.experiments.study import Study, StudyRow, load_study
from starscout.experiments.verdict import ANSWERS, RISK, Verdict, percent, verdicts
from starscout.game import GameError
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


GREY = "#767676"
"""A colour that can be read on light and on dark pages."""

UNBROKEN = "\N{NO-BREAK SPACE}"
"""A number and its unit stay on one line."""

INTRODUCTION = """# The five reports, asked again

Five course reports are the reason for this project. Each closes with tables of a few dozen games and draws conclusions
from them. Here every table is played again, with at least ten times the games, in pairs with the same dice and swapped
seats; the intervals are 95 %. A filled dot is ours, a hollow diamond is the report's.

Every number on this page is in a file of `docs/reports`, together with the command, the seed and the version that made
it. Run such a command yourself: the limits are plies, nodes or simulations, so the games repeat exactly on any machine
(times do not). The page is written from those files by `starscout experiment --page docs/reports.md`.

What was not fixed before the first game: limits and sizes were cut to the time there was. The rows against hard of
004-variance were played on from 300 to 800 games because 300 left them undecided. The row of 002-evaluation with 4
plies, the claim about c = 1 and the verdict "no real difference" (within 5 points) were added after scores had been
seen.
"""


def saved_studies(folder: Path) -> list[tuple[Experiment, Study]]:
    """The experiments of this package that have a study in a folder. Raises GameError."""
    experiments = map(find_experiment, experiment_names())
    return [(one, study) for one in experiments if (study := load_study(one, folder)) is not None]


def write_page(path: Path) -> str:
    """Write the page and its plots; returns a sentence about what is on it. Raises GameError."""
    folder = path.with_suffix("")
    found = saved_studies(folder)
    if not found:
        raise GameError(f"there is no study in {folder}: run an experiment with --save {folder}")
    for _, study in found:
        (folder / f"{study.name}.svg").write_text(plot_file(study), encoding="utf-8")
    path.write_text(page_text(found, folder.name), encoding="utf-8")
    return f"{path}: {len(found)} studies"


def page_text(found: list[tuple[Experiment, Study]], folder: str) -> str:
    """The page of some studies whose plots are in a folder beside it."""
    parts = [INTRODUCTION, _summary(found), _surprises(found)]
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
        parts.append(f"## Not played yet\n\n{', '.join(f'`{name}`' for name in missing)}\n")
    return "\n".join(parts)


def _told(found: list[tuple[Experiment, Study]]) -> list[tuple[Experiment, Verdict]]:
    """The conclusions that a report draws from a difference between numbers of its own."""
    judged = [(experiment, verdict) for experiment, study in found for verdict in verdicts(experiment, study)]
    return [(one, verdict) for one, verdict in judged if verdict.by_chance is not None and not verdict.claim.same]


def _summary(found: list[tuple[Experiment, Study]]) -> str:
    games = sum(row.games for _, study in found for row in study.rows)
    seconds = sum(study.seconds for _, study in found)
    told = [verdict for _, verdict in _told(found)]
    chance = [verdict for verdict in told if (verdict.by_chance or 0.0) > RISK]
    return (
        f"{games:,} games, {seconds / 60:.0f} minutes of thinking. The reports draw {len(told)} conclusions from a "
        f"difference between their numbers. {len(chance)} of these differences are such that chance alone, among "
        f"equals, produces them or larger ones in more than one of twenty studies of that size: {_answers(chance)}. "
        f"Of the other {len(told) - len(chance)}: {_answers([one for one in told if one not in chance])}. "
        "[All of them](#conclusions) are at the end of the page.\n"
    )


def _answers(judged: Sequence[Verdict]) -> str:
    counts = {answer: sum(verdict.answer == answer for verdict in judged) for answer in ANSWERS}
    return ", ".join(f"{count} {answer}" for answer, count in counts.items() if count)


def _surprises(found: list[tuple[Experiment, Study]]) -> str:
    lines = [f"- [{one.name}](#{one.name}): {one.headline}" for one, _ in found if one.headline]
    return "\n".join(["What surprised us:\n", *lines, ""])


def _section(experiment: Experiment, study: Study, folder: str) -> str:
    lines = [f'<a id="{experiment.name}"></a>\n', f"### {experiment.headline or experiment.question}\n"]
    if experiment.headline:
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
    table = f"The report's table: {experiment.table}. " if experiment.table else ""
    lines.append(
        f"\n{table}`{study.command}`, seed {study.seed}, version {study.version}, {study.seconds:.0f} s of thinking.\n"
    )
    return "\n".join(lines)


def _conclusions(found: list[tuple[Experiment, Study]]) -> str:
    """The conclusions of the reports, each with what chance does and what came out here."""
    lines = ['<a id="conclusions"></a>\n', "## The conclusions of the reports, one by one\n"]
    lines.append("| report | it concludes | from a difference of | which chance alone reaches in | here |")
    lines.append("|---|---|---:|---:|---|")
    for one, verdict in _told(found):
        number = f"[{one.report[:3]}](#{one.name})"
        told, chance = verdict.reported_difference or 0.0, percent(verdict.by_chance or 0.0)
        lines.append(f"| {number} | {verdict.claim.says} | {100 * told:+.1f} | {chance} | {_here(verdict)} |")
    return "\n".join([*lines, ""])


def _here(verdict: Verdict) -> str:
    """The answer, with our difference."""
    if verdict.difference is None:
        return verdict.answer
    size = "" if verdict.error is None else f" ± {100 * verdict.error:.1f}"
    return f"{verdict.answer}: {100 * verdict.difference:+.1f}{size}"


def _split_answer(verdict: Verdict) -> tuple[str, str]:
    answer, _, rest = verdict.sentence.partition(":")
    return answer, rest


def headings(study: Study) -> list[str]:
    """The headings of a study's table: what the report says stands beside what came out here."""
    told = _reported_titles(study)
    scores = [title for title, key in (("report", "score"), ("its games", "games")) if key in told]
    titles = [f"{title} (report)" if title in told else title for title in _titles(study)]
    return ["", "score", "games", *scores, *titles]


def cells(study: Study, row: StudyRow) -> list[str]:
    """A row of the table as text."""
    line = [row.name, _score_text(row), f"{row.games:,}" if row.games else ""]
    told = _reported_titles(study)
    line += [_share(row.reported.get("score"))] if "score" in told else []
    line += [number_text(row.reported.get("games"))] if "games" in told else []
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
    """The columns beside games and scores, of ours and of the report."""
    titles = [title for row in study.rows for title in (*row.numbers, *row.reported)]
    return [title for title in dict.fromkeys(titles) if title not in ("games", "score")]


def _reported_titles(study: Study) -> set[str]:
    return {title for row in study.rows for title in row.reported}


def _share(score: float | None) -> str:
    return "" if score is None else f"{100 * score:.1f} %"


def number_text(number: float | None) -> str:
    """A number of a column in about four digits: large ones in full, huge ones in thousands or millions."""
    if number is None:
        return ""
    for size, letter in ((1_000_000, "M"), (1000, "k")):
        if abs(number) >= max(100_000, size):
            return f"{number / size:,.4g} {letter}"
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"


def figure(study: Study) -> str:
    """The plot of a study as SVG."""
    return charts.estimates(
        [
            charts.Estimate(row.name, row.score, row.score_error, row.reported.get("score"), _told_error(row))
            for row in study.rows
        ]
    )


def plot_file(study: Study) -> str:
    """The plot for a file of its own, which has no colour from the page around it."""
    return figure(study).replace("<svg ", f'<svg color="{GREY}" ', 1)


def _told_error(row: StudyRow) -> float | None:
    """The half-width of the 95 % interval of the report's score, from its number of games."""
    score, games = row.reported.get("score"), row.reported.get("games")
    if score is None or not games:
        return None
    return Z_95 * math.sqrt(score * (1 - score) / games)
