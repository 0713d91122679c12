"""`starscout tournament GAME PLAYER…`: play a tournament and rank its players."""

from pathlib import Path
from typing import Annotated, Unpack

from starscout.cli.output import print_result, printed_if_interrupted
from starscout.settings.schema import GameName, Json, Pairs, Report, RoundRobin, RunSettings, Setting, Swiss


def command(
    game: GameName,
    players: Annotated[list[str] | None, Setting("The players, each in quotes.", metavar="PLAYER…")] = None,
    *,
    players_file: Annotated[
        Path | None, Setting("CSV file of players: name,command,folder.", flags=("--players",), metavar="FILE")
    ] = None,
    round_robin: RoundRobin = False,
    swiss: Swiss | None = None,
    gauntlet: Annotated[bool, Setting("The first player meets each of the others.")] = False,
    pairs: Annotated[Pairs, Setting("Pairs of games per pairing.")] = 5,
    report: Report | None = None,
    json: Json = False,
    **settings: Unpack[RunSettings],
) -> None:
    """Play a tournament and rank its players.

    Choose --round-robin, --swiss N or --gauntlet. The same command resumes an interrupted tournament.
    """
    import starscout

    if not (round_robin or gauntlet or swiss is not None):
        raise starscout.GameError("pass one of --round-robin, --swiss, --gauntlet")
    formats = {"round_robin": round_robin, "swiss": swiss, "gauntlet": gauntlet}
    with printed_if_interrupted(json):
        result = starscout.tournament(game, players_file or players or [], **formats, pairs=pairs, **settings)
    print_result(result, json)
    if report is not None:
        result.report(report)
