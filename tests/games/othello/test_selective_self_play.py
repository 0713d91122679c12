"""Self-play by the selective search: reproducible games, exact late positions, blended targets; refining weights."""

from dataclasses import replace
from pathlib import Path

import numpy
import pytest

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.evaluation.knowledge import Knowledge
from starscout.evaluation.weights import read_learned, write_learned
from starscout.games.othello import knowledge
from starscout.games.othello.patterns import STAGES, pattern_features
from starscout.games.othello.self_play import SCALE, play_chunk
from starscout.learning.self_play import PositionSample, SelfPlay
from starscout.learning.training import Training

pytestmark = pytest.mark.slow

GAME = games.load("othello")
KNOWLEDGE: Knowledge = knowledge.KNOWLEDGE
FOUR_DISCS = 2 * pattern_features().count // STAGES


def sample_of(first: int, count: int, blend: float = 1.0) -> PositionSample:
    settings = SelfPlay(depth=2, opening=30, blend=blend, refine=True)
    return play_chunk(GAME, load_evaluation(GAME, "learned"), pattern_features(), settings, 3, first, count)


def test_a_game_does_not_depend_on_the_games_before_it() -> None:
    both, second = sample_of(0, 2), sample_of(1, 1)
    assert numpy.array_equal(both.features[-len(second) :], second.features)
    assert numpy.array_equal(both.results[-len(second) :], second.results)
    assert len(both) > 40


def test_late_positions_have_their_exact_difference() -> None:
    sample = sample_of(0, 4)
    late = sample.features[:, 0] // FOUR_DISCS >= 12
    assert late.sum() > 20
    assert numpy.array_equal(sample.values[late], sample.results[late])
    differences = numpy.arctanh(sample.values[late].astype(numpy.float64)) * SCALE
    assert numpy.abs(differences - 2 * numpy.round(differences / 2)).max() < 0.05


def test_targets_blend_the_next_position_unless_the_move_was_random() -> None:
    half = sample_of(0, 6, blend=0.5)
    targets, values = (SCALE * numpy.arctanh(numbers.astype(float)) for numbers in (half.results, half.values))
    searched = numpy.flatnonzero(half.features[:, 0] // FOUR_DISCS < 11)
    blended = (targets[searched + 1] + values[searched + 1]) / 2
    follows = numpy.minimum(abs(targets[searched] + blended), abs(targets[searched] - blended)) < 0.05
    alone = abs(targets[searched] - values[searched]) < 0.05
    assert (follows | alone).all()
    assert 0 < (alone & ~follows).sum() < 0.2 * len(searched)


def test_refining_starts_from_the_given_weights(tmp_path: Path) -> None:
    shipped = KNOWLEDGE.weights_file(GAME)
    recipe = KNOWLEDGE.refinement
    assert shipped is not None
    assert recipe is not None
    recipe = replace(recipe, generations=recipe.with_games(100).generations[:1])
    begun, out = tmp_path / "begun.weights", tmp_path / "refined.weights"
    learned = read_learned(shipped)
    # Half of every weight: better weights are found even with few games.
    write_learned(begun, replace(learned, arrays={**learned.arrays, "rows": learned.arrays["rows"] // 2}))
    Training("othello", out, recipe, 1, None, lambda: None, begun).run(lambda *match: (0.5, 0.1), 1)
    before, after = (read_learned(file) for file in (begun, out))
    rows = [found.arrays["rows"] * float(found.arrays["factor"]) for found in (before, after)]
    changed = abs(rows[1] - rows[0]) > 0.01 * abs(rows[0]).max() / 100
    # 100 games contain few of the patterns; the others keep their weights.
    assert 0.001 < changed.mean() < 0.3
    assert set(after.learned) == {"seed", "recipe", "generations", "start"}
