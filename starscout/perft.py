"""Perft: how many leaves the game tree has at a depth, the first test of any rules."""

import functools
from typing import Any, NamedTuple

import numpy

from starscout.bits import integer
from starscout.game import ONGOING, Game, Position, new_rows
from starscout.kernel import kernel

ENOUGH_BRANCHES = 40
SHORT_DEPTH = 6
"""Counts of this depth take no time worth showing: they stay whole."""


class Branch(NamedTuple):
    """A part of a count: `weight` times the leaves `depth` plies below a position."""

    position: Position
    depth: int
    weight: int


def perft(game: Game, position: Position, depth: int, roll: int = 0) -> int:
    """Leaves `depth` plies below the position; a finished game is one leaf, every roll is its own branch.

    With a `roll` given, the first ply answers that roll only.
    """
    return sum(count_leaves(game, branch) for branch in branches(game, position, depth, roll, enough=1))


def count_leaves(game: Game, branch: Branch) -> int:
    """The leaves of one branch."""
    rows = new_rows(game, branch.depth + 1)
    return branch.weight * int(_build(game)(branch.position, branch.depth, rows))


def branches(game: Game, position: Position, depth: int, roll: int = 0, enough: int = ENOUGH_BRANCHES) -> list[Branch]:
    """A count cut into `enough` parts of a few plies less, so that a long one can show how far it is."""
    depth = min(depth, game.max_plies)
    if roll == 0 or not game.has_dice:
        found = [Branch(position, depth, 1)]
    elif depth == 0 or game.outcome(position) != ONGOING:
        return [Branch(position, depth, 1)]
    else:
        found = [Branch(game.play_position(position, move), depth - 1, 1) for move in game.legal(position, roll)]
    while len(found) < enough and found[0].depth > SHORT_DEPTH:
        found = [child for branch in found for child in _children(game, branch)]
    return found


def _children(game: Game, branch: Branch) -> list[Branch]:
    position, depth, weight = branch
    if game.outcome(position) != ONGOING:
        return [Branch(position, depth - 1, weight)]
    groups = [game.group(position, index) for index in range(game.groups(position))]
    return [
        Branch(game.play_position(position, move), depth - 1, weight * int(rolls))
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
                # Most nodes are one ply above the leaves: they are counted here, without a call.
                below += last_ply(following, rows[1]) if depth == 2 else leaves(following, depth - 1, rows)
            total += weight * below
        return total

    return leaves
