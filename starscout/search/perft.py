"""Perft: the number of leaves of the game tree at a depth, a standard test of move generators."""

import functools
from typing import Any, NamedTuple

import numpy

from starscout.game import ONGOING, Game, Position, new_rows
from starscout.kernels.bits import integer
from starscout.kernels.kernel import kernel
from starscout.kernels.stop_flags import raised, stoppable

ENOUGH_PARTS = 40
SHORT_DEPTH = 6
"""Counts up to this depth are not split for a progress bar: they take too little time."""


STOP_ROW = 0
"""The row whose first number is the stop flag: depth 0 generates no moves, and another argument would cost time."""


class PerftPart(NamedTuple):
    """A part of a perft count: `weight` times the leaves `depth` plies below a position."""

    position: Position
    depth: int
    weight: int


def perft(game: Game, position: Position, depth: int, roll: int = 0) -> int:
    """Leaves `depth` plies below the position; a finished game is one leaf, every roll is a branch of its own.

    With a `roll` given, the first ply answers that roll only.
    """
    return sum(count_leaves(game, part) for part in perft_parts(game, position, depth, roll, enough=1))


def count_leaves(game: Game, part: PerftPart) -> int:
    """The leaves of one part."""
    rows = new_rows(game, part.depth + 1)
    with stoppable(rows[STOP_ROW]):
        return part.weight * int(_build(game)(part.position, part.depth, rows))


def perft_parts(
    game: Game, position: Position, depth: int, roll: int = 0, enough: int = ENOUGH_PARTS
) -> list[PerftPart]:
    """A count split into at least `enough` parts if it is deep, so that a long count can show its progress."""
    depth = min(depth, game.max_plies)
    if roll == 0 or not game.has_dice:
        found = [PerftPart(position, depth, 1)]
    elif depth == 0 or game.outcome(position) != ONGOING:
        return [PerftPart(position, depth, 1)]
    else:
        found = [PerftPart(game.play_position(position, move), depth - 1, 1) for move in game.legal(position, roll)]
    while len(found) < enough and found[0].depth > SHORT_DEPTH:
        found = [child for part in found for child in _children(game, part)]
    return found


def _children(game: Game, part: PerftPart) -> list[PerftPart]:
    position, depth, weight = part
    if game.outcome(position) != ONGOING:
        return [PerftPart(position, depth - 1, weight)]
    groups = [game.group(position, index) for index in range(game.groups(position))]
    return [
        PerftPart(game.play_position(position, move), depth - 1, weight * int(rolls))
        for roll, rolls in groups
        for move in game.legal(position, int(roll))
    ]


@functools.cache
def _build(game: Game) -> Any:
    outcome, groups, group, moves, play, count = (
        game.outcome, game.groups, game.group, game.moves, game.play, game.count,
    )  # fmt: skip

    @kernel(inline=True)
    def last_ply(position: Position, row: numpy.ndarray) -> int:
        """The leaves one ply below."""
        if outcome(position) != ONGOING:
            return integer(1)
        total = integer(0)
        for index in range(groups(position)):
            roll, weight = group(position, index)
            total += weight * count(position, roll, row)
        return total

    @kernel
    def leaves(position: Position, depth: int, rows: numpy.ndarray) -> int:
        if raised(rows) != 0:
            return integer(0)
        if depth == 0 or outcome(position) != ONGOING:
            return integer(1)
        row = rows[depth]
        if depth == 1:
            return last_ply(position, row)
        total = integer(0)
        for index in range(groups(position)):
            roll, weight = group(position, index)
            below = integer(0)
            for number in range(moves(position, roll, row)):
                following = play(position, row[number])
                # Most nodes are one ply above the leaves: count them without a recursive call.
                below += last_ply(following, rows[1]) if depth == 2 else leaves(following, depth - 1, rows)
            total += weight * below
        return total

    return leaves
