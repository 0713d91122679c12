"""`starscout bench`: measure the speed of this machine and compute the search fingerprint."""

from typing import Annotated

from starscout.cli.output import print_result
from starscout.settings.schema import Json, Setting


def command(*, quick: Annotated[bool, Setting("Take a tenth of the time.")] = False, json: Json = False) -> None:
    """Measure perft and random games of every game, and print the fingerprint: node counts of fixed searches."""
    import starscout

    print_result(starscout.bench(quick=quick), json)
