"""`starscout match GAME A B`: play a match between two players."""

import sys
from typing import Annotated, Unpack

import typer

from starscout.cli.output import console, print_result, printed_if_interrupted
from starscout.settings.schema import GameName, Json, Pairs, Report, RunSettings, Setting


def command(
    game: GameName,
    first: Annotated[str, Setting("A player: a preset, a search with options, or a program.", metavar="A")],
    second: Annotated[str, Setting("Its opponent.", metavar="B")],
    *,
    pairs: Annotated[Pairs | None, Setting("Pairs of games (default 100; with --sprt at most 20,000).")] = None,
    sprt: Annotated[
        tuple[float, float] | None,
        Setting("Sequential test of H0 (E0 Elo) against H1 (E1 Elo); stops when one is accepted.", metavar="E0 E1"),
    ] = None,
    sprt_luck: Annotated[bool, Setting("Test luck-adjusted pairs.")] = False,
    report: Report | None = None,
    json: Json = False,
    **settings: Unpack[RunSettings],
) -> None:
    """Play a match between two players.

    Games are played in pairs with the same dice and swapped seats. The same command resumes an interrupted match and
    shows a finished one from the store.
    """
    import starscout

    with printed_if_interrupted(json):
        result = starscout.match(game, first, second, pairs=pairs, sprt=sprt, sprt_luck=sprt_luck, **settings)
    for note in result.notes:
        print(f"starscout: {note}", file=sys.stderr)
    print_result(result, json)
    if result.resumed and not json:
        console().print(f"{result.resumed} of these pairs were already in the store (match {result.match}).")
    if report is not None:
        result.report(report)
    if result.failing_player is not None:
        loser = result.a if result.failing_player == "A" else result.b
        print(f"starscout: {loser} never made a move: {result.first_forfeit}", file=sys.stderr)
        raise typer.Exit(1)
