"""`starscout.learn`: train an evaluation by self-play, from the rules alone; the HTML report of a training run."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starscout import games as all_games
from starscout.api.progress import Interrupted, redrawn
from starscout.api.result import Picture, PlottedResult
from starscout.api.running import game_name
from starscout.arena.director import MatchRun, StoppingRule
from starscout.arena.director import run as run_matches
from starscout.arena.plan import make_plan
from starscout.arena.store import MEMORY, Store
from starscout.arena.workers import LocalRunner, Runner, default_workers
from starscout.drawing import charts
from starscout.drawing.charts import Band, lines
from starscout.evaluation import LEARNED, luck_evaluation, opening_evaluation
from starscout.evaluation.weights import ENDING, LearnedWeights, read_learned
from starscout.game import Game
from starscout.learning.recipe import recipe_from_json
from starscout.learning.training import Match, Training, file_digest, recipe_for
from starscout.search.limits import Limit
from starscout.settings.arguments import checked
from starscout.settings.schema import File, Games, Minutes, Progress, Seed, SettingError, Workers, exclusive
from starscout.views.html import Markup, code_text, concat, heading, paragraph, table
from starscout.views.store import standalone_page, write_report

if TYPE_CHECKING:
    from rich.console import RenderableType

DEFAULT_MINUTES = 10.0


def training_report(weights: LearnedWeights, file: str) -> str:
    """The HTML report of the training run that made a weights file."""
    learned = weights.learned
    recipe, generations = learned["recipe"], learned["generations"]
    settings = [(name, value) for name, value in recipe.items() if name != "generations"]
    errors, scores = ([done[name] for done in generations] for name in ("error", "score"))
    about = f": {weights.game}, {weights.model} on {weights.features}, seed {learned['seed']}"
    parts = [
        Markup(f"<h1>{concat('Learning ', weights.game)}</h1>"),
        paragraph(code_text(file), about, kind="faint"),
        table(
            ("generation", "depth", "games", "positions", "error", "score against the previous champion", "champion"),
            [_row(step, done) for step, done in zip(recipe["generations"], generations, strict=False)],
        ),
        heading("Error on held-out positions"),
        Markup(lines([Band("error", errors)], "generation", "root mean square error of values")),
        heading("Score against the previous champion"),
        Markup(lines([Band("score", scores)], "generation", "score", level=0.5, percent=True)),
        heading("Recipe"),
        table(("", ""), settings),
    ]
    return standalone_page(f"Learning {weights.game}", concat(*parts))


def _row(step: Mapping[str, Any], done: Mapping[str, Any]) -> tuple[Any, ...]:
    score = f"{done['score']:.1%} ± {done['score_error']:.1%}"
    became = "yes" if done["champion"] else "no"
    return done["generation"], step["depth"], done["games"], done["positions"], f"{done['error']:.4f}", score, became


@dataclass(frozen=True)
class LearnedGeneration:
    """A generation: self-play, fit and match.

    >>> LearnedGeneration(1, 1000, 20000, 0.21, 0.8, 0.03, champion=True).score
    0.8
    """

    generation: int
    games: int
    positions: int
    error: float
    """Root mean square error of values on held-out positions."""
    score: float
    """Against the previous champion."""
    score_error: float
    champion: bool
    """Whether it became the champion."""


@dataclass(frozen=True, repr=False)
class LearnResult(PlottedResult):
    """The generations of a training run and its weights file.

    >>> from pathlib import Path
    >>> first = LearnedGeneration(1, 10, 200, 0.2, 0.8, 0.1, champion=True)
    >>> result = LearnResult((first,), Path("mine.weights"), seconds=1.0)
    >>> result.json()["generations"][0]["games"]
    10
    """

    generations: tuple[LearnedGeneration, ...]
    file: Path
    """The weights file; `eval=./FILE` selects it in any search."""
    seconds: float
    now: str = ""
    """The progress of the current generation; empty when the run is finished."""

    def json(self) -> dict[str, Any]:
        """The fields of `starscout learn --json`."""
        rows = [{name: value for name, value in row.items() if name != "champion"} for row in self.rows()]
        return {"generations": rows, "file": str(self.file), "seconds": self.seconds}

    def rows(self) -> list[dict[str, Any]]:
        """One row per generation."""
        return [dict(vars(generation)) for generation in self.generations]

    def plot(self) -> Picture:
        """The score of each generation against the previous champion."""
        names = [f"generation {done.generation}" for done in self.generations]
        errors = [done.score_error for done in self.generations]
        return Picture(charts.probability_bars(names, [done.score for done in self.generations], errors))

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write an HTML report; raises GameError."""
        write_report(training_report(read_learned(self.file), str(self.file)), os.fspath(path))

    def lines(self) -> list[str]:
        """One line per generation, and the progress of the current one."""
        said = [
            f"generation {done.generation}: {done.games:,} games, {done.positions:,} positions, "
            f"error {done.error:.4f}, score {done.score:.1%} ± {done.score_error:.1%}"
            + ("" if done.champion else " (the previous champion stays)")
            for done in self.generations
        ]
        return [*said, self.now] if self.now else said

    def __rich__(self) -> "RenderableType":
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        curve = self.plot().svg if self.generations else ""
        return f"<div>{table(('',), [[line] for line in self.lines()], inline=True)}{curve}</div>"

    def __repr__(self) -> str:
        return f"<{len(self.generations)} generations learned, {self.file}>"


