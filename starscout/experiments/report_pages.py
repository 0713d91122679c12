"""Markdown pages of the saved studies: an overview, and one page per report, in every language.

`starscout experiment --page docs/reports.md` reads the studies in `docs/reports`, and their replications in
`docs/reports/seed-N`. It writes the overview, `docs/reports/000.md` and so on, the plots, and the same pages in Chinese
in `docs/zh`. Texts that are not part of an experiment file are in `texts/`.
"""

import functools
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starscout.drawing import charts
from starscout.experiments.experiment import FOLDER, Experiment, experiment_names, find_experiment
from starscout.experiments.page import GREY, cells, headings, plot_file, score_text
from starscout.experiments.provenance import Provenance
from starscout.experiments.runner import Study, StudyRow, load_study, report_only_row
from starscout.experiments.verdict import ANSWERS, SIGNIFICANCE_LEVEL, Verdict, p_text, verdicts
from starscout.game import GameError

ENGLISH, CHINESE = "en", "zh"
UNBROKEN = "\N{NO-BREAK SPACE}"
"""Keeps a number and its unit on one line."""
UNPLAYED = "not_played"
"""Phrase in place of an answer."""
BEYOND = "beyond"
"""Page of the experiments that belong to no report."""
FEW_GAMES = 200
"""A conclusion from fewer games per row is replicated with another seed."""
REPLICATIONS = "seed-*"
"""Folders of replications."""


@dataclass(frozen=True, eq=False)
class Saved:
    """An experiment with its study and the replications with other seeds."""

    experiment: Experiment
    study: Study
    replications: tuple[Study, ...] = ()

    @property
    def page(self) -> str:
        """Name of its page, without the ending."""
        return self.experiment.report[:3] or BEYOND

    @functools.cached_property
    def verdicts(self) -> list[Verdict]:
        """Verdicts on its claims."""
        return verdicts(self.experiment, self.study)

    def replicated(self, number: int) -> list[tuple[Study, Verdict]]:
        """Return the verdict on claim `number` in every replication."""
        return [(study, verdicts(self.experiment, study)[number]) for study in self.replications]


