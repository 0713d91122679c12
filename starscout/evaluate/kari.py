"""Evaluations of Kari: `cubes` adds what each cube is worth where it stands, `distance` looks at the nearest only.

cubes      a table of worths by number and steps to the corner, fitted to games of the search against itself
distance   the enemy's least distance to its corner − the mover's
"""

from pathlib import Path
from typing import Any

import numpy

from starscout.bits import WORD_ZERO, Word, integer, lowest, popcount
from starscout.evaluate import cubes as shared
from starscout.evaluate.calibration import Calibration, value_table
from starscout.evaluate.evaluation import Evaluation, zero
from starscout.evaluate.weights import read_arrays
from starscout.game import Game, GameError, Position
from starscout.games.cubes import Cubes
from starscout.kernel import kernel

NAMES = ("cubes", "distance", "zero")

DISTANCE_CALIBRATION = Calibration(0.17, -0.19)
"""In this game who comes late chooses the smaller number: the fit gives the nearer side the worse chances."""

UNIT = 256
LIMIT = 6 * UNIT
WEIGHTS_FILE = Path(__file__).parent / "kari_cubes.csv"
NUMBERS = 7
"""The numbers 0 to 5, and 6 for none."""
FIELD_BITS = 8
FIELD_MASK = (1 << FIELD_BITS) - 1


def evaluation(game: Game, text: str | None) -> Evaluation:
    """The evaluation that a text names, the first of NAMES for None; raises GameError."""
    text = text or NAMES[0]
    board = shared.board_of(game.rows, game.columns, 6)
    order = shared.move_order(board)
    if text == "zero":
        return zero(order)
    if text == "distance":
        return Evaluation(text, _distance(board), order)
    if text == "cubes":
        return Evaluation(text, _cubes(board), order)
    raise GameError(f"{game.name} has no evaluation {text!r}: it has {', '.join(NAMES)}")


def _distance(board: Cubes) -> Any:
    least = shared.least_distance(board)
    furthest = max(board.rows, board.columns)
    values = value_table(DISTANCE_CALIBRATION, -furthest, furthest, 1)

    @kernel
    def distance(position: Position) -> int:
        return integer(values[furthest + least(position.enemy) - least(position.own)])

    return distance


def _cubes(board: Cubes) -> Any:
    weights = read_arrays(WEIGHTS_FILE)
    cubes, bits, mask = board.cubes, Word(board.bits), Word(board.gone)
    alive, find = board.alive, board.find
    goal, one, tops = Word(board.squares - 1), Word(1), Word(board.bits)
    table = packed_table(board, weights["worths"])
    smallest = numpy.array([lowest(Word(left)) if left else NUMBERS - 1 for left in range(1 << cubes)])
    corner_own, corner_enemy = weights["corner_own"], weights["corner_enemy"]
    outside, counts = weights["outside"], weights["counts"]
    constant, own_steps, enemy_steps, own_kings, enemy_kings = (int(number) for number in weights["others"])
    values = value_table(Calibration(0.0, 1.0), -LIMIT, LIMIT, UNIT)

    @kernel
    def side_features(side: Word) -> tuple[int, int, int, int, int, int]:
        """Worth, single steps and diagonal steps left, the number in the corner, the smallest outside, the count."""
        left = alive(side)
        home = find(side, goal)
        corner = NUMBERS - 1
        if home != WORD_ZERO:
            corner = lowest(home) // integer(tops)
            left &= ~(one << Word(corner))
        count = popcount(left) + (corner < NUMBERS - 1)
        total = 0
        for cube in range(cubes):
            total += table[cube, integer(side & mask)]
            side >>= bits
        steps, kings = total & FIELD_MASK, (total >> FIELD_BITS) & FIELD_MASK
        return total >> (2 * FIELD_BITS), steps, kings, corner, smallest[integer(left)], count

    @kernel
    def evaluate(position: Position) -> int:
        worth, steps, kings, corner, out, count = side_features(position.own)
        their_worth, their_steps, their_kings, their_corner, their_out, their_count = side_features(position.enemy)
        score = constant + worth - their_worth
        score += (own_steps * steps + enemy_steps * their_steps + own_kings * kings + enemy_kings * their_kings) // 16
        score += corner_own[corner * NUMBERS + their_out] + corner_enemy[their_corner * NUMBERS + out]
        score += outside[out * NUMBERS + their_out] + counts[count * NUMBERS + their_count]
        return integer(values[LIMIT + min(max(score, -LIMIT), LIMIT)])

    return evaluate


def packed_table(board: Cubes, worths: numpy.ndarray) -> numpy.ndarray:
    """[cube, square] → single steps to the corner, above them diagonal steps, above them the worth; 0: a gone cube."""
    near = shared.distances(board, 0)
    table = numpy.zeros((board.cubes, board.gone + 1), dtype=numpy.int64)
    for cube in range(board.cubes):
        for square in range(board.squares):
            row, column = divmod(square, board.columns)
            steps = board.rows - 1 - row + board.columns - 1 - column
            worth = int(worths[cube * board.rows + int(near[square])])
            table[cube, square] = steps + (int(near[square]) << FIELD_BITS) + (worth << 2 * FIELD_BITS)
    return table
