"""Solved discs against an unpruned definition, and the records of Othello games."""

import numpy
import pytest

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.games.othello.patterns import STAGES, pattern_features
from starscout.games.othello.self_play import SCALE, SOLVED, play_chunk
from starscout.learning.self_play import SelfPlay

pytestmark = pytest.mark.slow

GAME = games.load("othello")
FOUR_DISCS = 2 * pattern_features().count // STAGES
"""Features of the stages for even and odd numbers of discs within four."""


def test_positions_of_a_game_have_its_result() -> None:
    features = pattern_features()
    zero = load_evaluation(GAME, "zero")
    sample = play_chunk(GAME, zero, features, SelfPlay(depth=1, opening=30), 3, 0, 4)
    again = play_chunk(GAME, zero, features, SelfPlay(depth=1, opening=30), 3, 0, 4)
    assert numpy.array_equal(sample.features, again.features)
    assert sample.games == 4
    differences = numpy.arctanh(sample.values.astype(numpy.float64)) * SCALE
    # Whole numbers of discs, and an even number of them: the board is full or the rest goes to the winner.
    assert numpy.abs(differences - 2 * numpy.round(differences / 2)).max() < 0.05
    assert ((sample.features >= 0) & (sample.features < features.count)).all()
    assert len(sample) > 4 * 10


def test_targets_blend_the_next_position() -> None:
    features = pattern_features()
    whole, half = (
        play_chunk(GAME, load_evaluation(GAME, "positional"), features, SelfPlay(1, opening=30, blend=blend), 3, 0, 4)
        for blend in (1.0, 0.5)
    )
    assert numpy.array_equal(whole.features, half.features)
    targets, values = (SCALE * numpy.arctanh(half.results), SCALE * numpy.arctanh(half.values))
    checked = 0
    for index in range(len(half) - 1):
        solved = abs(targets[index] - values[index]) < 1e-3
        # The first position that is solved ends the part of the game in which targets look ahead.
        if not solved and half.features[index + 1, 0] // FOUR_DISCS >= half.features[index, 0] // FOUR_DISCS:
            assert abs(targets[index] + (targets[index + 1] + values[index + 1]) / 2) < 0.05
            checked += 1
    assert checked > 20
    results = SCALE * numpy.arctanh(whole.results)
    assert numpy.abs(results - 2 * numpy.round(results / 2)).max() < 0.05


def test_late_positions_have_their_exact_difference() -> None:
    features = pattern_features()
    sample = play_chunk(GAME, load_evaluation(GAME, "zero"), features, SelfPlay(depth=1, opening=50), 3, 0, 6)
    late = sample.features[:, 0] // FOUR_DISCS > (64 - SOLVED) // 4
    assert late.sum() > 20
    assert numpy.allclose(sample.values[late], sample.results[late])
