"""Counts of discs."""

from starscout import games
from starscout.games.othello.rules import Position, disc_difference, empty_squares
from starscout.kernels.bits import Word


def test_empty_squares():
    game = games.load("othello-6x6")
    assert empty_squares(game, Position(*game.start_position(0))) == 32


def test_empty_squares_go_to_the_winner():
    game = games.load("othello-4x4")
    for own, enemy, difference in ((0b111, 0b1000, 14), (0b1, 0b1110, -14), (0b11, 0b1100, 0)):
        assert disc_difference(game, Position(Word(own), Word(enemy), 0)) == difference
