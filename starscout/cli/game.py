"""`starscout game -p0 A -p1 B -r N`: the course referee for programs that speak the raw protocols."""

from typing import Annotated

import typer

from starscout.cli import rounds as shared
from starscout.cli.output import print_json


def command(
    first: Annotated[str, typer.Option("-p0", metavar="A", help="A program of the game's protocol, or a SPEC.")],
    second: Annotated[str, typer.Option("-p1", metavar="B", help="Its opponent.")],
    rounds: Annotated[int, typer.Option("-r", min=1, help="How many rounds.")] = 1,
    game: Annotated[str, typer.Option("--game", help="ewn-cyclic, kari, ewn or othello.")] = "ewn-cyclic",
    placement: Annotated[
        str, typer.Option(help="For ewn: random, or free (as each side answers to `ini`).")
    ] = "random",
    time: shared.Time = None,
    game_time: shared.GameTime = None,
    increment: shared.Increment = 0.0,
    seed: shared.Seed = 0,
    records: shared.Records = None,
    json: shared.Json = False,
) -> None:
    """Referee a match between two programs as the course did.

    The limits are the course's: 2 s a ply for ewn-cyclic, 10 s for kari and othello, 60 s a game for ewn.
    """
    from starscout import games
    from starscout.protocols.courses import course_of, course_player
    from starscout.protocols.placement import check_placement, placed
    from starscout.referee.rounds import play_rounds

    rules = games.load(game)
    course = course_of(rules)
    check_placement(placement, rules)
    limit = shared.chosen_limit(time, game_time, increment, course.limit)
    shared.leave_nobody_behind()
    players = course_player(first, rules), course_player(second, rules)
    try:
        arrange = placed if placement == "free" else None
        match = play_rounds(rules, players, (limit, limit), rounds, course.seating, seed, arrange)
        standing, played = shared.follow(rules, (first, second), match, records)
    finally:
        for player in players:
            player.close()
    if json:
        print_json(shared.summary(standing, played))
        return
    for number, name in enumerate((first, second)):
        losses = standing.wins[1 - number]
        print(f"p{number} {name}: {standing.wins[number]} wins, {losses} losses, {standing.draws} draws")
