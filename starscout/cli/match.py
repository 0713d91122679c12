"""`starscout match GAME A B`: is A stronger than B?"""

import sys
from typing import Annotated

import typer

from starscout.cli.support.command_options import GameName, RunOptions, takes
from starscout.cli.support.output import console, print_result


@takes(RunOptions)
def command(
    game: GameName,
    first: Annotated[str, typer.Argument(metavar="A", help="A player: a preset, a search and its options, a program.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Its opponent.")],
    pairs: Annotated[
        int | None, typer.Option(min=1, help="Pairs of games (default 100; with --sprt at most 20,000).")
    ] = None,
    sprt: Annotated[
        tuple[float, float] | None, typer.Option(metavar="E0 E1", help="Stop when A is better by E1 Elo, or not by E0.")
    ] = None,
    sprt_luck: Annotated[bool, typer.Option("--sprt-luck", help="The test looks at luck-adjusted pairs.")] = False,
    report: Annotated[str | None, typer.Option(metavar="FILE", help="Write an HTML report.")] = None,
    *,
    options: RunOptions,
) -> None:
    """Play pairs of games with the same dice and swapped seats until it is clear who is stronger.

    The same command continues an interrupted match, and shows a finished one from the store.
    """
    import starscout

    try:
        result = starscout.match(game, first, second, pairs=pairs, sprt=sprt, sprt_luck=sprt_luck, **options.settings)
    except starscout.Interrupted as stop:
        # What was finished is stored; the same command goes on from there.
        print_result(stop.result, options.json)
        raise
    for note in result.notes:
        print(f"starscout: {note}", file=sys.stderr)
    print_result(result, options.json)
    if result.resumed and not options.json:
        console().print(f"{result.resumed} of these pairs were in the store already (match {result.match}).")
    if report is not None:
        result.report(report)
    if result.hopeless is not None:
        loser = result.a if result.hopeless == "A" else result.b
        print(f"starscout: {loser} never made a move: {result.first_forfeit}", file=sys.stderr)
        raise typer.Exit(1)
