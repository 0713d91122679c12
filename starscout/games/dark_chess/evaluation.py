"""Hand-written evaluation of dark chess: material, and for the side that is ahead the distance to its victims.

score   = Σ value of own pieces − Σ value of enemy pieces, revealed or in the pool
chase   = Σ over enemy pieces: 1/16 point per step that the nearest capturer is closer than 11 steps, only for the
          side with more material, because won endings are drawn by the rule of quiet plies unless it approaches
value   = tanh(score / 8), reduced as quiet plies approach their limit
"""

import numpy

from starscout.evaluation.evaluation import Calibration, Evaluation, value_table
from starscout.evaluation.knowledge import FIRST_CLASS, ORDINARY
from starscout.games.dark_chess.board import (
    CANNON,
    FILES,
    GENERAL,
    KINDS,
    NOT_PENDING,
    POOL_BITS,
    SOLDIER,
    SQUARES,
    Position,
    kind_at,
    mover_colour,
    pieces_of,
)
from starscout.kernels.bits import WORD_ONE, WORD_ZERO, Word, integer, lowest
from starscout.kernels.kernel import kernel

UNIT = 16
"""Parts of a point."""
PIECE_VALUES = numpy.array([6 * UNIT, 5 * UNIT, 3 * UNIT, 2 * UNIT, UNIT * 3 // 2, 4 * UNIT, UNIT], dtype=numpy.int64)
"""K A E R N C P."""
LARGEST = int(sum(PIECE_VALUES * numpy.array([1, 2, 2, 2, 2, 2, 5]))) + 11 * 16
VALUES = value_table(Calibration(0.0, 0.25), -LARGEST, LARGEST, UNIT)
QUIET = 30
FAR = 11

DISTANCE = numpy.array(
    [
        [abs(one % FILES - other % FILES) + abs(one // FILES - other // FILES) for other in range(SQUARES)]
        for one in range(SQUARES)
    ],
    dtype=numpy.int64,
)
CAPTURES = numpy.array(
    [
        [
            (hunter == SOLDIER and victim == GENERAL)
            or (hunter != CANNON and hunter <= victim and not (hunter == GENERAL and victim == SOLDIER))
            for victim in range(KINDS)
        ]
        for hunter in range(KINDS)
    ]
)
"""[hunter, victim]: captures by a step."""


@kernel(inline=True)
def material(position: Position, colour: int) -> int:
    """The value of the pieces of a colour, revealed or in the pool."""
    total = 0
    left = pieces_of(position, colour)
    while left != WORD_ZERO:
        total += PIECE_VALUES[kind_at(position, lowest(left))]
        left &= left - WORD_ONE
    pool = position.pool >> Word(POOL_BITS * KINDS * colour)
    for kind in range(KINDS):
        total += PIECE_VALUES[kind] * integer((pool >> Word(POOL_BITS * kind)) & Word(7))
    return total


@kernel
def chase(position: Position, colour: int) -> int:
    """The closeness of the pieces of a colour to the enemy pieces that they capture."""
    total = 0
    enemies = pieces_of(position, 1 - colour)
    while enemies != WORD_ZERO:
        victim_square = lowest(enemies)
        enemies &= enemies - WORD_ONE
        victim = kind_at(position, victim_square)
        nearest = FAR
        hunters = pieces_of(position, colour)
        while hunters != WORD_ZERO:
            square = lowest(hunters)
            hunters &= hunters - WORD_ONE
            if CAPTURES[kind_at(position, square), victim]:
                nearest = min(nearest, DISTANCE[square, victim_square])
        total += FAR - nearest
    return total


@kernel
def evaluate(position: Position) -> int:
    """The mover's value."""
    if position.colours == 0:
        return 0
    colour = mover_colour(position)
    score = material(position, colour) - material(position, 1 - colour)
    if score > 0:
        score += chase(position, colour)
    elif score < 0:
        score -= chase(position, 1 - colour)
    return VALUES[score + LARGEST] // QUIET * (QUIET - position.quiet)


@kernel
def order(position: Position, move: int) -> int:
    """Captures of valuable pieces first, then flips."""
    start, target = move // SQUARES, move % SQUARES
    if start == target:
        return 1
    taken = (position.revealed | (position.revealed >> Word(32))) >> Word(target)
    if taken & WORD_ONE == WORD_ZERO:
        return 0
    return 2 + PIECE_VALUES[kind_at(position, target)]


@kernel
def move_class(position: Position, move: int) -> int:
    """Captures are the first class."""
    return FIRST_CLASS if order(position, move) > 1 and position.pending == NOT_PENDING else ORDINARY


MATERIAL = Evaluation("material", evaluate, order)
