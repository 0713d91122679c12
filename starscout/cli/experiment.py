"""`starscout experiment [NAME|FILE]`: lists or runs a study."""

from pathlib import Path
from typing import Annotated

import typer

from starscout.cli.support.command_options import Cluster, Json, StoreFile, Workers
from starscout.cli.support.output import console, print_result


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

    The same command continues an interrupted experiment. An experiment of yours is a file of the same form.
    """
    import starscout

    if page is not None:
        console().print(starscout.list_experiments().page(page))
        return
    if name is None:
        print_result(starscout.list_experiments(), json)
        return
    result = starscout.experiment(name, quick=quick, workers=workers, cluster=cluster, store=store)
    if save is not None:
        result.save(save)
    if report is not None:
        result.report(report)
    print_result(result, json)
