"""Features in slots, and their images under symmetries."""

import dataclasses

import numpy
import pytest

from starscout import games
from starscout.evaluation.features import features_in, images_of
from starscout.evaluation.squares import sample_positions
from starscout.evaluation.weights import NO_WEIGHTS
from starscout.game import GameError
from starscout.games.ewn.evaluation import cube_features

pytestmark = pytest.mark.plain

EWN = games.load("ewn-3x3-3")
FEATURES = cube_features(3, 3, 3)
POSITIONS = sample_positions(EWN)[:200]


def test_images_map_features_of_mirrored_positions() -> None:
    images = images_of(EWN, FEATURES, NO_WEIGHTS, POSITIONS)
    # Numbers reversed and transposed, alone and together; swapped colours change nothing for the mover.
    assert len(images) == 4
    assert images[0].tolist() == list(range(FEATURES.count))
    assert all(sorted(image) == list(range(FEATURES.count)) for image in images.tolist())
    seen = features_in(FEATURES, NO_WEIGHTS, POSITIONS)
    for symmetry in EWN.symmetries:
        mirrored = features_in(FEATURES, NO_WEIGHTS, [symmetry.position(position) for position in POSITIONS])
        renamed = [{tuple(sorted(image[row])) for image in images} for row in seen]
        assert all(tuple(sorted(row)) in found for row, found in zip(mirrored.tolist(), renamed, strict=True))


def test_feature_outside_its_slot_is_rejected() -> None:
    wrong = dataclasses.replace(FEATURES, sizes=(1,) * FEATURES.slots)
    with pytest.raises(GameError, match="outside the range of its slot"):
        features_in(wrong, NO_WEIGHTS, POSITIONS[:1])


def test_game_without_symmetries_has_only_the_identity() -> None:
    plain = dataclasses.replace(EWN, symmetries=())
    images = images_of(plain, FEATURES, NO_WEIGHTS, POSITIONS[:5])
    assert numpy.array_equal(images, numpy.arange(FEATURES.count)[None, :])
