"""`starscout experiment [NAME|FILE]`: list the experiments or run one."""

from typing import Annotated

from starscout.cli.output import console, print_result
from starscout.settings.schema import Cluster, File, Json, Report, Setting, StoreFile, Workers


def command(
    name: Annotated[str | None, Setting("An experiment; default: list all.", metavar="NAME|FILE")] = None,
    *,
    quick: Annotated[bool, Setting("Play a small sample in about a minute.")] = False,
    save: Annotated[File | None, Setting("Write the numbers to FOLDER/NAME.json.", metavar="FOLDER")] = None,
    report: Report | None = None,
    page: Annotated[
        File | None, Setting("Write the page of all saved studies, such as docs/reports.md.", metavar="FILE")
    ] = None,
    workers: Workers | None = None,
    cluster: Cluster | None = None,
    store: StoreFile | None = None,
    json: Json = False,
) -> None:
    """List the experiments, or run one.

    A run evaluates the claims of the experiment. The same command resumes an interrupted experiment. Your own
    experiments are files of the same form.
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
