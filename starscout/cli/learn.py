"""`starscout learn GAME`: learns an evaluation by self-play, from the rules alone."""

from pathlib import Path
from typing import Annotated

import typer

from starscout.cli.support.command_options import GameName, Json, Seed, Workers
from starscout.cli.support.output import console, print_json


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

    The same command goes on with an interrupted learning.
    """
    from starscout import games as all_games
    from starscout.api.progress import redrawn
    from starscout.api.running import duration
    from starscout.arena.workers import LocalRunner, default_workers
    from starscout.evaluate.weights_file import ENDING, read_learned
    from starscout.game import GameError
    from starscout.learn.learning import Learning
    from starscout.learn.recipe import recipe_for, recipe_from_json

    if sum(option is not None for option in (minutes, games, recipe)) > 1:
        raise GameError("--minutes, --games and --recipe exclude each other")
    rules = all_games.load(game)
    file = out or Path(f"{rules.name}{ENDING}")
    if file.suffix != ENDING:
        raise GameError(f"{file}: the name of a weights file ends in {ENDING}")
    if file.exists():
        raise GameError(f"{file} exists already: name another file with --out, or delete it")
    chosen = recipe_for(rules)
    if recipe is not None:
        stored = read_learned(recipe).learned
        chosen, seed = recipe_from_json(stored["recipe"]), int(stored["seed"])
    elif games is not None:
        chosen = chosen.with_games(games)
    processes = workers or default_workers()
    redraw = [lambda: None]
    time = None if games or recipe else minutes or 10.0
    learning = Learning(game, file, chosen, seed, time, lambda: redraw[0]())

    def draw() -> str:
        return _text(learning)

    runner = LocalRunner(processes)
    try:
        with redrawn(draw) as redraw[0]:
            learning.run(runner, processes)
    finally:
        runner.close()
    generations = [
        {name: getattr(done, name) for name in ("generation", "games", "positions", "error", "score", "score_error")}
        for done in learning.history
    ]
    if report is not None:
        from starscout.learn.learning_report import learning_report
        from starscout.views.report import write_report

        write_report(learning_report(read_learned(file), str(file)), report)
    if json:
        print_json({"generations": generations, "file": str(file), "seconds": learning.seconds})
        return
    console().print(_text(learning))
    console().print(f"{file} is written, after {duration(learning.seconds)}. What is it worth?")
    named = file if file.is_absolute() else f"./{file}"
    console().print(
        f"  starscout match {game} 'negascout eval={named}' 'negascout eval=zero' --time 0.05", soft_wrap=True
    )


def _text(learning: object) -> str:
    """The generations so far, and what the present one does."""
    from starscout.learn.learning import Learning

    assert isinstance(learning, Learning)
    lines = [
        f"generation {done.generation}: {done.games:,} games, {done.positions:,} positions, error {done.error:.4f}, "
        f"score {done.score:.1%} ± {done.score_error:.1%}" + ("" if done.champion else " (the one before stays)")
        for done in learning.history
    ]
    if not learning.finished:
        now = learning.progress
        errors = " ".join(f"{error:.4f}" for error in now.errors[-5:])
        lines.append(
            f"generation {now.generation} of {len(learning.recipe.generations)}: {now.doing} {now.share:.0%}, "
            f"{now.games:,} games{', error ' + errors if errors else ''}"
        )
    return "\n".join(lines)
