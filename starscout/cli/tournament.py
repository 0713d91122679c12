"""`starscout tournament GAME PLAYER…`: ranks many players."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from starscout.cli.support.command_options import GameName, RunOptions, takes
from starscout.cli.support.output import console, print_json
from starscout.cli.support.players_file import read_players
from starscout.cli.support.running import live, opened_runner, opened_store
from starscout.cli.support.tables import cross_table, rounds_table, standings_table

if TYPE_CHECKING:
    from starscout.arena.director import Bout


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

    The same command goes on with an interrupted tournament.
    """
    from starscout import games
    from starscout.arena.batch import warm
    from starscout.arena.formats import GAUNTLET, ROUND_ROBIN, SWISS
    from starscout.arena.plan import make_plan, meter_text
    from starscout.arena.tournament import Tournament, TournamentPlan
    from starscout.game import GameError

    names, players = read_players(players_file) if players_file else ([], players or [])
    if len(players) < 2:
        raise GameError("a tournament needs at least two players: name them, or a file of them with --players")
    if round_robin + gauntlet + (swiss is not None) != 1:
        raise GameError("say how the players meet: one of --round-robin, --swiss N and --gauntlet")
    kind = ROUND_ROBIN if round_robin else GAUNTLET if gauntlet else SWISS
    limit, seed = options.limit, options.seed
    opening, luck = options.opening_plies, options.luck
    plans = [make_plan(game, player, player, limit, seed, opening, luck) for player in dict.fromkeys(players)]
    meter = meter_text(games.load(game), luck, players)
    contents = {single.first: single.contents for single in plans}
    plan = TournamentPlan(
        plans[0].game, tuple(players), kind, swiss or 1, pairs, limit, seed,
        min(single.opening_plies for single in plans), meter,
        tuple(contents[player] for player in players) if any(contents.values()) else (),
        names=tuple(names),
    )  # fmt: skip
    with opened_store(options.store) as opened:
        tournament = Tournament(plan, opened)
        under_way: list[Bout] = []

        def show() -> None:
            if options.json:
                print_json(
                    {
                        "table": tournament.standings.table(),
                        "rounds": tournament.standings.rounds(),
                        "tournament": tournament.id,
                    }
                )
            else:
                console().print(standings_table(tournament.standings))
                console().print(cross_table(tournament.standings))
                if swiss is not None:
                    console().print(rounds_table(tournament.standings))

        def draw() -> str:
            played, wanted = sum(bout.counted for bout in under_way), sum(bout.goal.pairs for bout in under_way)
            latest = tournament.standings.played[-1].round if tournament.standings.played else 1
            return f"round {latest}: {played} of {wanted} pairs" if under_way else "starting"

        try:
            # Compile here, once: the workers then load what they need.
            for single in plans:
                warm(single)
            with opened_runner(plan.game, options, players) as runner, live(draw) as redraw:

                def watch(bouts: "Sequence[Bout]") -> None:
                    under_way[:] = bouts
                    redraw()

                tournament.play(runner, watch)
        except KeyboardInterrupt:
            # What was finished is stored; the same command goes on from there.
            show()
            raise
        show()
        if report is not None:
            from starscout.web.report import tournament_report, write_report

            write_report(tournament_report(opened, plan, tournament.standings), report)
