"""`starscout judge GAME PORT`: the referee as a server to which engines connect."""

import secrets
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from starscout.cli.support.announcer import Announcer
from starscout.cli.support.command_options import GameName, RoundOptions, takes
from starscout.cli.support.ending import leave_nobody_behind
from starscout.cli.support.output import console, print_json

if TYPE_CHECKING:
    from starscout.arena.tournament import Tournament


@takes(RoundOptions)
def command(
    game: GameName,
    port: Annotated[int, typer.Argument(min=0, max=65535, help="Where engines connect.")],
    rounds: Annotated[int, typer.Option(min=1, help="Games of each meeting; the engines change sides after each.")] = 2,
    engines: Annotated[int, typer.Option(min=2, help="How many engines are waited for.")] = 2,
    round_robin: Annotated[bool, typer.Option("--round-robin", help="Everybody meets everybody.")] = False,
    swiss: Annotated[int | None, typer.Option(min=1, metavar="N", help="A Swiss of N rounds.")] = None,
    boards: Annotated[int, typer.Option(min=1, help="Games at the same time, for engines on other machines.")] = 1,
    protocol: Annotated[str | None, typer.Option(help="otp (the default for othello) or lab.")] = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    token: Annotated[str | None, typer.Option(help="What lab engines say to be let in (default: a new one).")] = None,
    wait: Annotated[float | None, typer.Option(help="Seconds to wait for the engines (otp: 10, lab: 60).")] = None,
    *,
    options: RoundOptions,
) -> None:
    """Wait for engines, let them play, and print how often each has won.

    The first to connect has the first side (black, red) in round 1. A bad or late reply over otp loses that round and
    the later ones. More than two engines play a round robin or a Swiss.
    """
    from starscout.api.running import opened_store
    from starscout.arena.formats import ROUND_ROBIN, SWISS
    from starscout.arena.live import DesertedError, LiveRunner
    from starscout.arena.tournament import Tournament, TournamentPlan
    from starscout.game import GameError
    from starscout.protocols.judge import Judge

    if round_robin and swiss is not None:
        raise GameError("engines play a round robin or a Swiss, not both")
    leave_nobody_behind()
    with Judge(game, port, host, protocol, token) as judge:
        print(judge.invitation, file=sys.stderr, flush=True)
        players = judge.wait_for_players(engines, wait)
        names = tuple(player.name for player in players)
        limit = options.limit(judge.course.limit)
        plan = TournamentPlan(
            game, names, SWISS if swiss else ROUND_ROBIN, swiss or 1, (rounds + 1) // 2, limit, options.seed,
            event=secrets.token_hex(8), games=rounds, schedule=judge.course.schedule,
        )  # fmt: skip
        announcer = Announcer(judge.game, {name: name for name in names}, options.records, meetings=engines > 2)
        runner = LiveRunner(dict(zip(names, players, strict=True)), boards, announcer)
        with opened_store(options.store) as opened:
            tournament = Tournament(plan, opened)
            try:
                tournament.play(runner)
            except DesertedError as error:
                print(f"starscout: {error}", file=sys.stderr)
            finally:
                runner.close()
    _show(tournament, options.json)


def _show(tournament: "Tournament", json: bool) -> None:
    from starscout.api.tables import cross_table, standings_table

    standings = tournament.standings
    if len(standings.players) > 2:
        if json:
            fields = {"table": standings.table(), "rounds": standings.rounds(), "tournament": tournament.id}
            print_json(fields)
        else:
            console().print(standings_table(standings))
            console().print(cross_table(standings))
        return
    (played,) = standings.played
    if json:
        print_json({**played.tally.summary(), "seconds": played.tally.thinking, "match": played.match})
        return
    results, forfeits = played.tally.results, played.tally.forfeits
    lines = {
        player: f"QUIT:{int(bool(forfeits[letter]))} WIN:{results[score]} LOSE:{results[1 - score]} DRAW:{results[0.5]}"
        for player, letter, score in ((played.first, "A", 1.0), (played.second, "B", 0.0))
    }
    for player, name in enumerate(standings.players):
        sys.stdout.write(f"NAME:{name} {lines[player]}\n")
