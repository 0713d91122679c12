"""`starscout experiment [NAME|FILE]`: lists or runs a study."""

from pathlib import Path
from typing import Annotated

import typer

from starscout.cli.support.command_options import Cluster, Json, StoreFile, Workers
from starscout.cli.support.output import console, print_json, print_result


def command(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME|FILE", help="An experiment; without one: the list.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A taste in about a minute.")] = False,
    save: Annotated[
        Path | None, typer.Option("--save", metavar="FOLDER", help="Write the numbers to FOLDER/NAME.json.")
    ] = None,
    report: Annotated[str | None, typer.Option(metavar="FILE", help="Write an HTML report.")] = None,
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
    import starscout

    if page is not None:
        from starscout.experiments.page import write_page

        console().print(write_page(page))
        return
    if name is None:
        _list(json)
        return
    result = starscout.experiment(name, quick=quick, workers=workers, cluster=cluster, store=store)
    if save is not None:
        result.save(save)
    if report is not None:
        result.report(report)
    print_result(result, json)


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
