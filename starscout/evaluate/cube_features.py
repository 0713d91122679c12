"""Features of the cube games: the square of every cube, and in the cyclic game what the known dice will let move.

slots 0 … 11     the square of each own cube, then of each enemy cube, in its owner's view; gone is a place too
cyclic only      with the square of a cube, which of the next turns of its side have a die that names it;
                 the turns in which the two first cubes can arrive, as one feature; the set of cubes left of each side
"""

import functools
from typing import Any

import numpy

from starscout.bits import WORD_ZERO, Word, integer
from starscout.evaluate import cubes as shared
from starscout.evaluate.features import Features, shared_slots, slotted
from starscout.evaluate.weights import Weights
from starscout.game import Game, Position
from starscout.games.cubes import Cubes
from starscout.games.die import movable
from starscout.games.ewn_cyclic import DIGIT_BITS
from starscout.kernel import kernel

TURNS = 6
"""How many turns of each side the known dice are looked at: a lane of a side's word has a bit for each."""


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
    """The square of every cube with the turns that name it, the race, and how mobile the cubes left are.

    Cubes of a side share their features: what a number is good for is which dice name it.
    """
    cubes, places = board.cubes, board.gone + 1
    bits, mask, alive = board.bits, Word(board.gone), board.alive
    named = numpy.zeros((1 << cubes, cubes), dtype=Word)
    for cubes_left in range(1, 1 << cubes):
        for face in range(cubes):
            for cube in movable(cubes_left, face + 1, cubes):
                named[cubes_left, face] |= Word(1 << bits * cube)
    sets = mirrored_sets(cubes)
    lane_bits, two_digits, digit_bits, digit_mask = Word(bits), Word(2 * DIGIT_BITS), Word(DIGIT_BITS), Word(7)
    one = Word(1)
    kinds = [
        (cubes, places << TURNS),
        (cubes, places << TURNS),
        (1, (latest + 1) ** 2),
        *(2 * [(1, int(sets.max()) + 1)]),
    ]
    enemy_first, race_first, own_set_first, enemy_set_first = (
        int(n) for n in numpy.cumsum([size for _, size in kinds])[:4]
    )

    @kernel(inline=True)
    def turns_of(left: int, dice: Word) -> Word:
        """One lane per cube: bit t says that the die of the side's turn t names it."""
        found = WORD_ZERO
        shift = WORD_ZERO
        for _ in range(TURNS):
            found |= named[left, integer(dice & digit_mask)] << shift
            dice >>= two_digits
            shift += one
        return found

    @kernel(inline=True)
    def view(position: Position) -> Any:
        own, enemy, dice = position.own, position.enemy, position.dice
        own_left, enemy_left = integer(alive(own)), integer(alive(enemy))
        race = arrival_turn(own, dice, 0) * (latest + 1) + arrival_turn(enemy, dice, 1)
        own_turns, enemy_turns = turns_of(own_left, dice), turns_of(enemy_left, dice >> digit_bits)
        return own, enemy, own_turns, enemy_turns, race, sets[own_left], sets[enemy_left]

    @kernel(inline=True)
    def feature(view: Any, slot: int, weights: Weights) -> int:
        own, enemy, own_turns, enemy_turns, race, own_set, enemy_set = view
        if slot < cubes:
            shift = lane_bits * Word(slot)
            return integer((((own_turns >> shift) & mask) << lane_bits) | ((own >> shift) & mask))
        if slot < 2 * cubes:
            shift = lane_bits * Word(slot - cubes)
            return enemy_first + integer((((enemy_turns >> shift) & mask) << lane_bits) | ((enemy >> shift) & mask))
        if slot == 2 * cubes:
            return race_first + race
        return own_set_first + own_set if slot == 2 * cubes + 1 else enemy_set_first + enemy_set

    return shared_slots("cubes and their turns", kinds, feature, view=view)


def mirrored_sets(cubes: int) -> numpy.ndarray:
    """[set of cubes] → its number; a set and the one with all numbers reversed have the same."""
    found: dict[int, int] = {}
    numbers = []
    for cubes_left in range(1 << cubes):
        reversed_set = int(f"{cubes_left:0{cubes}b}"[::-1], 2)
        numbers.append(found.setdefault(min(cubes_left, reversed_set), len(found)))
    return numpy.array(numbers)