class Language:
    """Texts of one language."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.texts: dict[str, Any] = tomllib.loads((FOLDER / "texts" / f"{code}.toml").read_text(encoding="utf-8"))

    def phrase(self, name: str, **values: object) -> str:
        """Return a phrase of the pages with its values."""
        return self.texts["phrase"][name].format(**values)

    def report(self, page: str) -> dict[str, str]:
        """Return the texts about a report."""
        return self.texts["report"][page]

    def __call__(self, text: str) -> str:
        """Translate a text of an experiment file; English if there is no translation."""
        return self.texts.get("text", {}).get(text, text)


@functools.cache
def language(code: str) -> Language:
    """Load the texts of a language."""
    return Language(code)


def saved_studies(folder: Path) -> list[Saved]:
    """Return the built-in experiments with their studies and replications in a folder; raises GameError."""
    found = []
    for experiment in map(find_experiment, experiment_names()):
        study = load_study(experiment, folder) or _unplayed(experiment)
        others = (load_study(experiment, place) for place in sorted(folder.glob(REPLICATIONS)))
        found.append(Saved(experiment, study, tuple(other for other in others if other is not None)))
    return found


def _unplayed(experiment: Experiment) -> Study:
    """Return a study without games, which shows the numbers of the report."""
    rows = tuple(report_only_row(experiment, duel) for duel in experiment.duel)
    return Study(experiment.name, f"starscout experiment {experiment.name}", "", "", experiment.seed, False, 0.0, rows)


def write_pages(path: Path) -> str:
    """Write the overview, the pages of the reports and the plots; return a one-line summary. Raises GameError."""
    folder = path.with_suffix("")
    found = saved_studies(folder)
    if not any(one.study.version for one in found):
        raise GameError(f"{folder}: no studies; run an experiment with --save {folder}")
    for name, text in pages(found, path.stem).items():
        file = path.parent / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return f"{path}: {sum(bool(one.study.version) for one in found)} studies"


def pages(found: Sequence[Saved], stem: str) -> dict[str, str]:
    """Return path → content of every page and plot; the overview is `stem`.md."""
    made = {f"{stem}/{one.study.name}.svg": plot_file(one.study) for one in found}
    for code, start in ((ENGLISH, ""), (CHINESE, f"{CHINESE}/")):
        words = language(code)
        up = "../" * start.count("/")
        made[f"{start}{stem}.md"] = overview(found, words, f"{stem}/", f"{up}{stem}/overview-{code}.svg")
        made[f"{stem}/overview-{code}.svg"] = overview_figure(found, words)
        for page in dict.fromkeys(one.page for one in found):
            chosen = [one for one in found if one.page == page]
            made[f"{start}{stem}/{page}.md"] = report_page(chosen, words, f"{up}../{stem}/" if start else "")
    return made


def conclusions(found: Iterable[Saved]) -> list[tuple[Saved, int, Verdict]]:
    """Return the conclusions that the reports draw from a difference between their own scores."""
    return [
        (one, number, verdict)
        for one in found
        for number, verdict in enumerate(one.verdicts)
        if verdict.reported_p_value is not None and not verdict.claim.same and not verdict.claim.ours
    ]


def changed_verdicts(found: Iterable[Saved]) -> tuple[int, int]:
    """Return how many verdicts were replicated with another seed, and how many of them differ."""
    pairs = [
        (verdict.answer, other.answer)
        for one in found
        for number, verdict in enumerate(one.verdicts)
        for _, other in one.replicated(number)
        if verdict.difference is not None and other.difference is not None
    ]
    return len(pairs), sum(first != second for first, second in pairs)


def unreplicated(found: Iterable[Saved]) -> list[str]:
    """Return the experiments with conclusions from few games per row and without a replication."""
    return [
        one.experiment.name
        for one in found
        if not one.replications
        and any(
            verdict.difference is not None and min(one.study.row(name).games for name in verdict.claim.rows) < FEW_GAMES
            for verdict in one.verdicts
        )
    ]


def overview(found: Sequence[Saved], words: Language, folder: str, figure: str) -> str:
    """Return the overview; pages of the reports are in `folder`."""
    drawn = conclusions(found)
    weak = [verdict for _, _, verdict in drawn if (verdict.reported_p_value or 0.0) > SIGNIFICANCE_LEVEL]
    games = sum(row.games for one in found for row in one.study.rows)
    replicated, changed = changed_verdicts(found)
    missing = unreplicated(found)
    lines = [
        f"# {words.phrase('overview_title')}\n",
        words.phrase("overview_introduction") + "\n",
        words.phrase("overview_count", games=f"{games:,}", conclusions=len(drawn), weak=len(weak)),
        words.phrase("overview_verdicts", answers=_answers([verdict for _, _, verdict in drawn], words)),
        words.phrase("overview_replicated", replicated=replicated, changed=changed),
        words.phrase("overview_unreplicated", few=FEW_GAMES, names=", ".join(map("`{}`".format, missing))) + "\n"
        if missing
        else words.phrase("overview_all_replicated", few=FEW_GAMES) + "\n",
        f"![{words.phrase('overview_figure')}]({figure})\n",
        words.phrase("overview_caption") + "\n",
    ]
    titles = [words.phrase(f"column_{name}") for name in ("report", "topic", "verdicts")]
    lines += ["| " + " | ".join(titles) + " |", "|---|---|---|"]
    for page in dict.fromkeys(one.page for one in found):
        here = [verdict for one in found if one.page == page for verdict in one.verdicts if not verdict.claim.ours]
        shown = _answers(here, words) or words.phrase("no_conclusions")
        lines.append(f"| [{page}]({folder}{page}.md) | {words.report(page)['title']} | {shown} |")
    lines += ["", f"## {words.phrase('conclusions_title')}\n"]
    names = ("report", "conclusion", "reported", "reported_p", "ours")
    lines.append("| " + " | ".join(words.phrase(f"column_{name}") for name in names) + " |")
    lines.append("|---|---|---:|---:|---|")
    for one, _, verdict in drawn:
        p = p_text(verdict.reported_p_value or 0.0)[2:].removeprefix("= ")
        reported = f"{100 * (verdict.reported_difference or 0.0):+.1f}"
        link = f"[{one.page}]({folder}{one.page}.md)"
        lines.append(f"| {link} | {words(verdict.claim.says)} | {reported} | {p} | {_our_result(verdict, words)} |")
    unplayed = [one.experiment.name for one in found if not one.study.version]
    if unplayed:
        lines.append("\n" + words.phrase("missing", names=", ".join(f"`{name}`" for name in unplayed)))
    lines += ["", f"## {words.phrase('method_title')}\n", words.phrase("method").strip() + "\n"]
    return "\n".join(lines)


def overview_figure(found: Sequence[Saved], words: Language) -> str:
    """Return the plot of all conclusions: our difference and the report's."""
    rows = [
        charts.Estimate(
            f"{one.page}: {words(verdict.claim.says)}", verdict.difference, verdict.interval,
            verdict.reported_difference, verdict.reported_interval,
        )
        for one, _, verdict in conclusions(found)
        if not verdict.claim.differ
    ]  # fmt: skip
    keys = words.phrase("key_ours"), words.phrase("key_report")
    drawn = charts.differences(rows, words.phrase("figure_axis"), keys)
    return drawn.replace("<svg ", f'<svg color="{GREY}" ', 1)


