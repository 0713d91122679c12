"""`starscout.experiment`: run an experiment; `list_experiments`: list them."""

import dataclasses
import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starscout.api.progress import Interrupted, redrawn
from starscout.api.result import Picture, PlottedResult, Result, rich_table
from starscout.api.running import Pace, opened_runner, opened_store, pairs_text
from starscout.arena.director import MatchRun
from starscout.arena.export import PlayedMatch
from starscout.arena.workers import Runner
from starscout.errors import public
from starscout.experiments.experiment import Experiment, experiment_names, find_experiment
from starscout.experiments.page import cells, figure, headings, study_report
from starscout.experiments.report_pages import write_pages
from starscout.experiments.runner import StoredStudy, Study, played_matches, run_experiment, stored_study
from starscout.experiments.verdict import verdicts
from starscout.settings.arguments import checked
from starscout.settings.schema import Cluster, File, Pairs, Progress, Seed, StoreFile, Workers
from starscout.views.html import table as html_table
from starscout.views.match import matches_with_progress
from starscout.views.store import write_report

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True, repr=False)
class ExperimentResult(PlottedResult):
    """The rows of an experiment, and the verdict on each claim.

    >>> import dataclasses
    >>> [field.name for field in dataclasses.fields(ExperimentResult)]
    ['experiment', 'study', 'matches']
    """

    experiment: Experiment
    study: Study
    matches: tuple[PlayedMatch, ...] = ()
    """The matches of its duels, with their pairs."""

    @property
    def name(self) -> str:
        """Name of the experiment."""
        return self.study.name

    @property
    def question(self) -> str:
        """The research question."""
        return self.experiment.question

    @property
    def verdict(self) -> str:
        """The verdicts, one sentence per claim."""
        return " ".join(found.text for found in verdicts(self.experiment, self.study))

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout experiment NAME --json`."""
        study, found = self.study, verdicts(self.experiment, self.study)
        return {
            "name": study.name,
            "question": self.question,
            "quick": study.quick,
            "rows": [dataclasses.asdict(row) for row in study.rows],
            "verdict": self.verdict,
            "verdicts": [verdict.to_json() for verdict in found],
            "figures": [{"title": self.question, "svg": figure(study)}],
            "seed": study.seed,
            "registration": study.registration,
            "date": study.date,
            "commit": study.commit,
            "machine": study.machine,
            "version": study.version,
            "seconds": study.seconds,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per duel or player: name, games, score, and the columns of the experiment."""
        return [
            {"name": row.name, "games": row.games, "score": row.score, "score_error": row.score_error, **row.numbers}
            for row in self.study.rows
        ]

    def plot(self) -> Picture:
        """Plot the scores with their 95 % intervals."""
        return Picture(figure(self.study))

    def save(self, folder: File) -> Path:
        """Write the numbers to FOLDER/NAME.json."""
        return self.study.save(Path(folder))

    @public
    def report(self, path: File) -> None:
        """Write an HTML report; raises GameError."""
        stored = StoredStudy(self.experiment, self.study, {}, [])
        write_report(study_report(stored, matches_with_progress(self.matches)), os.fspath(path))

    def __rich__(self) -> "RenderableType":
        from rich.console import Group
        from rich.text import Text

        titles = headings(self.study)
        table = rich_table(titles, [cells(self.study, row) for row in self.study.rows], left=titles[:1])
        sentences = [verdict.text for verdict in verdicts(self.experiment, self.study)]
        fixed = f"registration {self.study.registration}, seed {self.study.seed}"
        return Group(Text(self.question), table, *map(Text, sentences), Text(fixed))

    def _repr_html_(self) -> str:
        table = html_table(headings(self.study), [cells(self.study, row) for row in self.study.rows], inline=True)
        return f"<div><p>{escape(self.question)}</p>{table}<p>{escape(self.verdict)}</p>{self.plot().svg}</div>"

    def __repr__(self) -> str:
        return f"<experiment {self.name}: {self.question}>"


@checked
def experiment(
    name: str,
    *,
    quick: bool = False,
    seed: Seed | None = None,
    pairs: Pairs | None = None,
    workers: Workers | None = None,
    cluster: Cluster | None = None,
    store: StoreFile | None = None,
    progress: Progress = True,
) -> ExperimentResult:
    """Run an experiment, by name or from a file of the same form, and evaluate its claims.

    `quick` plays a small sample in about a minute. `seed` replaces the seed of the experiment, to replicate it; `pairs`
    replaces the number of pairs of every row, to extend it. The same call resumes an interrupted experiment; Ctrl-C
    raises `Interrupted`. Raises GameError.

    >>> try:
    ...     experiment("no-such-experiment")
    ... except GameError as error:
    ...     print("no-such-experiment" in str(error))
    True
    """
    found = find_experiment(name).varied(seed, pairs)
    varied = {"seed": seed, "pairs": pairs}
    under_way: list[MatchRun] = []
    pace = Pace()

    def draw() -> str:
        now = next((match_run.plan for match_run in under_way if not match_run.finished), None)
        playing = "" if now is None else f", now {now.first} against {now.second}"
        return f"{found.name}: {pairs_text(under_way)}, {pace.text(*under_way)}{playing}"

    specs = [*found.players.values(), *(spec for duel in found.duel for spec in (duel.first, duel.second))]
    specs = [found.players.get(spec, spec) for spec in specs if spec]
    with opened_store(store) as opened, redrawn(draw, shown=progress) as redraw:

        def watch(match_runs: Sequence[MatchRun]) -> None:
            under_way[:] = match_runs
            redraw()

        def runner() -> AbstractContextManager[Runner]:
            return opened_runner(found.game, specs, workers, cluster)

        def result(study: Study) -> ExperimentResult:
            changed = "".join(f" --{option} {value}" for option, value in varied.items() if value is not None)
            study = dataclasses.replace(study, command=study.command + changed)
            return ExperimentResult(found, study, tuple(played_matches(opened, found)))

        try:
            return result(run_experiment(found, opened, runner, quick=quick, watch=watch))
        except KeyboardInterrupt as stop:
            so_far = stored_study(opened, found).study
            raise Interrupted(result(dataclasses.replace(so_far, quick=quick))) from stop


@dataclass(frozen=True, repr=False)
class ExperimentList(Result):
    """The built-in experiments.

    >>> "002-depth" in [one["name"] for one in list_experiments().experiments]
    True
    """

    experiments: tuple[dict[str, Any], ...]
    """Name, question, report and number of games of each experiment."""

    def json(self) -> dict[str, Any]:
        """Return the fields of `starscout experiment --json`."""
        return {"experiments": self.rows()}

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per experiment."""
        return [dict(one) for one in self.experiments]

    @public
    def page(self, path: File) -> str:
        """Write the overview of all saved studies, such as docs/reports.md, and the pages of the reports.

        Returns a summary. Raises GameError.
        """
        return write_pages(Path(path))

    def __rich__(self) -> "RenderableType":
        rows = [(one["name"], one["question"], f"{one['games']:,}") for one in self.experiments]
        return rich_table(("experiment", "question", "games"), rows, left=("experiment", "question"))

    def __repr__(self) -> str:
        return f"<{len(self.experiments)} experiments>"


def list_experiments() -> ExperimentList:
    """List the built-in experiments with their questions.

    >>> list_experiments().experiments[0]["games"] > 0
    True
    """
    found = [find_experiment(name) for name in experiment_names()]
    names = ("name", "question", "report", "games")
    return ExperimentList(tuple({name: getattr(one, name) for name in names} for one in found))
