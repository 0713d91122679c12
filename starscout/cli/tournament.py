"""`starscout tournament GAME PLAYER…`: ranks many players."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from starscout.cli import arena as shared
from starscout.cli.output import console, print_json

if TYPE_CHECKING:
    from rich.table import Table

    from starscout.arena.director import Bout
    from starscout.arena.standings import Standings


def command(
    game: Annotated[str, typer.Argument(help="A game by name, or a file like ./my_game.py.")],
    players: Annotated[list[str], typer.Argument(metavar="PLAYER…", help="The players, each in quotes.")],
    round_robin: Annotated[bool, typer.Option("--round-robin", help="Everybody meets everybody.")] = False,
    swiss: Annotated[int | None, typer.Option(min=1, metavar="N", help="A Swiss of N rounds.")] = None,
    gauntlet: Annotated[bool, typer.Option("--gauntlet", help="The first player meets each of the others.")] = False,
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of games in each meeting.")] = 5,
    time: shared.Time = None,
    game_time: shared.GameTime = None,
    depth: shared.Depth = None,
    nodes: shared.Nodes = None,
    simulations: shared.Simulations = None,
    seed: shared.Seed = 0,
    workers: shared.Workers = None,
    cluster: shared.Cluster = None,
    opening_plies: shared.OpeningPlies = None,
    luck: shared.Luck = None,
    store: shared.StoreFile = None,
    report: Annotated[str | None, typer.Option(metavar="FILE", help="Write an HTML report.")] = None,
    json: shared.Json = False,
) -> None:
    """Play a tournament and rank its players; a round of a Swiss has ten games unless --pairs says otherwise.

    The same command goes on with an interrupted tournament.
    """
    from starscout import games
    from starscout.arena.batch import warm
    from starscout.arena.plan import judge_text, make_plan
    from starscout.arena.tournament import GAUNTLET, ROUND_ROBIN, SWISS, Tournament, TournamentPlan
    from starscout.game import GameError

    if round_robin + gauntlet + (swiss is not None) != 1:
        raise GameError("say how the players meet: one of --round-robin, --swiss N and --gauntlet")
    kind = ROUND_ROBIN if round_robin else GAUNTLET if gauntlet else SWISS
    limit = shared.make_limit(time, game_time, depth, nodes, simulations)
    plans = [make_plan(game, player, player, limit, seed, opening_plies, luck) for player in dict.fromkeys(players)]
    judge = judge_text(games.load(game), luck, players)
    plan = TournamentPlan(game, tuple(players), kind, swiss or 1, pairs, limit, seed, plans[0].opening_plies, judge)
    with shared.opened_store(store) as opened:
        tournament = Tournament(plan, opened)
        under_way: list[Bout] = []

        def show() -> None:
            if json:
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

        def draw() -> str:
            played, wanted = sum(bout.counted for bout in under_way), sum(bout.goal.pairs for bout in under_way)
            latest = tournament.standings.played[-1].round if tournament.standings.played else 1
            return f"round {latest}: {played} of {wanted} pairs" if under_way else "starting"

        try:
            # Compile here, once: the workers then load what they need.
            for single in plans:
                warm(single)
            with shared.opened_runner(workers, cluster, players) as runner, shared.live(draw) as redraw:

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
            from starscout.arena.report import tournament_report, write_report

            write_report(tournament_report(plan, tournament.standings), report)


def standings_table(standings: "Standings") -> "Table":
    """The final table for people."""
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    for heading in ("rank", "player", "games", "points", "opponents' points", "Elo"):
        table.add_column(heading, justify="left" if heading == "player" else "right")
    for row in standings.table():
        error = "" if row["elo_error"] is None else f" ± {row['elo_error']:.0f}"
        points = (f"{row['score']:g}", f"{row['opponents_score']:g}")
        table.add_row(str(row["rank"]), row["player"], str(row["games"]), *points, f"{row['elo']:+.0f}{error}")
    return table


def cross_table(standings: "Standings") -> "Table":
    """Who scored how many per cent against whom, for people: rows and columns by rank."""
    from rich.table import Table

    order = standings.order()
    scores = standings.cross_table()
    table = Table(box=None, header_style="bold")
    table.add_column("rank", justify="right")
    for rank in range(1, len(order) + 1):
        table.add_column(str(rank), justify="right")
    for rank, player in enumerate(order, 1):
        cells = ["·" if (score := scores[player][other]) is None else f"{100 * score:.0f}" for other in order]
        table.add_row(str(rank), *cells)
    return table
