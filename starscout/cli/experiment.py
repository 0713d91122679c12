"""`starscout experiment [NAME|FILE]`: lists or runs a study."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from starscout.cli.support.command_options import Cluster, Json, StoreFile, Workers
from starscout.cli.support.output import console, print_json

if TYPE_CHECKING:
    from starscout.api.running import ChosenSettings
    from starscout.arena.director import Bout
    from starscout.arena.workers import Runner
    from starscout.experiments.experiment import Experiment
    from starscout.experiments.study import Study


def command(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME|FILE", help="An experiment; without one: the list.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A taste in about a minute.")] = False,
    save: Annotated[
        Path | None, typer.Option("--save", metavar="FOLDER", help="Write the numbers to FOLDER/NAME.json.")
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option("--page", metavar="FILE", help="Write the page of all saved studies, like docs/reports.md."),
    ] = None,
    workers: Workers = None,
    cluster: Cluster = None,
    store: StoreFile = None,
    json: Json = False,
) -> None:
    """List the experiments, or play one and say what its numbers show.

    The same command goes on with an interrupted experiment. An experiment of yours is a file of the same form.
    """
    from starscout.api.running import ChosenSettings
    from starscout.experiments.experiment import find_experiment

    if page is not None:
        from starscout.experiments.page import write_page

        console().print(write_page(page))
        return
    if name is None:
        _list(json)
        return
    experiment = find_experiment(name)
    study = _run(experiment, quick, ChosenSettings(workers=workers, cluster=cluster, store=store))
    if save is not None:
        study.save(save)
    if json:
        print_json(_as_json(experiment, study))
    else:
        _print(experiment, study)


def _list(json: bool) -> None:
    from rich.table import Table

    from starscout.experiments.experiment import experiment_names, find_experiment

    experiments = [find_experiment(name) for name in experiment_names()]
    if json:
        rows = [
            {"name": one.name, "question": one.question, "report": one.report, "games": one.games}
            for one in experiments
        ]
        print_json({"experiments": rows})
        return
    table = Table(box=None, header_style="bold")
    for heading in ("experiment", "question", "games"):
        table.add_column(heading, justify="right" if heading == "games" else "left")
    for one in experiments:
        table.add_row(one.name, one.question, f"{one.games:,}")
    console().print(table)


def _run(experiment: "Experiment", quick: bool, settings: "ChosenSettings") -> "Study":
    """Play it, with its progress shown."""
    from starscout.api.progress import redrawn
    from starscout.api.running import Pace, opened_runner, opened_store
    from starscout.experiments.conduct import conduct

    under_way: list[Bout] = []
    pace = Pace()

    def draw() -> str:
        counted, wanted = sum(bout.counted for bout in under_way), sum(bout.goal.pairs for bout in under_way)
        now = next((bout.plan for bout in under_way if not bout.finished), None)
        playing = "" if now is None else f", now {now.first} against {now.second}"
        return f"{experiment.name}: {counted} of {wanted} pairs, {pace.text(*under_way)}{playing}"

    specs = [*experiment.players.values(), *(spec for duel in experiment.duel for spec in (duel.first, duel.second))]
    specs = [experiment.players.get(spec, spec) for spec in specs if spec]
    with opened_store(settings.store) as opened, redrawn(draw) as redraw:

        def watch(bouts: "Sequence[Bout]") -> None:
            under_way[:] = bouts
            redraw()

        def runner() -> "AbstractContextManager[Runner]":
            return opened_runner(experiment.game, specs, settings)

        return conduct(experiment, opened, runner, quick=quick, watch=watch)


def _as_json(experiment: "Experiment", study: "Study") -> dict[str, Any]:
    import dataclasses

    from starscout.experiments.page import figure
    from starscout.experiments.verdict import verdicts

    found = verdicts(experiment, study)
    return {
        "name": study.name,
        "question": experiment.question,
        "quick": study.quick,
        "rows": [dataclasses.asdict(row) for row in study.rows],
        "verdict": " ".join(verdict.sentence for verdict in found),
        "verdicts": [{**dataclasses.asdict(verdict), "sentence": verdict.sentence} for verdict in found],
        "figures": [{"title": experiment.question, "svg": figure(study)}],
        "seed": study.seed,
        "version": study.version,
        "seconds": study.seconds,
    }


def _print(experiment: "Experiment", study: "Study") -> None:
    from rich.table import Table

    from starscout.experiments.page import cells, headings
    from starscout.experiments.verdict import verdicts

    console().print(experiment.question)
    table = Table(box=None, header_style="bold")
    for number, heading in enumerate(headings(study)):
        table.add_column(heading, justify="right" if number else "left")
    for row in study.rows:
        table.add_row(*cells(study, row))
    console().print(table)
    for verdict in verdicts(experiment, study):
        console().print(verdict.sentence)
