"""`starscout tournament GAME PLAYER…`: ranks many players."""

from pathlib import Path
from typing import Annotated

import typer

from starscout.cli.support.command_options import GameName, RunOptions, takes
from starscout.cli.support.output import print_result


@takes(RunOptions)
def command(
    game: GameName,
    players: Annotated[list[str] | None, typer.Argument(metavar="PLAYER…", help="The players, each in quotes.")] = None,
    players_file: Annotated[
        Path | None, typer.Option("--players", help="A file of players: name,command,folder, one line each.")
    ] = None,
    round_robin: Annotated[bool, typer.Option("--round-robin", help="Everybody meets everybody.")] = False,
    swiss: Annotated[int | None, typer.Option(min=1, metavar="N", help="A Swiss of N rounds.")] = None,
    gauntlet: Annotated[bool, typer.Option("--gauntlet", help="The first player meets each of the others.")] = False,
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of games in each meeting.")] = 5,
    report: Annotated[str | None, typer.Option(metavar="FILE", help="Write an HTML report.")] = None,
    *,
    options: RunOptions,
) -> None:
    """Play a tournament and rank its players; a round of a Swiss has ten games unless --pairs says otherwise.

    The same command continues an interrupted tournament.
    """
    import starscout

    if not (round_robin or gauntlet or swiss is not None):
        raise starscout.GameError("say how the players meet: one of --round-robin, --swiss N and --gauntlet")
    meeting = {"round_robin": round_robin, "swiss": swiss, "gauntlet": gauntlet}
    try:
        result = starscout.tournament(game, players_file or players or [], **meeting, pairs=pairs, **options.settings)
    except starscout.Interrupted as stop:
        # What was finished is stored; the same command goes on from there.
        print_result(stop.result, options.json)
        raise
    print_result(result, options.json)
    if report is not None:
        result.report(report)
