"""`starscout bench`: measure the speed of this machine and compute the search fingerprint."""

from typing import Annotated

from starscout.cli.output import print_result
from starscout.settings.schema import Json, Setting


def command(*, quick: Annotated[bool, Setting("Take a tenth of the time.")] = False, json: Json = False) -> None:
    """Measure speed and compute the fingerprint.

    Measures perft and random games of every game. The fingerprint is the node count of a fixed set of searches.
    """
    import starscout

    print_result(starscout.bench(quick=quick), json)
