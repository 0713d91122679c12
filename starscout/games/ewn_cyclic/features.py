"""Features of the cyclic game, for each own and enemy cube and for both sides:

- the square of a cube, with the set of its side's next turns whose die allows it to move
- the square of a cube, with whether an enemy can capture it, and can do so with its next die
- the arrival turns of both sides, as one feature; and the same without the cubes that can be captured next
- the set of remaining cubes of each side
"""

import functools
from typing import Any

import numpy

from starscout.evaluation.features import Features, shared_slots
from starscout.evaluation.weights import Weights
from starscout.game import Position
from starscout.games.ewn.board import Cubes
from starscout.games.ewn.die import movable
from starscout.games.ewn_cyclic.rules import DIGIT_BITS
from starscout.kernels.bits import WORD_ZERO, Word, integer
from starscout.kernels.kernel import kernel

TURNS = 6
"""Number of future turns of each side whose dice are used: one bit of a lane per turn."""
DANGERS = 4
"""No threat, or a threat by a cube that the enemy's next die does or does not allow to move."""


@functools.cache
def cyclic_features(board: Cubes, arrival_turn: Any, latest: int) -> Features:
    """The features listed above.

    Cubes of a side share their features: the number of a cube matters only through the dice that allow it to move.
    """
    cubes, places = board.cubes, board.gone + 1
    bits, mask, alive = board.bits, Word(board.gone), board.alive
    named = numpy.zeros((1 << cubes, cubes), dtype=Word)
    for cubes_left in range(1, 1 << cubes):
        for face in range(cubes):
            for cube in movable(cubes_left, face + 1, cubes):
                named[cubes_left, face] |= Word(1 << bits * cube)
    sets = mirrored_sets(cubes)
    in_danger = _danger(board)
    lane_bits, two_digits, digit_bits, digit_mask = Word(bits), Word(2 * DIGIT_BITS), Word(DIGIT_BITS), Word(7)
    one, next_bit = Word(1), Word(sum(2 << bits * cube for cube in range(cubes)))
    set_count = int(sets.max()) + 1
    kinds = [
        *(2 * [(cubes, places << TURNS)]),
        *(2 * [(cubes, places * DANGERS)]),
        *(2 * [(1, (latest + 1) ** 2)]),
        *(2 * [(1, set_count)]),
    ]
    first = numpy.cumsum([0] + [size for _, size in kinds])
    enemy_first, own_danger_first, enemy_danger_first = int(first[1]), int(first[2]), int(first[3])
    race_first, safe_first, own_set_first, enemy_set_first = (int(number) for number in first[4:8])
    own_danger_slot, enemy_danger_slot, race_slot = 2 * cubes, 3 * cubes, 4 * cubes

    @kernel(inline=True)
    def turns_of(left: int, dice: Word) -> Word:
        """One lane per cube: bit t is set if the die of the side's turn t allows it to move."""
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
        own_turns, enemy_turns = turns_of(own_left, dice), turns_of(enemy_left, dice >> digit_bits)
        own_danger, enemy_danger = in_danger(own, enemy, enemy_turns), in_danger(enemy, own, own_turns)
        own_race, enemy_race = arrival_turn(own, dice, 0), arrival_turn(enemy, dice, 1)
        race = own_race * (latest + 1) + enemy_race
        # A lane whose second bit is set becomes a lane of ones, a captured cube.
        lost = own_danger & next_bit
        if lost != WORD_ZERO:
            own_race = arrival_turn(own | (lost >> one) * mask, dice, 0)
        lost = enemy_danger & next_bit
        if lost != WORD_ZERO:
            enemy_race = arrival_turn(enemy | (lost >> one) * mask, dice, 1)
        safe_race = own_race * (latest + 1) + enemy_race
        return (
            own, enemy, own_turns, enemy_turns, own_danger, enemy_danger, race, safe_race,
            sets[own_left], sets[enemy_left],
        )  # fmt: skip

    @kernel(inline=True)
    def feature(view: Any, slot: int, weights: Weights) -> int:
        own, enemy, own_turns, enemy_turns, own_danger, enemy_danger, race, safe_race, own_set, enemy_set = view
        if slot < cubes:
            shift = lane_bits * Word(slot)
            return integer((((own_turns >> shift) & mask) << lane_bits) | ((own >> shift) & mask))
        if slot < own_danger_slot:
            shift = lane_bits * Word(slot - cubes)
            return enemy_first + integer((((enemy_turns >> shift) & mask) << lane_bits) | ((enemy >> shift) & mask))
        if slot < enemy_danger_slot:
            shift = lane_bits * Word(slot - own_danger_slot)
            return own_danger_first + integer((((own_danger >> shift) & mask) << lane_bits) | ((own >> shift) & mask))
        if slot < race_slot:
            shift = lane_bits * Word(slot - enemy_danger_slot)
            return enemy_danger_first + integer(
                (((enemy_danger >> shift) & mask) << lane_bits) | ((enemy >> shift) & mask)
            )
        if slot == race_slot:
            return race_first + race
        if slot == race_slot + 1:
            return safe_first + safe_race
        return own_set_first + own_set if slot == race_slot + 2 else enemy_set_first + enemy_set

    return shared_slots("cubes, their turns and dangers", kinds, feature, view=view)


def _danger(board: Cubes) -> Any:
    """The kernel (side, its enemy, the enemy's turns) → one lane per cube of the side.

    Bit 0: an enemy cube can capture the cube in one step. Bit 1: the enemy's next die allows such a cube to move.
    Squares are bits of a word, in the enemy's view.
    """
    cubes, columns, bits, mask = board.cubes, board.columns, Word(board.bits), Word(board.gone)
    squares, nowhere = board.squares, 63
    all_squares = Word((1 << squares) - 1)
    to_the_right = Word(sum(1 << square for square in range(squares) if square % columns != columns - 1))
    places = range(board.gone + 1)
    bit_of = numpy.array([1 << place if place < squares else 0 for place in places], dtype=Word)
    mirrored = numpy.array([squares - 1 - place if place < squares else nowhere for place in places], dtype=Word)
    one, column, diagonal, upwards = Word(1), Word(columns), Word(columns + 1), Word(columns - 1)

    @kernel(inline=True)
    def steps(standing: Word) -> Word:
        """The squares one step away: right, down, right-down and right-up."""
        free = standing & to_the_right
        return ((free << one) | (standing << column) | (free << diagonal) | (free >> upwards)) & all_squares

    @kernel(inline=True)
    def in_danger(side: Word, enemy: Word, enemy_turns: Word) -> Word:
        standing, next_ones = WORD_ZERO, WORD_ZERO
        for _ in range(cubes):
            square = bit_of[integer(enemy & mask)]
            standing |= square
            next_ones |= square * (enemy_turns & one)
            enemy >>= bits
            enemy_turns >>= bits
        reached, next_reached = steps(standing), steps(next_ones)
        found, shift = WORD_ZERO, WORD_ZERO
        for _ in range(cubes):
            square = mirrored[integer((side >> shift) & mask)]
            found |= (((reached >> square) & one) | (((next_reached >> square) & one) << one)) << shift
            shift += bits
        return found

    return in_danger


def mirrored_sets(cubes: int) -> numpy.ndarray:
    """[set of cubes] → its index; a set and its reverse share one."""
    found: dict[int, int] = {}
    numbers = []
    for cubes_left in range(1 << cubes):
        reversed_set = int(f"{cubes_left:0{cubes}b}"[::-1], 2)
        numbers.append(found.setdefault(min(cubes_left, reversed_set), len(found)))
    return numpy.array(numbers)
