"""Features of the cyclic game, by hand."""

import numpy
import pytest

from starscout import games
from starscout.evaluation.features import features_in, images_of
from starscout.evaluation.squares import sample_positions
from starscout.evaluation.weights import NO_WEIGHTS
from starscout.games.ewn.evaluation import cube_features_of
from starscout.games.ewn.heuristics import board_of
from starscout.games.ewn_cyclic.evaluation import LATEST, TURNS, arrival_turn, cyclic_features, mirrored_sets

pytestmark = pytest.mark.plain


def test_every_cube_has_a_slot() -> None:
    game = games.load("ewn")
    features = cube_features_of(game)
    position, _ = game.parse("..3../...../.1.../...../...b. r -")
    found = features_in(features, NO_WEIGHTS, [position])[0] - features.first
    # Blue's cube 2 stands on D5, its own square 1; 31 is a cube that is gone.
    assert found.tolist() == [11, 31, 2, 31, 31, 31, 31, 1, 31, 31, 31, 31]


def test_turns_of_each_cube() -> None:
    game = games.load("ewn-cyclic")
    board = board_of(6, 7, 6)
    features = cyclic_features(board, arrival_turn(board), LATEST)
    position = game.start_position(3)
    found = features_in(features, NO_WEIGHTS, [position])[0] - features.first
    dice = [int(position.dice) >> 3 * ply & 7 for ply in range(2 * TURNS)]
    for slot in range(12):
        side, cube = (position.own, slot) if slot < 6 else (position.enemy, slot - 6)
        turns, place = divmod(int(found[slot]), board.gone + 1)
        assert place == int(side) >> 6 * cube & 63
        # With all cubes on the board a die names its own cube alone.
        assert turns == sum((die == cube) << turn for turn, die in enumerate(dice[slot // 6 :: 2]))
    # Nobody is in danger at the start.
    assert found[12:24].tolist() == [int(side) >> 6 * cube & 63 for side in position[:2] for cube in range(6)]
    own, theirs = divmod(int(found[24]), LATEST + 1)
    assert own == arrival_turn(board)(position.own, position.dice, 0)
    assert theirs == arrival_turn(board)(position.enemy, position.dice, 1)
    assert found[25] == found[24]
    assert found[26] == found[27] == mirrored_sets(6)[63]


def test_cubes_in_danger() -> None:
    game = games.load("ewn-cyclic")
    board = board_of(6, 7, 6)
    features = cyclic_features(board, arrival_turn(board), LATEST)
    # Blue's next die is 1: it names b on D4, which can go left, up, left-up and left-down: to C4, D3, C3 and C5.
    # Red's die is 4: with cubes 0, 1, 2 and 5 left it names 2 and 5. All around b can capture it but 1 on D3,
    # which goes down: right, down, right-down and right-up.
    position, _ = game.parse("......./......./..05.../..1b.a./..2..../....... r 410000000000000000000 0")
    found = features_in(features, NO_WEIGHTS, [position])[0] - features.first
    dangers, places = numpy.divmod(found[12:24], board.gone + 1)
    assert places.tolist() == [int(side) >> 6 * cube & 63 for side in position[:2] for cube in range(6)]
    # All red cubes stand where b can capture them with its next die. Red's die lets 2 and 5 capture b now.
    assert dangers.tolist() == [3, 3, 3, 0, 0, 3, 0, 3, 0, 0, 0, 0]
    race, safe = divmod(int(found[24]), LATEST + 1), divmod(int(found[25]), LATEST + 1)
    assert race[1] == arrival_turn(board)(position.enemy, position.dice, 1)
    # Without all of its cubes red never arrives. Blue arrives with cube a alone.
    alone, _ = game.parse("......./......./..05.../..1..a./..2..../....... r 410000000000000000000 0")
    assert safe == (LATEST, arrival_turn(board)(alone.enemy, alone.dice, 1))
    # If blue's next die does not name b, the cubes beside b have danger 1 instead of 3.
    later, _ = game.parse("......./......./..05.../..1b.a./..2..../....... r 400000000000000000000 0")
    found = features_in(features, NO_WEIGHTS, [later])[0] - features.first
    assert (found[12:18] // (board.gone + 1)).tolist() == [1, 1, 1, 0, 0, 1]


def test_threats_agree_with_legal_moves() -> None:
    game = games.load("ewn-cyclic")
    board = board_of(6, 7, 6)
    features = cyclic_features(board, arrival_turn(board), LATEST)
    positions = sample_positions(game)[:300]
    found = features_in(features, NO_WEIGHTS, positions) - features.first
    for position, row in zip(positions, found, strict=True):
        captured = {
            cube
            for move in game.legal(position, 1)
            for cube in range(6)
            if int(position.enemy) >> 6 * cube & 63 == 41 - (move >> 6)
        }
        assert {cube for cube in range(6) if row[18 + cube] // (board.gone + 1) & 2} == captured


def test_captured_cube_passes_its_dice_on() -> None:
    game = games.load("ewn-cyclic")
    board = board_of(6, 7, 6)
    features = cyclic_features(board, arrival_turn(board), LATEST)
    position, _ = game.parse("......./.0.3.../......./......./......./......f r 120000300000000000000 0")
    found = features_in(features, NO_WEIGHTS, [position])[0] - features.first
    # Red's dice are 1 0 0 3 0 0: cube 0 moves by 0 and 1, cube 3 by 3 and 1. The only blue cube always moves.
    turns, places = numpy.divmod(found[:12], board.gone + 1)
    assert turns.tolist() == [0b110111, 0, 0, 0b001001, 0, 0, *[0] * 5, 0b111111]
    assert places.tolist() == [8, 63, 63, 10, 63, 63, *[63] * 5, 0]


def test_cubes_share_features() -> None:
    game = games.load("ewn-cyclic")
    board = board_of(6, 7, 6)
    features = cyclic_features(board, arrival_turn(board), LATEST)
    assert features.first[0] == features.first[5] < features.first[6]
    assert len(images_of(game, features, NO_WEIGHTS, sample_positions(game)[:400])) == 1


def test_reversed_sets_have_one_number() -> None:
    sets = mirrored_sets(3)
    assert sets.tolist() == [0, 1, 2, 3, 1, 4, 3, 5]
