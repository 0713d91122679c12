"""`starscout game -p0 A -p1 B -r N`: the course referee for programs that speak the raw protocols."""

from pathlib import Path
from typing import Annotated

import typer

from starscout.cli.output import print_json


def command(
    first: Annotated[str, typer.Option("-p0", metavar="A", help="A program of the game's protocol, or a SPEC.")],
    second: Annotated[str, typer.Option("-p1", metavar="B", help="Its opponent.")],
    rounds: Annotated[int, typer.Option("-r", min=1, help="How many rounds.")] = 1,
    game: Annotated[str, typer.Option("--game", help="ewn-cyclic, kari, ewn or othello.")] = "ewn-cyclic",
    time: Annotated[float | None, typer.Option(min=0.001, help="Seconds a move (default: the course's).")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Numbers the boards and the dice.")] = 0,
    records: Annotated[Path | None, typer.Option(help="Append the games to this file, one JSON object a line.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object for programs.")] = False,
) -> None:
    """Referee a match between two programs as the course did.

    The limits are the course's: 2 s a ply for ewn-cyclic, 10 s for kari and othello, 60 s a game for ewn.
    """
    from starscout import games
    from starscout.cli.rounds import follow, leave_nobody_behind, summary
    from starscout.protocols.courses import course_of, course_player
    from starscout.referee.rounds import play_rounds
    from starscout.search.limits import Limit

    rules = games.load(game)
    course = course_of(rules)
    limit = course.limit if time is None else Limit(time=time)
    leave_nobody_behind()
    players = course_player(first, rules), course_player(second, rules)
    try:
        match = play_rounds(rules, players, (limit, limit), rounds, course.seating, seed)
        standing, played = follow(rules, (first, second), match, records)
    finally:
        for player in players:
            player.close()
    if json:
        print_json(summary(standing, played))
        return
    for number, name in enumerate((first, second)):
        losses = standing.wins[1 - number]
        print(f"p{number} {name}: {standing.wins[number]} wins, {losses} losses, {standing.draws} draws")
