"""Evaluations of Kari: `cubes` adds what each cube is worth where it stands, `distance` looks at the nearest only.

cubes      a table of worths by number and steps to the corner, fitted to games of the search against itself
distance   the enemy's least distance to its corner − the mover's
"""

from typing import Any

import numpy

from starscout.bits import Word, integer
from starscout.evaluate import cubes as shared
from starscout.evaluate.calibration import Calibration, value_table
from starscout.evaluate.evaluation import Evaluation, zero
from starscout.game import Game, GameError, Position
from starscout.games.cubes import Cubes
from starscout.kernel import kernel

NAMES = ("cubes", "distance", "zero")

DISTANCE_CALIBRATION = Calibration(0.17, -0.19)
"""In this game who comes late chooses the smaller number: the fit gives the nearer side the worse chances."""

CUBES_CALIBRATION = Calibration(-0.039, 1.66)
UNIT = 100
LIMIT = 1000
WORTHS = (
    (132, 161, 153, 144, 150, 159),
    (12, 29, 70, 80, 96, 91),
    (5, 3, 56, 69, 82, 79),
    (-89, -40, 20, 51, 58, 62),
    (-163, -66, -7, 37, 48, 39),
    (-223, -36, 18, 57, 44, 39),
)
"""[number][steps to the corner] in hundredths of a point of the logistic curve."""
MOVER = 1
"""What it is worth to be the one to move."""


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
    cubes, bits, mask = board.cubes, Word(board.bits), Word(board.gone)
    near = shared.distances(board, -1)
    worth = numpy.array(
        [[WORTHS[cube][steps] if steps >= 0 else 0 for steps in near] for cube in range(cubes)], dtype=numpy.int64
    )
    values = value_table(CUBES_CALIBRATION, -LIMIT, LIMIT, UNIT)

    @kernel
    def evaluate(position: Position) -> int:
        own, enemy = position.own, position.enemy
        score = MOVER
        for cube in range(cubes):
            score += worth[cube, integer(own & mask)] - worth[cube, integer(enemy & mask)]
            own >>= bits
            enemy >>= bits
        return integer(values[LIMIT + min(max(score, -LIMIT), LIMIT)])

    return evaluate
