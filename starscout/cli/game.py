"""`starscout game -p0 A -p1 B -r N`: the course referee for programs that speak the course protocols."""

import secrets
import sys
from typing import Annotated

import typer

from starscout.cli.support.announcer import Announcer
from starscout.cli.support.command_options import RoundOptions, takes
from starscout.cli.support.ending import leave_nobody_behind
from starscout.cli.support.output import print_json


@takes(RoundOptions)
def command(
    first: Annotated[str, typer.Option("-p0", metavar="A", help="A program of the game's protocol, or a SPEC.")],
    second: Annotated[str, typer.Option("-p1", metavar="B", help="Its opponent.")],
    rounds: Annotated[int, typer.Option("-r", min=1, help="How many rounds.")] = 1,
    game: Annotated[str, typer.Option("--game", help="ewn-cyclic, kari, ewn or othello.")] = "ewn-cyclic",
    placement: Annotated[
        str, typer.Option(help="For ewn: random, or free (as each side answers to `ini`).")
    ] = "random",
    *,
    options: RoundOptions,
) -> None:
    """Referee a match between two programs as the course did.

    The limits are the course's: 2 s per ply for ewn-cyclic, 10 s for kari and othello, 60 s per game for ewn.
    """
    from starscout import games
    from starscout.api.running import opened_store
    from starscout.arena.director import Bout, goal_of_games, run
    from starscout.arena.live import LiveRunner
    from starscout.arena.plan import MatchPlan
    from starscout.protocols.process import is_program
    from starscout.protocols.registry import course_of
    from starscout.protocols.tcg_ewn import check_placement, placed
    from starscout.spec import make_player

    rules = games.load(game)
    protocol, course = course_of(rules)
    check_placement(placement, rules)
    limit = options.limit(course.limit)
    leave_nobody_behind()
    specs = [f"{protocol.name}:{text}" if is_program(text) else text for text in (first, second)]
    names = first, second if second != first else f"{second} (2)"
    players = {name: make_player(spec, rules) for name, spec in zip(names, specs, strict=True)}
    for name, player in players.items():
        player.name = name
    plan = MatchPlan(game, *names, limit, options.seed, schedule=course.schedule, event=secrets.token_hex(8))
    announcer = Announcer(rules, {name: name for name in names}, options.records)
    try:
        with opened_store(options.store) as opened:
            bout = Bout(opened, plan, goal_of_games(rounds))
            arrange = placed if placement == "free" else None
            run([bout], LiveRunner(players, watch=announcer, arrange=arrange), opened)
    finally:
        for player in players.values():
            player.close()
    if options.json:
        print_json(bout.summary())
        return
    counts = bout.tally.results
    for seat, name, score in (("p0", first, 1.0), ("p1", second, 0.0)):
        sys.stdout.write(f"{seat} {name}: {counts[score]} wins, {counts[1 - score]} losses, {counts[0.5]} draws\n")
