"""The HTML report of a learning: its recipe, its generations, and the curves of error and strength."""

import html
from collections.abc import Mapping
from typing import Any

from starscout.arena import plots
from starscout.arena.report import html_page, html_table
from starscout.evaluate.weights_file import LearnedWeights


def learning_report(weights: LearnedWeights, file: str) -> str:
    """The report of the learning that made a weights file."""
    learned = weights.learned
    recipe, generations = learned["recipe"], learned["generations"]
    settings = [(name, value) for name, value in recipe.items() if name != "generations"]
    parts = [
        f"<p><code>{html.escape(file)}</code>: {html.escape(weights.game)}, {weights.model} on "
        f"{html.escape(weights.features)}, seed {learned['seed']}</p>",
        html_table(
            ("generation", "depth", "games", "positions", "error", "score against the champion before", "champion"),
            [_row(step, done) for step, done in zip(recipe["generations"], generations, strict=False)],
        ),
        "<h2>Error on positions held out</h2>"
        + plots.lines({"error": [done["error"] for done in generations]}, "root mean square error of values"),
        "<h2>Score against the champion before</h2>"
        + plots.lines({"score": [done["score"] for done in generations]}, "score"),
        "<h2>Recipe</h2>" + html_table(("", ""), settings),
    ]
    return html_page(f"Learning {weights.game}", parts)


def _row(step: Mapping[str, Any], done: Mapping[str, Any]) -> tuple[Any, ...]:
    score = f"{done['score']:.1%} ± {done['score_error']:.1%}"
    became = "yes" if done["champion"] else "no"
    return done["generation"], step["depth"], done["games"], done["positions"], f"{done['error']:.4f}", score, became
