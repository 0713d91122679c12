"""The HTML report of a learning: its recipe, its generations, and the curves of error and strength."""

from collections.abc import Mapping
from typing import Any

from starscout.drawing.charts import Band, lines
from starscout.evaluate.weights_file import LearnedWeights
from starscout.views.elements import Markup, combined, heading, paragraph, quoted, table
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
