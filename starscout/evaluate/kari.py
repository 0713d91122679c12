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

DISTANCE_CALIBRATION = Calibration(0.3, 0.6)

UNIT = 100
LIMIT = 1000
WORTHS = (
    (600, 180, 160, 140, 120, 100),
    (420, 150, 130, 110, 100, 90),
    (300, 120, 105, 95, 85, 80),
    (200, 95, 85, 80, 75, 70),
    (120, 80, 75, 70, 65, 60),
    (60, 70, 65, 60, 55, 50),
)
"""[number][steps to the corner] in hundredths of a point of the logistic curve."""
MOVER = 10
"""What it is worth to be the one to move."""


def evaluation(game: Game, text: str) -> Evaluation:
    """The evaluation that a text names; raises GameError."""
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
    values = value_table(Calibration(0.0, 1.0), -LIMIT, LIMIT, UNIT)

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