def report_page(chosen: Sequence[Saved], words: Language, plots: str) -> str:
    """Return the page of one report; `plots` is the path of the folder with the plots."""
    page = chosen[0].page
    about = words.report(page)
    lines = [f"# {about['title']}\n"]
    if "source" in about:
        lines.append(f"{about['source']}\n")
    claimed = [(one, number) for one in chosen for number in range(len(one.verdicts))]
    theirs = [(one, number) for one, number in claimed if not one.verdicts[number].claim.ours]
    ours = [(one, number) for one, number in claimed if one.verdicts[number].claim.ours]
    if theirs:
        lines += [f"## {words.phrase('short_title')}\n", words.phrase("short_introduction") + "\n"]
        lines += [f"- {_short(one.verdicts[number], words)}" for one, number in theirs]
        lines.append("")
    for part in ("built", "noise"):
        if part in about:
            lines += [f"## {words.phrase(f'{part}_title')}\n", about[part].strip() + "\n"]
    if theirs:
        lines.append(f"## {words.phrase('claims_title')}\n")
        lines += [_card(one, number, words) for one, number in theirs]
    if ours:
        lines.append(f"## {words.phrase('ours_title')}\n")
        for one in dict.fromkeys(one for one, _ in ours):
            setting = words(one.experiment.our_setting)
            title = f"[{words(one.experiment.title or one.experiment.question)}](#{one.experiment.name})"
            lines.append(f"{title}: {setting}\n" if setting else f"{title}\n")
            numbers = [number for other, number in ours if other is one]
            lines += [
                f"- {_short(one.verdicts[number], words)}{_replications(one, number, words)}" for number in numbers
            ]
            lines.append("")
    lines += [f"## {words.phrase('tables_title')}\n", words.phrase("tables_introduction") + "\n"]
    lines += [_details(one, words, plots) for one in chosen]
    return "\n".join(lines)


def _short(verdict: Verdict, words: Language) -> str:
    """Return the verdict on one line."""
    detail = words.phrase("ours") + _difference(verdict.difference, verdict.interval, verdict.p_value, words)
    if verdict.contradicts:
        detail += words.phrase("comma") + words.phrase(_conflict(verdict))
    if verdict.reported_p_value is not None:
        detail += words.phrase("theirs")
        detail += _difference(verdict.reported_difference, None, verdict.reported_p_value, words)
    return words.phrase(
        "short", answer=words.phrase(_answer(verdict)).capitalize(), says=words(verdict.claim.says), detail=detail
    )


def _excluded(one: Saved, verdict: Verdict) -> bool:
    """Whether our interval excludes the report's difference, at equal limits and as printed."""
    if verdict.interval is None or verdict.reported_difference is None or not one.experiment.equal_limits:
        return False
    low, high = (round(end, 3) for end in verdict.interval)
    return not low <= round(verdict.reported_difference, 3) <= high


