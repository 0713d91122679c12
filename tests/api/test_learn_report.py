"""The report of a training run."""

import numpy

from starscout.api.learn import training_report
from starscout.evaluation.weights import LearnedWeights
from starscout.learning.recipe import Recipe


def test_the_report_has_the_recipe_and_the_curves() -> None:
    done = {"games": 1234, "positions": 9, "error": 0.25, "score": 0.75, "score_error": 0.05, "champion": True}
    learned = {"seed": 42, "recipe": Recipe().to_json(), "generations": [{"generation": 1, **done}]}
    text = training_report(
        LearnedWeights("my<game", "network", "cubes", {"rows": numpy.zeros(1)}, learned), "./a.weights"
    )
    for part in ("my&lt;game", "seed 42", "1234", "75.0% ± 5.0%", "0.2500", "opening"):
        assert part in text
    assert text.count("<svg") == 2
