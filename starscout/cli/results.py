"""`starscout results`: list, compare and export stored matches."""

from typing import Annotated

from starscout.cli.output import console, print_json, print_result, standard_output
from starscout.settings.schema import File, GameName, Json, Report, Setting, StoreFile


def command(
    numbers: Annotated[list[int] | None, Setting("Only these matches.", metavar="MATCH…")] = None,
    *,
    game: Annotated[GameName | None, Setting("Only matches of this game, by name or file.")] = None,
    player: Annotated[str | None, Setting("Only matches with a player whose description contains this text.")] = None,
    export: Annotated[File | None, Setting("Write the games: .csv, .json or .parquet.", metavar="FILE")] = None,
    report: Annotated[Report | None, Setting("Write an HTML report of a single match.")] = None,
    tournament: Annotated[int | None, Setting("Show tournament N, or write its --report.", metavar="N")] = None,
    forfeits: Annotated[bool, Setting("List every forfeit with its reason.")] = False,
    store: StoreFile | None = None,
    json: Json = False,
) -> None:
    """List, export and report stored matches."""
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
            raise starscout.GameError(f"--report: expected one match, got {len(found.matches)}: select one by number")
        found.matches[0].report(report)
        console(stderr=True).print(f"report written to {report}")
    if export is not None:
        count = found.export(export)
        if not json:
            console().print(f"{count} games written to {export}")
    if forfeits:
        for line in (line for match in found.matches for line in match.forfeited()):
            print(line, file=standard_output())
    elif json:
        print_json(found.json())
    elif export is None and report is None:
        print_result(found, json)