def _answer(verdict: Verdict) -> str:
    """Return the answer, or UNPLAYED if we have played no games."""
    return UNPLAYED if verdict.difference is None else verdict.answer


def _conflict(verdict: Verdict) -> str:
    """Return the phrase for a result that differs significantly from the report's."""
    return "other size" if verdict.same_direction else "contradicts"


def _card(one: Saved, number: int, words: Language) -> str:
    """Return the card of a claim: settings, scores, differences and p-values of the report and of ours."""
    verdict, experiment = one.verdicts[number], one.experiment
    kind = _answer(verdict).replace(" ", "-").replace("_", "-")
    lines = [f'<div class="verdict {kind}" markdown="1">\n', f"### {_capital(words(verdict.claim.says))}\n"]
    sentence = words.phrase(f"meaning {_answer(verdict)}")
    if verdict.contradicts:
        sentence += " " + words.phrase(f"meaning {_conflict(verdict)}")
    if _excluded(one, verdict):
        phrase = "excluded" if verdict.contradicts else "excluded but compatible"
        sentence += " " + words.phrase(phrase, difference=f"{100 * (verdict.reported_difference or 0.0):+.1f}")
    answer = words.phrase(_answer(verdict)).capitalize()
    lines.append(f"**{answer}{words.phrase('full_stop')}** {sentence}\n")
    head = ["", words.phrase("card_report"), words.phrase("card_ours")]
    head += [words.phrase("card_replication", seed=study.seed) for study, _ in one.replicated(number)]
    extra = len(head) - 3
    lines += ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    lines.append(
        _line(words.phrase("setting"), words(experiment.their_setting), words(experiment.our_setting), *[""] * extra)
    )
    for name in verdict.claim.rows:
        reported = one.study.row(name)
        ours = [_row_text(study.row(name), words) for study in (one.study, *one.replications)]
        lines.append(_line(words(name), _reported_text(reported, words), *ours))
    label = words.phrase(
        "range" if verdict.claim.differ else "difference" if len(verdict.claim.rows) > 1 else "over_even"
    )
    fisher = "" if verdict.fisher_p_value is None else f" (Fisher: {p_text(verdict.fisher_p_value)})"
    theirs = _difference(verdict.reported_difference, verdict.reported_interval, verdict.reported_p_value, words)
    every = [verdict, *(other for _, other in one.replicated(number))]
    lines.append(
        _line(label, theirs + fisher, *(_difference(v.difference, v.interval, v.p_value, words) for v in every))
    )
    if any(v.equivalence_p_value is not None for v in every):
        margin = words.phrase("equivalence", margin=f"{experiment.margin:g}")
        lines.append(_line(margin, "", *(_equivalence(v) for v in every)))
    if verdict.games_needed is not None and not verdict.claim.same:
        lines.append(
            _line(words.phrase("power"), _count(verdict.reported_games), f"{verdict.games_needed:,}", *[""] * extra)
        )
    if extra:
        lines.append(_line(words.phrase("verdict"), "", *(words.phrase(_answer(v)) for v in every)))
    return "\n".join([*lines, "", "</div>\n"])


def _details(one: Saved, words: Language, plots: str) -> str:
    """Return the collapsible table of an experiment with its plot, notes and provenance."""
    experiment, study = one.experiment, one.study
    games = sum(row.games for row in study.rows)
    title = f"{words(experiment.title or experiment.question)} ({words.phrase('games', games=f'{games:,}')})"
    lines = [f'<a id="{experiment.name}"></a>\n', '<details markdown="1">', f"<summary>{title}</summary>\n"]
    if experiment.headline:
        lines.append(
            f"{words(experiment.headline)}.\n" if words.code == ENGLISH else f"{words(experiment.headline)}。\n"
        )
    lines.append(f"*{words(experiment.question)}*\n")
    lines += table(study, words)
    lines.append(f"\n![{words(experiment.question)}]({plots}{study.name}.svg)\n")
    for other in one.replications:
        lines += [words.phrase("replication_table", seed=other.seed) + "\n", *table(other, words), ""]
    if experiment.notes:
        lines.append(f"{words(experiment.notes)}\n")
    if experiment.table:
        lines.append(words.phrase("report_table", table=experiment.table) + "\n")
    lines += [f"{provenance_text(each, experiment, words)}\n" for each in (study, *one.replications)]
    return "\n".join([*lines, "</details>\n"])


