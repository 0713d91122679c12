"""The page of all studies: for each table the report's numbers beside ours, a plot, and what the evidence supports.

`starscout experiment --page docs/reports.md` writes it from the studies in the folder `docs/reports` beside it; the
plots go into that folder. Whatever is on the page comes from an experiment's file or from its study.
"""

from pathlib import Path

from starscout.drawing import charts
from starscout.experiments.experiment import Experiment, experiment_names, find_experiment
from starscout.experiments.study import Study, StudyRow, load_study
from starscout.experiments.verdict import UNDECIDED, Verdict, verdicts
from starscout.game import GameError

INTRODUCTION = """# The five reports, asked again

Five course reports are the reason for this project. Each closes with tables of a few dozen games and draws conclusions
from them. Here every table is played again, with at least ten times the games, from pairs with the same dice and
swapped seats; the intervals are 95 %. A filled dot is ours, a hollow diamond is the report's.

Every number on this page is in a file of `docs/reports`, together with the command, the seed and the version that made
it. Run such a command yourself: the limits are plies, nodes or simulations, so the games repeat exactly on any machine
(times do not). The page is written from those files by `starscout experiment --page docs/reports.md`.
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
        (folder / f"{study.name}.svg").write_text(figure(study), encoding="utf-8")
    path.write_text(page_text(found, folder.name), encoding="utf-8")
    return f"{path}: {len(found)} studies"


def page_text(found: list[tuple[Experiment, Study]], folder: str) -> str:
    """The page of some studies whose plots are in a folder beside it."""
    judged = [verdict for experiment, study in found for verdict in verdicts(experiment, study)]
    parts = [INTRODUCTION, _summary(found, judged)]
    report = ""
    for experiment, study in found:
        if experiment.report != report:
            report = experiment.report
            parts.append(f"## {report}\n" if report else "## Beyond the reports\n")
        parts.append(_section(experiment, study, folder))
    played = {study.name for _, study in found}
    missing = [name for name in experiment_names() if name not in played]
    if missing:
        parts.append(f"## Not played yet\n\n{', '.join(f'`{name}`' for name in missing)}\n")
    return "\n".join(parts)


def _summary(found: list[tuple[Experiment, Study]], judged: list[Verdict]) -> str:
    games = sum(row.games for _, study in found for row in study.rows)
    seconds = sum(study.seconds for _, study in found)
    told = [verdict for verdict in judged if verdict.by_chance is not None]
    chance = sum((verdict.by_chance or 0.0) > 0.05 for verdict in told)
    answers = {
        answer: sum(verdict.answer == answer for verdict in judged) for answer in ("confirmed", "refuted", UNDECIDED)
    }
    counted = ", ".join(f"{count} {answer}" for answer, count in answers.items())
    return (
        f"{games:,} games, {seconds / 60:.0f} minutes of thinking: of {len(judged)} claims {counted}. Of the "
        f"{len(told)} claims that a report makes with numbers, {chance} rest on a difference that chance alone "
        "produces in more than one of twenty such studies.\n"
    )


def _section(experiment: Experiment, study: Study, folder: str) -> str:
    lines = [f"### {experiment.headline or experiment.question}\n"]
    if experiment.headline:
        lines.append(f"*{experiment.question}*\n")
    lines.append("| " + " | ".join(headings(study)) + " |")
    lines.append("|---" + "|---:" * (len(headings(study)) - 1) + "|")
    lines += ["| " + " | ".join(cells(study, row)) + " |" for row in study.rows]
    lines.append(f"\n![{experiment.question}]({folder}/{study.name}.svg)\n")
    lines += [f"- **{answer}**:{rest}" for answer, rest in map(_split_answer, verdicts(experiment, study))]
    if experiment.notes:
        lines.append(f"\n{experiment.notes}")
    table = f"The report's table: {experiment.table}. " if experiment.table else ""
    lines.append(
        f"\n{table}`{study.command}`, seed {study.seed}, version {study.version}, {study.seconds:.0f} s of thinking.\n"
    )
    return "\n".join(lines)


def _split_answer(verdict: Verdict) -> tuple[str, str]:
    answer, _, rest = verdict.sentence.partition(":")
    return answer, rest


def headings(study: Study) -> list[str]:
    """The headings of a study's table: what the report says stands beside what came out here."""
    return ["", "score", "± 95 %", "games", *_titles(study), *(f"report: {title}" for title in _reported_titles(study))]


def cells(study: Study, row: StudyRow) -> list[str]:
    """A row of the table as text."""
    ours = [_share(row.score), _share(row.score_error), f"{row.games:,}" if row.games else ""]
    numbers = [number_text(row.numbers.get(title)) for title in _titles(study)]
    reported = [
        _share(value) if title == "score" else number_text(value)
        for title in _reported_titles(study)
        for value in [row.reported.get(title)]
    ]
    return [row.name, *ours, *numbers, *reported]


def _titles(study: Study) -> list[str]:
    return list(dict.fromkeys(title for row in study.rows for title in row.numbers))


def _reported_titles(study: Study) -> list[str]:
    return list(dict.fromkeys(title for row in study.rows for title in row.reported))


def _share(score: float | None) -> str:
    return "" if score is None else f"{100 * score:.1f} %"


def number_text(number: float | None) -> str:
    """A number of a column in at most four digits, or in full if it is large."""
    if number is None:
        return ""
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"


def figure(study: Study) -> str:
    """The plot of a study as SVG."""
    return charts.estimates(
        [row.name for row in study.rows],
        [row.score for row in study.rows],
        [row.score_error for row in study.rows],
        [row.reported.get("score") for row in study.rows],
    )
