"""`starscout results`: lists, compares and exports stored matches, and writes reports."""

from typing import Annotated

import typer

from starscout.cli.support.command_options import Json, StoreFile
from starscout.cli.support.output import console, print_json, print_result, standard_output


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
    import starscout

    if tournament is not None:
        found = starscout.results(store=store).tournament(tournament)
        if report is not None:
            found.report(report)
        print_result(found, json)
        return
    found = starscout.results(*(numbers or ()), game=game, player=player, store=store)
    if report is not None:
        if len(found.matches) != 1:
            count = len(found.matches)
            raise starscout.GameError(f"a report is about one match, and these are {count}: name one by its number")
        found.matches[0].report(report)
        console(stderr=True).print(f"report written to {report}")
    if export is not None:
        count = found.export(export)
        if not json:
            console().print(f"{count} games written to {export}")
    if forfeits:
        for sentence in (sentence for match in found.matches for sentence in match.forfeited()):
            print(sentence, file=standard_output())
    elif json:
        print_json(found.json())
    elif export is None and report is None:
        print_result(found, json)
