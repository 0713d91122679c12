"""Cubes on squares and the cubes that the known dice name, by hand."""

import pytest

from starscout import games
from starscout.evaluate.cube_features import TURNS, cube_features_of, cyclic_features
from starscout.evaluate.cubes import board_of
from starscout.evaluate.ewn_cyclic import LATEST, arrival_turn
from starscout.evaluate.features import features_in, images_of
from starscout.evaluate.squares import sample_positions
from starscout.evaluate.weights import NO_WEIGHTS

pytestmark = pytest.mark.plain


def test_every_cube_has_a_slot() -> None:
    game = games.load("ewn")
    features = cube_features_of(game)
    position, _ = game.parse("..3../...../.1.../...../...b. r -")
    found = features_in(features, NO_WEIGHTS, [position])[0] - features.first
    # Blue's cube 2 stands on D5, its own square 1; 31 is a cube that is gone.
    assert found.tolist() == [11, 31, 2, 31, 31, 31, 31, 1, 31, 31, 31, 31]


def test_the_dice_name_cubes() -> None:
    game = games.load("ewn-cyclic")
    board = board_of(6, 7, 6)
    features = cyclic_features(board, arrival_turn(board), LATEST)
    position = game.start_position(3)
    found = features_in(features, NO_WEIGHTS, [position])[0] - features.first
    places = [int(position.own) >> 6 * cube & 63 for cube in range(6)]
    enemy = [int(position.enemy) >> 6 * cube & 63 for cube in range(6)]
    assert found[:12].tolist() == places + enemy
    dice = [int(position.dice) >> 3 * ply & 7 for ply in range(2 * TURNS)]
    # With all cubes on the board a die names its own cube alone; the second place is a gone cube.
    for ply, digit in enumerate(dice):
        side = places if ply % 2 == 0 else enemy
        assert found[13 + 2 * ply : 15 + 2 * ply].tolist() == [side[digit], board.gone]
    own, theirs = divmod(int(found[12]), LATEST + 1)
    assert own == arrival_turn(board)(position.own, position.dice, 0)
    assert theirs == arrival_turn(board)(position.enemy, position.dice, 1)


def test_reversed_numbers_have_an_image_with_dice_too() -> None:
    game = games.load("ewn-cyclic")
    board = board_of(6, 7, 6)
    features = cyclic_features(board, arrival_turn(board), LATEST)
    assert len(images_of(game, features, NO_WEIGHTS, sample_positions(game)[:400])) == 2
