"""The definition of a disc difference, without any pruning, and random positions late in a game."""

import functools
import random
from typing import Any

import numpy

from starscout.game import ONGOING, Game, new_rows
from starscout.games.othello.rules import Position, empty_squares
from starscout.kernels.bits import popcount
from starscout.kernels.kernel import kernel


def defined_difference(game: Game, position: Position) -> int:
    """The mover's discs − the other side's with best play, the empty squares given to the winner."""
    return int(_build(game)(position, new_rows(game, 2 * empty_squares(game, position) + 2), 0))


@functools.cache
def _build(game: Game) -> Any:
    outcome, moves, play, squares = game.outcome, game.moves, game.play, game.rows * game.columns

    @kernel
    def difference(position: Position, rows: numpy.ndarray, ply: int) -> int:
        if outcome(position) != ONGOING:
            own, enemy = popcount(position.own), popcount(position.enemy)
            empty = squares - own - enemy
            if own == enemy:
                return 0
            return own - enemy + empty if own > enemy else own - enemy - empty
        best = -squares
        row = rows[ply]
        for number in range(moves(position, 1, row)):
            best = max(best, -difference(play(position, row[number]), rows, ply + 1))
        return best

    return difference


def late_positions(game: Game, count: int, least: int, most: int, seed: int = 1) -> list[Position]:
    """Positions of random games that are not over, with `least` to `most` empty squares."""
    generator = random.Random(seed)
    found: list[Position] = []
    while len(found) < count:
        wanted = generator.randint(least, most)
        position = game.start_position(0)
        while game.outcome(position) == ONGOING and empty_squares(game, Position(*position)) > wanted:
            position = game.play_position(position, generator.choice(game.legal(position, 1)))
        if game.outcome(position) == ONGOING:
            found.append(Position(*position))
    return found
