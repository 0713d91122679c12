"""`starscout bench`: how fast this machine is, and one number that changes when the rules or the searches do."""

from typing import Annotated

import typer

from starscout.cli.support.output import print_result


def command(
    quick: Annotated[bool, typer.Option("--quick", help="A tenth of the time.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Measure perft and random games of every game, and print the fingerprint: the nodes of a fixed set of searches."""
    import starscout

    print_result(starscout.bench(quick=quick), json)
