"""Features of the cube games: the square of every cube, and in the cyclic game what the known dice will let move.

slots 0 … 11     the square of each own cube, then of each enemy cube, in its owner's view; gone is a place too
cyclic only      the turns in which the two first cubes can arrive, as one feature,
                 and for each of the next turns of both sides the squares of the cubes that its die names
"""

import functools
from typing import Any

import numpy

from starscout.bits import Word, integer
from starscout.evaluate import cubes as shared
from starscout.evaluate.features import Features, slotted
from starscout.evaluate.weights import Weights
from starscout.game import Game, Position
from starscout.games.cubes import Cubes
from starscout.games.die import movable
from starscout.games.ewn_cyclic import DIGIT_BITS
from starscout.kernel import kernel

TURNS = 4
"""How many turns of each side the known dice are looked at."""


@functools.cache
def cube_features(rows: int, columns: int, cubes: int) -> Features:
    """The squares of all cubes."""
    board = shared.board_of(rows, columns, cubes)
    bits, places, mask = Word(board.bits), board.gone + 1, Word(board.gone)

    @kernel(inline=True)
    def feature(position: Position, slot: int, weights: Weights) -> int:
        side = position.own if slot < cubes else position.enemy
        cube = slot if slot < cubes else slot - cubes
        return slot * places + integer((side >> (bits * Word(cube))) & mask)

    return slotted("cubes", (places,) * (2 * cubes), feature)


def cube_features_of(game: Game) -> Features:
    """The squares of all cubes of a game on its board."""
    return cube_features(game.rows, game.columns, game.faces)


@functools.cache
def cyclic_features(board: Cubes, arrival_turn: Any, latest: int) -> Features:
    """The squares of all cubes, the race, and the cubes that the next dice name."""
    cubes, places = board.cubes, board.gone + 1
    bits, mask, alive = Word(board.bits), Word(board.gone), board.alive
    named = numpy.full((1 << cubes, cubes, 2), cubes, dtype=numpy.int64)
    for cubes_left in range(1, 1 << cubes):
        for face in range(cubes):
            for number, cube in enumerate(movable(cubes_left, face + 1, cubes)):
                named[cubes_left, face, number] = cube
    squares, race = 2 * cubes, (latest + 1) ** 2
    digit_bits, digit_mask = Word(DIGIT_BITS), Word(7)

    @kernel(inline=True)
    def feature(position: Position, slot: int, weights: Weights) -> int:
        if slot < squares:
            side = position.own if slot < cubes else position.enemy
            cube = slot if slot < cubes else slot - cubes
            return slot * places + integer((side >> (bits * Word(cube))) & mask)
        if slot == squares:
            own = arrival_turn(position.own, position.dice, 0)
            enemy = arrival_turn(position.enemy, position.dice, 1)
            return squares * places + own * (latest + 1) + enemy
        # Slots of the dice: ply 0 is the mover's, ply 1 the enemy's, two slots each.
        number = slot - squares - 1
        ply = number // 2
        side = position.own if ply % 2 == 0 else position.enemy
        digit = integer((position.dice >> (digit_bits * Word(ply))) & digit_mask)
        cubes_left = integer(alive(side))
        # The lane behind the last cube is always a gone one. The lower square comes first: numbers may be reversed.
        one = integer((side >> (bits * Word(named[cubes_left, digit, 0]))) & mask)
        other = integer((side >> (bits * Word(named[cubes_left, digit, 1]))) & mask)
        place = min(one, other) if number % 2 == 0 else max(one, other)
        return squares * places + race + number * places + place

    sizes = (places,) * squares + (race,) + (places,) * (4 * TURNS)
    return slotted("cubes and dice", sizes, feature)
