"""Perft: how many leaves the game tree has at a depth, the first test of any rules."""

import functools
from typing import Any

import numpy

from starscout.bits import integer
from starscout.game import ONGOING, Game, Position, new_rows
from starscout.kernel import kernel


def perft(game: Game, position: Position, depth: int, roll: int = 0) -> int:
    """Leaves `depth` plies below the position; a finished game is one leaf, every roll is its own branch.

    With a `roll` given, the first ply answers that roll only.
    """
    rows = new_rows(game, depth + 1)
    if depth == 0 or game.outcome(position) != ONGOING or roll == 0 or not game.has_dice:
        return int(_build(game)(position, depth, rows))
    count = _build(game)
    return sum(int(count(game.play_position(position, move), depth - 1, rows)) for move in game.legal(position, roll))


@functools.cache
def _build(game: Game) -> Any:
    outcome, groups, group, moves, play, count = (
        game.outcome, game.groups, game.group, game.moves, game.play, game.count,
    )  # fmt: skip

    @kernel
    def leaves(position: Position, depth: int, rows: numpy.ndarray) -> int:
        if depth == 0 or outcome(position) != ONGOING:
            return integer(1)
        total = integer(0)
        row = rows[depth]
        for index in range(groups(position)):
            roll, weight = group(position, index)
            if depth == 1:
                total += weight * count(position, roll, row)
            else:
                below = integer(0)
                for number in range(moves(position, roll, row)):
                    below += leaves(play(position, row[number]), depth - 1, rows)
                total += weight * below
        return total

    return leaves
