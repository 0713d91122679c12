"""`starscout players [GAME]`: list the presets."""

from typing import Annotated

from starscout.cli.output import print_result
from starscout.settings.schema import GameName, Json, Setting


def command(
    game: Annotated[GameName, Setting("List only the players of this game.")] | None = None, *, json: Json = False
) -> None:
    """List the presets, and the searches that take options."""
    import starscout

    print_result(starscout.list_players(game), json)
