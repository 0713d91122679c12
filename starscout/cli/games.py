"""`starscout games`: list the games."""

from starscout.cli.output import print_result
from starscout.settings.schema import Json


def command(*, json: Json = False) -> None:
    """List the games."""
    import starscout

    print_result(starscout.list_games(), json)
