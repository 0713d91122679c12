"""Perft: the number of leaves of the game tree at a depth, a standard test of move generators."""

import functools
from typing import Any, NamedTuple

import numpy

from starscout.game import NOT_ROLLED, ONGOING, Game, Position, new_rows
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
    """Leaves `depth` plies below the position; a finished game is one leaf, every event is a separate branch.

    With a `roll`, the first ply has only this event.
    """
    return sum(count_leaves(game, part) for part in perft_parts(game, position, depth, roll, enough=1))


def expected_leaves(game: Game, position: Position, depth: int, roll: int = 0) -> float:
    """The mean of the leaf counts over the events, weighted by their probabilities."""
    total = 0.0
    for part in perft_parts(game, position, depth, roll, enough=1):
        rows = new_rows(game, part.depth + 1)
        with stoppable(rows[STOP_ROW]):
            total += part.weight * float(_build(game, weighted=True)(part.position, part.depth, rows))
    return total


def count_leaves(game: Game, part: PerftPart) -> int:
    """The leaves of one part."""
    rows = new_rows(game, part.depth + 1)
    with stoppable(rows[STOP_ROW]):
        return part.weight * int(_build(game)(part.position, part.depth, rows))


def perft_parts(
    game: Game, position: Position, depth: int, roll: int = 0, enough: int = ENOUGH_PARTS
) -> list[PerftPart]:
    """A count split into at least `enough` parts if it is deep, so that a long count can show its progress."""
    depth = min(depth, game.max_depth)
    if roll == 0 or not game.has_chance:  # also where the position has no events
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
    branches, branch = _branches(game)
    found: list[PerftPart] = []
    for index in range(branches(position)):
        event, number = map(int, branch(position, index))
        decision = game.resolve_position(position, event)
        if game.outcome(decision) != ONGOING:
            found.append(PerftPart(decision, depth - 1, weight * number))
        for move in game.legal(decision, event):
            found.append(PerftPart(game.play_position(decision, move), depth - 1, weight * number))
    return found


def _branches(game: Game, *, weighted: bool = False) -> tuple[Any, Any]:
    """The kernels (position) → number of branches, and (position, index) → an event and its multiplicity.

    `weighted`: an event and its probability.
    """
    if weighted:
        return game.groups, _chance_of_group(game)
    if game.is_fair_die:
        return game.groups, game.group  # all weights are 1
    events, event = game.events, game.event

    @kernel(inline=True)
    def branches(position: Position) -> int:
        return max(events(position), 1)

    @kernel(inline=True)
    def branch(position: Position, index: int) -> tuple[int, int]:
        if events(position) == 0:
            return NOT_ROLLED, 1
        return event(position, index)[0], 1

    return branches, branch


def _chance_of_group(game: Game) -> Any:
    """The kernel (position, index) → an event of a group and the probability of the group."""
    group, total = game.group, game.total

    @kernel(inline=True)
    def chance_of_group(position: Position, index: int) -> tuple[int, float]:
        event, weight = group(position, index)
        return event, weight / total(position)

    return chance_of_group


@functools.cache
def _build(game: Game, *, weighted: bool = False) -> Any:
    outcome, moves, play, count, resolve = game.outcome, game.moves, game.play, game.count, game.resolve
    branches, branch = _branches(game, weighted=weighted)
    resolves = game.resolves
    zero, one = (0.0, 1.0) if weighted else (0, 1)
    as_number: Any = float if weighted else integer

    @kernel(inline=True)
    def last_ply(position: Position, row: numpy.ndarray) -> int:
        """The leaves one ply below."""
        if outcome(position) != ONGOING:
            return as_number(one)
        total = as_number(zero)
        for index in range(branches(position)):
            event, number = branch(position, index)
            decision = resolve(position, event)
            if resolves and outcome(decision) != ONGOING:
                total += number
                continue
            total += number * count(decision, event, row)
        return total

    @kernel
    def leaves(position: Position, depth: int, rows: numpy.ndarray) -> int:
        if raised(rows) != 0:
            return as_number(zero)
        if depth == 0 or outcome(position) != ONGOING:
            return as_number(one)
        row = rows[depth]
        if depth == 1:
            return last_ply(position, row)
        total = as_number(zero)
        for index in range(branches(position)):
            event, number = branch(position, index)
            decision = resolve(position, event)
            if resolves and outcome(decision) != ONGOING:
                total += number
                continue
            below = as_number(zero)
            for place in range(moves(decision, event, row)):
                following = play(decision, row[place])
                # Most nodes are one ply above the leaves: count them without a recursive call.
                below += last_ply(following, rows[1]) if depth == 2 else leaves(following, depth - 1, rows)
            total += number * below
        return total

    return leaves
