"""`starscout judge GAME PORT`: the referee as a server to which two engines connect."""

import sys
from typing import Annotated

import typer

from starscout.cli import rounds as shared
from starscout.cli.output import print_json

USUAL_SECONDS = 10.0
"""For a move, where nothing else is said."""


def command(
    game: Annotated[str, typer.Argument(help="A game by name, or a file like ./my_game.py.")],
    port: Annotated[int, typer.Argument(min=0, max=65535, help="Where engines connect.")],
    rounds: Annotated[int, typer.Option(min=1, help="How many rounds; the engines change sides after each.")] = 2,
    protocol: Annotated[str | None, typer.Option(help="otp (the default for othello) or lab.")] = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    token: Annotated[str | None, typer.Option(help="What lab engines say to be let in (default: a new one).")] = None,
    wait: Annotated[float | None, typer.Option(help="Seconds to wait for both engines (otp: 10, lab: 60).")] = None,
    time: shared.Time = None,
    game_time: shared.GameTime = None,
    increment: shared.Increment = 0.0,
    seed: shared.Seed = 0,
    records: shared.Records = None,
    json: shared.Json = False,
) -> None:
    """Wait for two engines, let them play, and print how often each has won.

    The first to connect has the first side (black, red) in round 1. A bad or late reply over otp loses that round and
    the later ones.
    """
    from starscout.protocols.judge import Judge, MissingEnginesError
    from starscout.referee.rounds import Seating, play_rounds
    from starscout.search.limits import Limit

    shared.leave_nobody_behind()
    with Judge(game, port, host, protocol, token) as judge:
        print(judge.invitation, file=sys.stderr, flush=True)
        try:
            players = judge.wait_for_players(wait)
        except MissingEnginesError as error:
            print(f"starscout: {error}", file=sys.stderr)
            raise typer.Exit(1) from error
        names = players[0].name, players[1].name
        limit = shared.chosen_limit(time, game_time, increment, Limit(time=USUAL_SECONDS))
        match = judge.until_deserted(play_rounds(judge.game, players, (limit, limit), rounds, Seating.PAIRED, seed))
        standing, played = shared.follow(judge.game, names, match, records)
    if json:
        print_json(shared.summary(standing, played))
        return
    for number, name in enumerate(names):
        quits = int(sum(standing.forfeits[number].values()) > 0)
        wins, losses = standing.wins[number], standing.wins[1 - number]
        print(f"NAME:{name} QUIT:{quits} WIN:{wins} LOSE:{losses} DRAW:{standing.draws}")
