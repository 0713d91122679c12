"""Counts of discs on a board of Othello, for callers that are not kernels."""

from starscout.game import Game
from starscout.games.othello.rules import Position


def empty_squares(game: Game, position: Position) -> int:
    """How many squares are empty."""
    return game.rows * game.columns - (int(position.own) | int(position.enemy)).bit_count()


def disc_difference(game: Game, position: Position) -> int:
    """The mover's discs − the other side's when the game is over, the empty squares given to the winner."""
    own, enemy = int(position.own).bit_count(), int(position.enemy).bit_count()
    empty = game.rows * game.columns - own - enemy
    return own - enemy + (empty if own > enemy else -empty if own < enemy else 0)