@checked
def learn(
    game: str | Game,
    *,
    minutes: Minutes | None = None,
    games: Games | None = None,
    recipe: File | None = None,
    start: File | None = None,
    out: File | None = None,
    seed: Seed = 0,
    workers: Workers | None = None,
    progress: Progress = True,
) -> LearnResult:
    """Train an evaluation by self-play and write its weights; `eval=./GAME.weights` selects it in any search.

    Training lasts for `minutes` (default 10), plays a number of `games` per generation, or repeats the `recipe` and
    seed of a weights file; the last two are reproducible. `start` continues from the weights of a file, in backgammon
    and in games whose weights are a sum of patterns. The same call resumes an interrupted run. Ctrl-C raises
    `Interrupted`. Raises GameError.

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
        raise SettingError("{}", ("out",), f": expected a file name that ends in {ENDING}, got {str(file)!r}")
    if file.exists():
        raise SettingError("{}", ("out",), f": {file} already exists; choose another file, or delete it")
    first = None if start is None else Path(start)
    chosen = recipe_for(rules, refining=first is not None)
    if recipe is not None:
        stored = read_learned(Path(recipe)).learned
        if stored.get("start") != (None if first is None else file_digest(first)):
            wanted = "no other weights" if "start" not in stored else f"weights with the digest {stored['start']}"
            raise SettingError("{}", ("start",), f": the recipe of {recipe} starts from {wanted}")
        chosen, seed = recipe_from_json(stored["recipe"]), int(stored["seed"])
    elif games is not None:
        chosen = chosen.with_games(games)
    processes = workers or default_workers()
    redraw = [lambda: None]
    time = None if games or recipe else minutes or DEFAULT_MINUTES
    training = Training(name, file, chosen, seed, time, lambda: redraw[0](), first)
    runner = LocalRunner(processes)
    try:
        with redrawn(lambda: _result(training, file), shown=progress) as redraw[0]:
            training.run(arena_match(name, runner), processes)
    except KeyboardInterrupt as stop:
        raise Interrupted(_result(training, file)) from stop
    finally:
        runner.close()
    return _result(training, file)


def arena_match(game: str, runner: Runner) -> Match:
    """The function that plays the matches of a training run.

    A hand-written evaluation measures luck: scores must not depend on weights that the game already has.
    """
    rules = all_games.load(game)
    meter = luck_evaluation(rules)
    meter = opening_evaluation(rules) if meter == LEARNED else meter

    def match(
        first: str, second: str, pairs: int, nodes: int, seed: int, show: Callable[[float], None]
    ) -> tuple[float, float]:
        plan = make_plan(game, first, second, Limit(nodes=nodes), seed, luck=f"eval={meter}")
        with Store(MEMORY) as memory:
            match_run = MatchRun(memory, plan, StoppingRule(pairs))
            run_matches([match_run], runner, memory, lambda: show(match_run.counted / pairs))
        summary = match_run.summary()
        found = summary["luck_adjusted"] if rules.has_chance and summary["luck_adjusted"] else summary
        return found["score"], found["score_error"]

    return match


def _result(training: Training, file: Path) -> LearnResult:
    done = tuple(
        LearnedGeneration(
            past.generation, past.games, past.positions, past.error, past.score, past.score_error, past.champion
        )
        for past in training.history
    )
    if training.finished:
        return LearnResult(done, file, training.seconds)
    now = training.progress
    rounds: tuple[Any, ...] = training.recipe.generations
    errors = " ".join(f"{error:.4f}" for error in now.errors[-5:])
    doing = (
        f"generation {now.generation} of {len(rounds)}: {now.doing} {now.share:.0%}, "
        f"{now.games:,} games{', error ' + errors if errors else ''}"
    )
    return LearnResult(done, file, training.seconds, doing)