def provenance_text(study: Study, experiment: Experiment, words: Language) -> str:
    """Return how a study was made and how to repeat it."""
    if not study.version:
        return words.phrase("missing", names=f"`{study.command}`")
    origin = Provenance(study.date, study.commit, study.machine).text if study.date else words.phrase("unrecorded")
    planned = experiment.games
    played = sum(row.games for row in study.rows)
    digest = study.registration or words.phrase("not_registered")
    return words.phrase(
        "provenance", command=study.command, seed=study.seed, version=study.version, code=study.code[:8], origin=origin,
        registration=digest, played=f"{played:,}", planned=f"{planned:,}", stopping=words(experiment.stopping),
    )  # fmt: skip


def table(study: Study, words: Language) -> list[str]:
    """Return the table of a study as Markdown lines."""
    titles = [words(title) for title in headings(study)]
    lines = ["| " + " | ".join(titles) + " |", "|---" + "|---:" * (len(titles) - 1) + "|"]
    for row in study.rows:
        name, *numbers = cells(study, row)
        lines.append("| " + " | ".join([words(name), *(number.replace(" ", UNBROKEN) for number in numbers)]) + " |")
    return lines


def _answers(found: Sequence[Verdict], words: Language) -> str:
    counts = {answer: sum(_answer(verdict) == answer for verdict in found) for answer in (*ANSWERS, UNPLAYED)}
    separator = ", " if words.code == ENGLISH else "、"
    return separator.join(f"{count} {words.phrase(answer).lower()}" for answer, count in counts.items() if count)


def _our_result(verdict: Verdict, words: Language) -> str:
    if verdict.difference is None:
        return words.phrase(UNPLAYED).capitalize()
    contradicts = f" ({words.phrase(_conflict(verdict))})" if verdict.contradicts else ""
    answer = f"{words.phrase(verdict.answer)}{contradicts}: {100 * verdict.difference:+.1f}"
    if verdict.interval is None:
        return answer
    low, high = (100 * end for end in verdict.interval)
    return f"{answer} ({low:+.1f} … {high:+.1f})"


def _replications(one: Saved, number: int, words: Language) -> str:
    """Return the verdicts of the replications, for the end of a line."""
    texts = [
        words.phrase("replicated", seed=study.seed, verdict=words.phrase(other.answer), result=_difference(
            other.difference, other.interval, other.p_value, words
        ))
        for study, other in one.replicated(number)
    ]  # fmt: skip
    return "".join(f" {text}" for text in texts)


def _difference(
    difference: float | None, interval: tuple[float, float] | None, p: float | None, words: Language
) -> str:
    if difference is None or p is None:
        return words.phrase("not_played")
    shown = f"{100 * difference:+.1f}"
    if interval is not None:
        low, high = (100 * end for end in interval)
        shown += f" ({low:+.1f} … {high:+.1f})"
    return f"{shown}, {p_text(p)}"


def _equivalence(verdict: Verdict) -> str:
    if verdict.elo is None or verdict.equivalence_p_value is None:
        return ""
    return f"{verdict.elo:+.0f} Elo, {p_text(verdict.equivalence_p_value)}"


def _row_text(row: StudyRow, words: Language) -> str:
    return (
        f"{score_text(row)}, {words.phrase('games', games=f'{row.games:,}')}"
        if row.games
        else words.phrase("not_played")
    )


def _reported_text(row: StudyRow, words: Language) -> str:
    if "score" not in row.reported or "games" not in row.reported:
        return ""
    return f"{100 * row.reported['score']:.1f} %, {words.phrase('games', games=_count(row.reported['games']))}"


def _count(number: float | None) -> str:
    return "" if number is None else f"{number:,.0f}"


def _line(*parts: str) -> str:
    return "| " + " | ".join(parts) + " |"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
