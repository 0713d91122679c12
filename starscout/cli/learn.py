"""`starscout learn GAME`: learn an evaluation by self-play, from the rules alone."""

from typing import Annotated

from starscout.cli.output import console, print_result
from starscout.settings.schema import File, GameName, Games, Json, Minutes, Report, Seed, Setting, Workers


def learn(
    game: GameName,
    *,
    minutes: Minutes | None = None,
    games: Annotated[
        Games | None, Setting("Games per generation, instead of --minutes, for a reproducible run.")
    ] = None,
    recipe: Annotated[File | None, Setting("Repeat the recipe and the seed of a weights file.", metavar="FILE")] = None,
    out: Annotated[File | None, Setting("Weights file to write (default GAME.weights).", metavar="FILE")] = None,
    report: Report | None = None,
    seed: Seed = 0,
    workers: Workers | None = None,
    json: Json = False,
) -> None:
    """Learn an evaluation by self-play.

    Writes a weights file, which any search loads with `eval=./GAME.weights`. The same command resumes an interrupted
    run.
    """
    import starscout
    from starscout.api.running import duration

    result = starscout.learn(game, minutes=minutes, games=games, recipe=recipe, out=out, seed=seed, workers=workers)
    if report is not None:
        result.report(report)
    print_result(result, json)
    if json:
        return
    console().print(f"{result.file} written after {duration(result.seconds)}. Measure its strength with:")
    named = result.file if result.file.is_absolute() else f"./{result.file}"
    console().print(
        f"  starscout match {game} 'negascout eval={named}' 'negascout eval=zero' --time 0.05", soft_wrap=True
    )
