"""`starscout results`: lists, compares and exports stored matches, and writes reports."""

import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from starscout.cli.support.command_options import Json, StoreFile
from starscout.cli.support.output import console, print_json
from starscout.cli.support.running import opened_store
from starscout.cli.support.tables import cross_table, elo_text, standings_table

if TYPE_CHECKING:
    from starscout.arena.store import Store, StoredMatch


def command(
    numbers: Annotated[list[int] | None, typer.Argument(metavar="MATCH…", help="Only these matches.")] = None,
    game: Annotated[str | None, typer.Option(help="Only matches of this game, by name or by file.")] = None,
    player: Annotated[str | None, typer.Option(help="Only matches of players whose description contains this.")] = None,
    export: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the games: .csv, .json or .parquet.")
    ] = None,
    report: Annotated[str | None, typer.Option(metavar="FILE", help="Write an HTML report of the one match.")] = None,
    tournament: Annotated[
        int | None, typer.Option(metavar="N", help="Show tournament N (with --report: its report).")
    ] = None,
    forfeits: Annotated[bool, typer.Option("--forfeits", help="List every forfeit with its reason.")] = False,
    store: StoreFile = None,
    json: Json = False,
) -> None:
    """List stored matches side by side, export their games, write reports."""
    from starscout import games
    from starscout.arena.plan import resolved_game

    if game is not None and games.is_file(game):
        # Whoever names the file here wants its games read.
        game, _ = resolved_game(game)
    with opened_store(store, existing=True) as opened:
        if tournament is not None:
            _show_tournament(opened, tournament, report, json)
            return
        chosen = [opened.match(number) for number in numbers] if numbers else opened.matches()
        chosen = [match for match in chosen if _fits(match, game, player)]
        if report is not None:
            _report_match(opened, chosen, report)
        if export is not None:
            from starscout.arena.export import export as write

            count = write(opened, chosen, export)
            if not json:
                console().print(f"{count} games written to {export}")
        if forfeits:
            _print_forfeits(opened, chosen)
            return
        summaries = [_summary(opened, match) for match in chosen]
        if json:
            print_json({"matches": summaries, "tournaments": [_described(*row) for row in opened.tournaments()]})
        elif export is None and report is None:
            _print_table(summaries, opened)


def _fits(match: "StoredMatch", game: str | None, player: str | None) -> bool:
    described = (match.plan.first, match.plan.second)
    return game in (None, match.plan.game) and (player is None or any(player in text for text in described))


def _summary(store: "Store", match: "StoredMatch") -> dict[str, Any]:
    from starscout.arena.director import goal_from_json
    from starscout.arena.tally import Tally

    tally, goal = Tally(), goal_from_json(match.goal)
    for record in store.counted_pairs(match):
        tally.add(record)
    return {
        "match": match.id,
        "game": match.plan.game,
        "a": match.plan.first,
        "b": match.plan.second,
        "seed": match.plan.seed,
        "created": datetime.datetime.fromtimestamp(match.created, datetime.UTC).isoformat(timespec="seconds"),
        "finished": match.counted is not None,
        "current_code": match.current,
        "wanted": goal.pairs,
        **tally.summary(goal.sprt, goal.adjusted),
        "seconds": match.seconds,
    }


def _described(number: int, description: dict[str, Any], created: float) -> dict[str, Any]:
    date = datetime.datetime.fromtimestamp(created, datetime.UTC).isoformat(timespec="seconds")
    return {"tournament": number, "created": date, **description}


def _print_table(summaries: list[dict[str, Any]], store: "Store") -> None:
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    for heading in ("match", "game", "A", "B", "pairs", "score of A", "95 %", "luck-adjusted", "Elo", ""):
        table.add_column(heading, justify="left" if heading in ("game", "A", "B", "") else "right")
    for row in summaries:
        low, high = row["score_interval"]
        luck = row["luck_adjusted"]
        note = "" if row["finished"] else f"of {row['wanted']}, unfinished"
        note += "" if row["current_code"] else " (earlier code)"
        adjusted = "" if luck is None else f"{luck['score']:.1%} ± {luck['score_error']:.1%}"
        estimate = (
            f"{row['score']:.1%}",
            f"{low:.1%} to {high:.1%}",
            adjusted,
            elo_text(row["elo"], 1 if row["score"] > 0.5 else -1),
            note.strip(),
        )
        table.add_row(str(row["match"]), row["game"], row["a"], row["b"], str(row["pairs"]), *estimate)
    console().print(table)
    for number, description, _ in store.tournaments():
        players = len(description["players"])
        console().print(f"tournament {number}: {description['kind']} of {players} players, {description['game']}")


def _print_forfeits(store: "Store", chosen: "list[StoredMatch]") -> None:

    for match in chosen:
        names = {"A": match.plan.first, "B": match.plan.second}
        for pair in store.counted_pairs(match):
            details = pair.details()
            for half, detail in enumerate(details):
                loser = pair.forfeiter(half)
                if loser is not None:
                    where = f"match {match.id}, pair {pair.pair}, game {half}"
                    print(f"{where}: {names[loser]}: {pair.reasons[half]}: {detail}")


def _report_match(store: "Store", chosen: "list[StoredMatch]", path: str) -> None:
    from starscout.game import GameError
    from starscout.web.report import match_report, write_report

    if len(chosen) != 1:
        raise GameError(f"a report is about one match, and these are {len(chosen)}: name one by its number")
    write_report(match_report(store, chosen[0]), path)
    console(stderr=True).print(f"report written to {path}")


def _show_tournament(store: "Store", number: int, report: str | None, json: bool) -> None:
    from starscout.arena.tournament import stored_standings
    from starscout.web.report import tournament_report, write_report

    plan, standings = stored_standings(store, number)
    if report is not None:
        write_report(tournament_report(store, plan, standings), report)
    if json:
        print_json({"table": standings.table(), "rounds": standings.rounds(), "tournament": number})
        return
    console().print(standings_table(standings))
    console().print(cross_table(standings))
