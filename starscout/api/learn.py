"""`starscout.learn`: an evaluation learned by self-play, from the rules alone.

The HTML report of a learning: its recipe, its generations, and the curves of error and strength.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starscout import games as all_games
from starscout.api.interrupt import Interrupted
from starscout.api.progress import redrawn
from starscout.api.result import Picture, PlottedResult
from starscout.api.running import game_name
from starscout.arena.workers import LocalRunner, default_workers
from starscout.drawing import charts
from starscout.evaluation.weights import ENDING, read_learned
from starscout.game import Game
from starscout.learning.recipe import recipe_for, recipe_from_json
from starscout.learning.training import Learning
from starscout.settings.arguments import checked
from starscout.settings.schema import File, Games, Minutes, Progress, Seed, SettingError, Workers, exclusive
from starscout.views.report import write_report

if TYPE_CHECKING:
    from rich.console import RenderableType

from collections.abc import Mapping

from starscout.drawing.charts import Band, lines
from starscout.evaluation.weights import LearnedWeights
from starscout.views.elements import Markup, combined, heading, paragraph, quoted, table
from starscout.views.elements import table as html_table
from starscout.views.report import saved_page


def learning_report(weights: LearnedWeights, file: str) -> str:
    """The report of the learning that made a weights file."""
    learned = weights.learned
    recipe, generations = learned["recipe"], learned["generations"]
    settings = [(name, value) for name, value in recipe.items() if name != "generations"]
    errors, scores = ([done[name] for done in generations] for name in ("error", "score"))
    about = f": {weights.game}, {weights.model} on {weights.features}, seed {learned['seed']}"
    parts = [
        Markup(f"<h1>{combined('Learning ', weights.game)}</h1>"),
        paragraph(quoted(file), about, kind="faint"),
        table(
            ("generation", "depth", "games", "positions", "error", "score against the champion before", "champion"),
            [_row(step, done) for step, done in zip(recipe["generations"], generations, strict=False)],
        ),
        heading("Error on positions held out"),
        Markup(lines([Band("error", errors)], "generation", "root mean square error of values")),
        heading("Score against the champion before"),
        Markup(lines([Band("score", scores)], "generation", "score", level=0.5, percent=True)),
        heading("Recipe"),
        table(("", ""), settings),
    ]
    return saved_page(f"Learning {weights.game}", combined(*parts))


def _row(step: Mapping[str, Any], done: Mapping[str, Any]) -> tuple[Any, ...]:
    score = f"{done['score']:.1%} ± {done['score_error']:.1%}"
    became = "yes" if done["champion"] else "no"
    return done["generation"], step["depth"], done["games"], done["positions"], f"{done['error']:.4f}", score, became


DEFAULT_MINUTES = 10.0


@dataclass(frozen=True)
class LearnedGeneration:
    """One round of play, fit and comparison.

    >>> LearnedGeneration(1, 1000, 20000, 0.21, 0.8, 0.03, champion=True).score
    0.8
    """

    generation: int
    games: int
    positions: int
    error: float
    """Of the fit, on positions that it has not seen."""
    score: float
    """Against the generation before."""
    score_error: float
    champion: bool
    """Whether it replaces the one before."""


@dataclass(frozen=True, repr=False)
class LearnResult(PlottedResult):
    """The generations of a learning, and the file of its weights.

    >>> from pathlib import Path
    >>> first = LearnedGeneration(1, 10, 200, 0.2, 0.8, 0.1, champion=True)
    >>> result = LearnResult((first,), Path("mine.weights"), seconds=1.0)
    >>> result.json()["generations"][0]["games"]
    10
    """

    generations: tuple[LearnedGeneration, ...]
    file: Path
    """What `eval=./FILE` names in any search."""
    seconds: float
    now: str = ""
    """What the present generation does, while it is learned."""

    def json(self) -> dict[str, Any]:
        """The fields of `starscout learn --json`."""
        rows = [{name: value for name, value in row.items() if name != "champion"} for row in self.rows()]
        return {"generations": rows, "file": str(self.file), "seconds": self.seconds}

    def rows(self) -> list[dict[str, Any]]:
        """One row per generation."""
        return [dict(vars(generation)) for generation in self.generations]

    def plot(self) -> Picture:
        """The score of each generation against the one before."""
        names = [f"generation {done.generation}" for done in self.generations]
        errors = [done.score_error for done in self.generations]
        return Picture(charts.chance_bars(names, [done.score for done in self.generations], errors))

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write an HTML report; raises GameError."""
        write_report(learning_report(read_learned(self.file), str(self.file)), os.fspath(path))

    def lines(self) -> list[str]:
        """A line per generation, and what the present one does."""
        said = [
            f"generation {done.generation}: {done.games:,} games, {done.positions:,} positions, "
            f"error {done.error:.4f}, score {done.score:.1%} ± {done.score_error:.1%}"
            + ("" if done.champion else " (the one before stays)")
            for done in self.generations
        ]
        return [*said, self.now] if self.now else said

    def __rich__(self) -> "RenderableType":
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        curve = self.plot().svg if self.generations else ""
        return f"<div>{html_table(('',), [[line] for line in self.lines()], inline=True)}{curve}</div>"

    def __repr__(self) -> str:
        return f"<{len(self.generations)} generations learned, {self.file}>"


