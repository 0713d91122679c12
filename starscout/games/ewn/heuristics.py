"""Heuristics shared by the EinStein games: distances, move ordering and move classes."""

import functools
from typing import Any

import numpy

from starscout.evaluation.evaluation import Calibration, Evaluation, value_table
from starscout.evaluation.knowledge import FIRST_CLASS, ORDINARY, Classify, Preset
from starscout.evaluation.weights import Weights, pack
from starscout.game import Game, Position
from starscout.games.ewn.board import SHIFT_MASK, WORD_TARGET_SHIFT, Cubes, build_cubes, movable
from starscout.kernels.bits import WORD_ALL, Word, integer
from starscout.kernels.kernel import kernel

GOAL_FIRST, CAPTURE_FIRST, STEP_FIRST = 1000, 500, 100

UCT_PRUNED = Preset(
    "uct-pruned",
    "mcts rule=ucb c=1.414 choose=value prune=visits period=1000",
    "UCT that prunes moves with fewer visits than average every 1,000 visits",
    "report 001_b337862ddef67b6b.txt, without its corners",
)


@functools.cache
def board_of(rows: int, columns: int, cubes: int) -> Cubes:
    """The representation of a board, shared by all evaluations."""
    return build_cubes(rows, columns, cubes)


def distances(board: Cubes, gone: int) -> numpy.ndarray:
    """[square in its owner's view] → steps to the far corner (diagonal steps count one); `gone` for a captured cube."""
    table = numpy.full(board.gone + 1, gone, dtype=numpy.int64)
    for square in range(board.squares):
        row, column = divmod(square, board.columns)
        table[square] = max(board.rows - 1 - row, board.columns - 1 - column)
    return table


def rolls_of(board: Cubes) -> numpy.ndarray:
    """[set of cubes, cube] → number of rolls that allow the cube to move."""
    table = numpy.zeros((1 << board.cubes, board.cubes), dtype=numpy.int64)
    for cubes_left in range(1 << board.cubes):
        for roll in range(1, board.cubes + 1):
            for cube in movable(cubes_left, roll, board.cubes):
                table[cubes_left, cube] += 1
    return table


@functools.cache
def least_distance(board: Cubes) -> Any:
    """The kernel (side) → the least distance of its cubes."""
    nearest = distances(board, max(board.rows, board.columns))
    cubes, bits, mask = board.cubes, Word(board.bits), Word(board.gone)

    @kernel
    def least(side: Word) -> int:
        result = nearest[integer(side & mask)]
        for _ in range(cubes - 1):
            side >>= bits
            result = min(result, nearest[integer(side & mask)])
        return result

    return least


def nearest_cubes(board: Cubes, calibration: Calibration) -> Evaluation:
    """The evaluation `distance`: the enemy's least distance − the mover's."""
    furthest = max(board.rows, board.columns)
    weights = pack({"values": value_table(calibration, -furthest, furthest, 1)})
    return Evaluation("distance", _nearest_cubes(board), move_order(board), weights)


@functools.cache
def _nearest_cubes(board: Cubes) -> Any:
    least = least_distance(board)
    furthest = max(board.rows, board.columns)

    @kernel
    def distance(position: Position, weights: Weights) -> int:
        return integer(weights.values[furthest + least(position.enemy) - least(position.own)])

    return distance


@functools.cache
def move_order(board: Cubes) -> Any:
    """The kernel (position, move) → rank: reaching the goal, then captures of enemies, then short distances."""
    near = distances(board, 0)
    goal = Word(board.squares - 1)
    stands_on = board.stands_on

    @kernel
    def order(position: Position, move: int) -> int:
        target = Word(move) >> WORD_TARGET_SHIFT
        if target == goal:
            return GOAL_FIRST
        if move == SHIFT_MASK:
            return 0
        rank = STEP_FIRST - near[integer(target)]
        if stands_on(position.enemy, goal - target):
            rank += CAPTURE_FIRST
        return rank

    return order


def wins_at_once(board: Cubes) -> Classify:
    """Move classes. First: immediate wins, by reaching the corner or by the last capture."""
    capture, goal = board.capture, Word(board.squares - 1)

    @kernel
    def classify(position: Position, move: int) -> int:
        target = Word(move) >> WORD_TARGET_SHIFT
        if target == goal or capture(position.enemy, goal - target) == WORD_ALL:
            return FIRST_CLASS
        return ORDINARY

    return classify


def far_corners(game: Game) -> dict[int, int]:
    """The goal corner of each side, as square → side."""
    return {game.rows * game.columns - 1: 0, 0: 1}
