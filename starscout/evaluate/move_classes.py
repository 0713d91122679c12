"""Classes of moves: which moves a playout tries first, and which it leaves for last.

A class is a kernel (position, move) → FIRST_CLASS, ORDINARY or LAST_CLASS; there is one for each game that has any.
"""

import functools
from collections.abc import Callable

import numpy

from starscout.bits import WORD_ALL, WORD_ZERO, Word, lowest
from starscout.evaluate.classes import FIRST_CLASS, LAST_CLASS, ORDINARY
from starscout.game import Game, Position
from starscout.games import cubes as cube_board
from starscout.games import ewn, ewn_cyclic, kari, othello
from starscout.games.cubes import SHIFT_MASK, WORD_TARGET_SHIFT
from starscout.kernel import kernel

Classify = Callable[[Position, int], int]


def move_classes(game: Game) -> Classify | None:
    """The classes of a game's moves; None if the game has none."""
    if game.position is kari.Position:
        return _kari()
    if game.position is ewn.Position:
        return _race(game.rows, game.columns, game.faces)
    if game.position is ewn_cyclic.Position:
        return _race(game.rows, game.columns, ewn_cyclic.CUBES)
    if game.position is othello.Position:
        return _corners(game.rows)
    return None


@functools.cache
def _race(rows: int, columns: int, cubes: int) -> Classify:
    board = cube_board.build_cubes(rows, columns, cubes)
    capture, goal = board.capture, Word(board.squares - 1)

    @kernel
    def classify(position: Position, move: int) -> int:
        """First: what wins at once, by the corner or by the last capture."""
        target = Word(move) >> WORD_TARGET_SHIFT
        if target == goal or capture(position.enemy, goal - target) == WORD_ALL:
            return FIRST_CLASS
        return ORDINARY

    return classify


@functools.cache
def _corners(size: int) -> Classify:
    last = size - 1
    kinds = numpy.full(othello.PASS + 1, ORDINARY, dtype=numpy.int64)
    guarded = numpy.zeros(othello.PASS + 1, dtype=Word)
    for row, column in ((0, 0), (0, last), (last, 0), (last, last)):
        corner = row * size + column
        kinds[corner] = FIRST_CLASS
        inner_row, inner_column = min(max(row, 1), last - 1), min(max(column, 1), last - 1)
        guarded[inner_row * size + inner_column] = 1 << corner

    @kernel
    def classify(position: Position, move: int) -> int:
        """First: corners. Last: the squares diagonally beside a corner that is still empty."""
        if guarded[move] & ~(position.own | position.enemy) != WORD_ZERO:
            return LAST_CLASS
        return kinds[move]

    return classify


@functools.cache
def _kari() -> Classify:
    board = cube_board.build_cubes(kari.SIZE, kari.SIZE, kari.CUBES)
    square, find, bits = board.square, board.find, board.bits
    step_count, step_target = cube_board.step_table(board, kari.STEPS)
    shifts = numpy.array([bits * cube for cube in range(kari.CUBES)], dtype=Word)
    reaches = numpy.zeros((board.gone + 1, board.squares), dtype=numpy.bool_)
    for place in range(board.squares):
        reaches[place, step_target[place, : step_count[place]].astype(numpy.int64)] = True
    goal = Word(board.squares - 1)
    shift_mask = Word(SHIFT_MASK)
    cubes, no_move = kari.CUBES, kari.PASS

    @kernel
    def classify(position: Position, move: int) -> int:
        """First: captures that are safe or answered by a larger number only, and arrivals that win.

        Last: arriving while the enemy has not arrived.
        """
        if move == no_move:
            return ORDINARY
        target = Word(move) >> WORD_TARGET_SHIFT
        shift = Word(move) & shift_mask
        if target == goal:
            enemy_arrived = find(position.enemy, goal)
            if enemy_arrived == WORD_ZERO:
                return LAST_CLASS
            return FIRST_CLASS if lowest(enemy_arrived) // bits > numpy.int64(shift) // bits else ORDINARY
        place = goal - target
        if find(position.enemy, place) == WORD_ZERO:
            return ORDINARY
        for cube in range(cubes):
            if shifts[cube] <= shift and reaches[square(position.enemy, shifts[cube]), place]:
                return ORDINARY
        return FIRST_CLASS

    return classify