@checked
def learn(
    game: str | Game,
    *,
    minutes: Minutes | None = None,
    games: Games | None = None,
    recipe: File | None = None,
    out: File | None = None,
    seed: Seed = 0,
    workers: Workers | None = None,
    progress: Progress = True,
) -> LearnResult:
    """Learn an evaluation by self-play, and write it to a file that `eval=./GAME.weights` names in any search.

    It learns for `minutes` (10), or `games` per generation, or by the `recipe` and the seed of a weights file; the last
    two are repeatable. The same call continues an interrupted run; Ctrl-C raises `Interrupted`. Raises
    GameError.

    >>> try:
    ...     learn("ewn", minutes=1, games=100)
    ... except GameError as error:
    ...     print(error)
    pass only one of minutes, games, recipe
    """
    exclusive(minutes=minutes, games=games, recipe=recipe)
    name = game_name(game)
    rules = all_games.load(name)
    file = Path(out) if out is not None else Path(f"{rules.name}{ENDING}")
    if file.suffix != ENDING:
        raise SettingError("{}", ("out",), f": expected a file name ending in {ENDING}, got '{file}'")
    if file.exists():
        raise SettingError("{}", ("out",), f": {file} exists already; name another file, or delete it")
    chosen = recipe_for(rules)
    if recipe is not None:
        stored = read_learned(Path(recipe)).learned
        chosen, seed = recipe_from_json(stored["recipe"]), int(stored["seed"])
    elif games is not None:
        chosen = chosen.with_games(games)
    processes = workers or default_workers()
    redraw = [lambda: None]
    time = None if games or recipe else minutes or DEFAULT_MINUTES
    learning = Learning(name, file, chosen, seed, time, lambda: redraw[0]())
    runner = LocalRunner(processes)
    try:
        with redrawn(lambda: _result(learning, file), shown=progress) as redraw[0]:
            learning.run(runner, processes)
    except KeyboardInterrupt as stop:
        raise Interrupted(_result(learning, file)) from stop
    finally:
        runner.close()
    return _result(learning, file)


def _result(learning: Learning, file: Path) -> LearnResult:
    done = tuple(
        LearnedGeneration(
            past.generation, past.games, past.positions, past.error, past.score, past.score_error, past.champion
        )
        for past in learning.history
    )
    if learning.finished:
        return LearnResult(done, file, learning.seconds)
    now = learning.progress
    rounds: tuple[Any, ...] = learning.recipe.generations
    errors = " ".join(f"{error:.4f}" for error in now.errors[-5:])
    doing = (
        f"generation {now.generation} of {len(rounds)}: {now.doing} {now.share:.0%}, "
        f"{now.games:,} games{', error ' + errors if errors else ''}"
    )
    return LearnResult(done, file, learning.seconds, doing)
