"""`starscout tune GAME SPEC --parameters …`: improves parameters by play."""

from typing import Annotated

import typer

from starscout.cli.support.command_options import GameName, RunOptions, takes
from starscout.cli.support.output import console, print_result


@takes(RunOptions)
def command(
    game: GameName,
    player: Annotated[str, typer.Argument(metavar="SPEC", help="A player; {name} marks the place of a parameter.")],
    parameters: Annotated[str, typer.Option(help="name=start:low:high, with commas between several.")],
    steps: Annotated[int, typer.Option(min=1, help="Steps of the search.")] = 100,
    pairs: Annotated[int, typer.Option(min=1, help="Pairs of games a step.")] = 16,
    report: Annotated[str | None, typer.Option(metavar="FILE", help="Write an HTML report with the history.")] = None,
    *,
    options: RunOptions,
) -> None:
    """Improve parameters of a player by SPSA: play shifted players against each other and follow the winners.

    The same command continues an interrupted tuning.
    """
    import starscout

    try:
        result = starscout.tune(game, player, parameters, steps=steps, pairs=pairs, **options.settings)
    except starscout.Interrupted as stop:
        # The steps so far are stored; the same command goes on from there.
        print_result(stop.result, options.json)
        raise
    print_result(result, options.json)
    if not options.json:
        question = f"Is it better?  starscout match {game} '{result.player}' '{result.start}' --sprt 0 10"
        same = "It ends where it started: more steps, or more pairs for each, may find a difference"
        console().print(same if result.player == result.start else question, soft_wrap=True)
    if report is not None:
        result.report(report)
