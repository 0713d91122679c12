"""`starscout learn GAME`: learns an evaluation by self-play, from the rules alone."""

from pathlib import Path
from typing import Annotated

import typer

from starscout.cli.support.command_options import GameName, Json, Seed, Workers
from starscout.cli.support.output import console, print_result


def command(
    game: GameName,
    minutes: Annotated[float | None, typer.Option(min=0.01, help="How long it learns (default 10).")] = None,
    games: Annotated[
        int | None, typer.Option(min=1, help="Games per generation, instead of --minutes: the run is then repeatable.")
    ] = None,
    recipe: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Repeat the recipe and the seed of a weights file.")
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="The weights file (default GAME.weights).")] = None,
    report: Annotated[str | None, typer.Option(metavar="FILE", help="Write an HTML report with the history.")] = None,
    seed: Seed = 0,
    workers: Workers = None,
    json: Json = False,
) -> None:
    """Learn an evaluation by self-play and write it to a file that `eval=./GAME.weights` names in any search.

    The same command continues an interrupted run.
    """
    import starscout
    from starscout.api.running import duration

    keywords = {"minutes": minutes, "games": games, "recipe": recipe, "out": out, "seed": seed, "workers": workers}
    result = starscout.learn(game, **keywords)
    if report is not None:
        result.report(report)
    print_result(result, json)
    if json:
        return
    console().print(f"{result.file} is written, after {duration(result.seconds)}. What is it worth?")
    named = result.file if result.file.is_absolute() else f"./{result.file}"
    console().print(
        f"  starscout match {game} 'negascout eval={named}' 'negascout eval=zero' --time 0.05", soft_wrap=True
    )
