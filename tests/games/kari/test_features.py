"""Features of kari, by hand."""

import pytest

from starscout import games
from starscout.evaluation.features import features_in, images_of
from starscout.evaluation.squares import sample_positions
from starscout.evaluation.weights import NO_WEIGHTS
from starscout.games.ewn.heuristics import board_of
from starscout.games.kari.evaluation import MOST_STEPS, kari_features

pytestmark = pytest.mark.plain

GAME = games.load("kari")
FEATURES = kari_features(board_of(6, 6, 6))


def found(text: str) -> list[int]:
    position, _ = GAME.parse(text)
    return (features_in(FEATURES, NO_WEIGHTS, [position])[0] - FEATURES.first).tolist()


def test_squares_corners_and_steps() -> None:
    # Red has 3 in its corner, 1 and 4 outside; blue has 2 and 5, nobody in its corner.
    slots = found("....../.1..../..c.4./....../....f./.....3 r")
    assert slots[:12] == [63, 7, 63, 35, 16, 63, 63, 63, 21, 63, 63, 7]
    # Own corner 3 and enemy outside 2; own outside 1 and no enemy in the corner (6); both outside.
    assert slots[12:15] == [3 * 7 + 2, 1 * 7 + 6, 1 * 7 + 2]
    # Red's cubes have 8 and 4 steps left, blue's 4 and 8.
    assert slots[15] == MOST_STEPS


def test_empty_outside_and_clipped_lead() -> None:
    slots = found("0123../45..../....../....../....../.....b b")
    # Blue to move: its cube has all steps left, and so have red's six, many more.
    assert slots[12:15] == [6 * 7 + 0, 1 * 7 + 6, 1 * 7 + 0]
    assert slots[15] == 0


def test_transposed_positions_have_an_image() -> None:
    images = images_of(GAME, FEATURES, NO_WEIGHTS, sample_positions(GAME))
    assert len(images) == 2
    # Also on squares that no cube has reached in any game.
    for slot in range(12):
        for square in range(36):
            assert images[1][64 * slot + square] == 64 * slot + 6 * (square % 6) + square // 6
