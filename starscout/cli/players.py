"""`starscout players [GAME]`: list the presets."""

from typing import Annotated

from starscout.cli.output import print_result
from starscout.settings.schema import GameName, Json, Setting


def command(
    game: Annotated[GameName | None, Setting("List only the players of this game.")] = None, *, json: Json = False
) -> None:
    """List the presets and configurable players."""
    import starscout

    print_result(starscout.list_players(game), json)
