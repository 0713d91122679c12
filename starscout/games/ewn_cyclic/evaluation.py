"""Evaluations of the cyclic game.

race+squares   weights for pairs of arrival turns, for the squares of cubes and for sets of cubes,
               fitted to self-play (`benchmarks/search_fit_cyclic.py`)
race           the turn in which each side's first cube arrives without interaction; exact, as the dice are known
distance       the enemy's least distance to its corner − the mover's, as in the baselines

Features of the cyclic game, for each own and enemy cube and for both sides:

- the square of a cube, with the set of its side's next turns whose die allows it to move
- the square of a cube, with whether an enemy can capture it, and can do so with its next die
- the arrival turns of both sides, as one feature; and the same without the cubes that can be captured next
- the set of remaining cubes of each side
"""

import functools
from pathlib import Path
from typing import Any

import numpy

from starscout.evaluation.evaluation import Calibration, Evaluation, value_table
from starscout.evaluation.features import Features, shared_slots
from starscout.evaluation.weights import Weights, pack, read_arrays
from starscout.game import Position
from starscout.games.ewn import heuristics as shared
from starscout.games.ewn.board import Cubes, movable
from starscout.games.ewn_cyclic.rules import DIGIT_BITS, PERIOD
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


DISTANCE_CALIBRATION = Calibration(0.25, 0.713)
RACE_CALIBRATION = Calibration(0.087, 0.24)
"""A point is a ply between the two arrivals."""

LATEST = 16
"""Maximum arrival turn that is distinguished."""

UNIT = 256
LIMIT = 6 * UNIT
WEIGHTS_FILE = Path(__file__).parent / "squares.csv"
"""Weights in 1/256 logit: arrivals by own turn · 17 + enemy turn, squares in their owner's view, sets."""


def exact_race(board: Cubes) -> Evaluation:
    """The evaluation `race`."""
    weights = pack({"values": value_table(RACE_CALIBRATION, -2 * LATEST, 2 * LATEST + 1, 1)})
    return Evaluation("race", _race(board), shared.move_order(board), weights)


@functools.cache
def _race(board: Cubes) -> Any:
    arrival = arrival_turn(board)

    @kernel
    def race(position: Position, weights: Weights) -> int:
        own = arrival(position.own, position.dice, 0)
        enemy = arrival(position.enemy, position.dice, 1)
        return integer(weights.values[2 * LATEST + 2 * (enemy - own) + 1])

    return race


def exact_race_and_squares(board: Cubes) -> Evaluation:
    """The evaluation `race+squares`."""
    values = value_table(Calibration(0.0, 1.0), -LIMIT, LIMIT, UNIT)
    weights = pack({**read_arrays(WEIGHTS_FILE), "values": values})
    return Evaluation("race+squares", _race_and_squares(board), shared.move_order(board), weights)


@functools.cache
def _race_and_squares(board: Cubes) -> Any:
    arrival = arrival_turn(board)
    cubes, bits, mask, alive = board.cubes, Word(board.bits), Word(board.gone), board.alive

    @kernel
    def race(position: Position, weights: Weights) -> int:
        own, enemy = position.own, position.enemy
        turns = arrival(own, position.dice, 0) * (LATEST + 1) + arrival(enemy, position.dice, 1)
        score = weights.arrivals[turns]
        score += weights.own_sets[integer(alive(own))] + weights.enemy_sets[integer(alive(enemy))]
        for _ in range(cubes):
            score += weights.own_squares[integer(own & mask)] + weights.enemy_squares[integer(enemy & mask)]
            own >>= bits
            enemy >>= bits
        return integer(weights.values[LIMIT + min(max(score, -LIMIT), LIMIT)])

    return race


@functools.cache
def arrival_turn(board: Cubes) -> Any:
    """The kernel (side, dice, ply of its first turn) → the turn, from 1, in which its first cube can arrive.

    A word contains the remaining steps of each cube, one lane per cube. Each roll subtracts a step from the lanes of
    the cubes that it allows to move; the first lane to reach zero has arrived.
    """
    cubes, bits, alive = board.cubes, board.bits, board.alive
    near = shared.distances(board, board.gone).astype(Word)
    lane_bits, mask = Word(bits), Word(board.gone)
    ones = Word(sum(1 << bits * cube for cube in range(cubes)))
    tops = Word(sum(1 << bits * cube + bits - 1 for cube in range(cubes)))
    moving = numpy.zeros((1 << cubes, cubes), dtype=Word)
    for cubes_left in range(1, 1 << cubes):
        for face in range(cubes):
            for cube in movable(cubes_left, face + 1, cubes):
                moving[cubes_left, face] |= Word(1 << bits * cube)
    digit_bits, digit_mask = Word(DIGIT_BITS), Word(7)
    two_digits = Word(2 * DIGIT_BITS)
    last_two = Word(DIGIT_BITS * (PERIOD - 2))
    last_one = Word(DIGIT_BITS * (PERIOD - 1))
    all_digits = Word((1 << DIGIT_BITS * PERIOD) - 1)

    @kernel
    def arrival(side: Word, dice: Word, ply: int) -> int:
        left = alive(side)
        need = WORD_ZERO
        shift = WORD_ZERO
        for _ in range(cubes):
            need |= near[integer((side >> shift) & mask)] << shift
            shift += lane_bits
        if ply == 1:
            dice = (dice >> digit_bits) | ((dice << last_one) & all_digits)
        for turn in range(1, LATEST):
            need -= moving[left, integer(dice & digit_mask)]
            if (need - ones) & ~need & tops != WORD_ZERO:
                return turn
            dice = (dice >> two_digits) | ((dice << last_two) & all_digits)
        return LATEST

    return arrival
