"""`starscout cache`: show or clear the cache of compiled kernels."""

from typing import Annotated

from starscout.cli.output import print_result
from starscout.settings.schema import Json, Setting


def command(*, clear: Annotated[bool, Setting("Delete all compiled kernels.")] = False, json: Json = False) -> None:
    """Show or clear the cache of compiled kernels."""
    import starscout

    print_result(starscout.cache(clear=clear), json, soft_wrap=True)
