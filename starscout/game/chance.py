"""Chance events of a position: how they are listed, merged, drawn and resolved.

A node of a search is a position before its event; a ply is an event and the move that follows it:

    position ── events, weights ──> decision ── moves ──> next position

An event reaches the decision in one of two ways:
    as an argument      the die of EinStein würfelt nicht!: `moves(position, event, out)` depends on it
    by `resolve`        a revealed piece or two dice in the position: `resolve(position, event)` is the position to
                        decide in, which has no events left. It may be over, and the other side may be to move.

`Game` derives the kernels that it was not given from those that it was given; they are built here.
"""

import functools
from typing import Any

from starscout.game.values import ONE
from starscout.kernels.bits import Word, below, mix
from starscout.kernels.kernel import kernel

Game = Any
Position = Any
"""Types of contract.py, which imports this module."""

NOT_ROLLED = 0
"""The event of a position whose event is not drawn yet, or that has no events in a game with chance."""
ONLY_EVENT = 1
"""The event of every position of a game without chance."""

MOST_EVENTS = 1024
MOST_WEIGHT = 1 << 17
"""Maximum of the sum of the weights: sums of weighted values must fit in 63 bits."""


@functools.cache
def die_events(faces: int) -> Any:
    """(position) → the number of events: the faces of a die, none if there is one face."""
    count = faces if faces > 1 else 0

    @kernel(inline=True)
    def events(position: Position) -> int:
        return count

    return events


@kernel(inline=True)
def die_event(position: Position, index: int) -> tuple[int, int]:
    """(position, index) → the event and its weight: the faces of a fair die."""
    return index + 1, 1


DIE_EVENTS = f"{die_events.__qualname__}.<locals>.events"
"""The qualified name of the kernels that `die_events` builds."""


def has_fair_die(game: Game) -> bool:
    """Whether a game's events are derived from `faces`; a copy of such a game already has the derived kernels."""
    events: Any = game.events
    return events is None or getattr(events, "py_func", events).__qualname__ == DIE_EVENTS


def build_groups(game: Game) -> Any:
    """(position) → the number of groups: each event is a separate group; without events there is one group."""
    if game.is_fair_die:
        faces = game.faces

        @kernel(inline=True)
        def fair_groups(position: Position) -> int:
            return faces

        return fair_groups
    events = game.events

    @kernel(inline=True)
    def groups(position: Position) -> int:
        return max(events(position), 1)

    return groups


def build_group(game: Game) -> Any:
    """(position, index) → the event of the group and its weight."""
    event, events = game.event, game.events
    if game.is_fair_die:
        return event

    @kernel(inline=True)
    def group(position: Position, index: int) -> tuple[int, int]:
        if events(position) == 0:
            return NOT_ROLLED, 1
        return event(position, index)

    return group


def build_total(game: Game) -> Any:
    """(position) → the sum of the weights; 1 without events."""
    if game.is_fair_die:
        faces = game.faces

        @kernel(inline=True)
        def fair_total(position: Position) -> int:
            return faces

        return fair_total
    events, event = game.events, game.event

    @kernel(inline=True)
    def total(position: Position) -> int:
        weights = 0
        for index in range(events(position)):
            weights += event(position, index)[1]
        return max(weights, 1)

    return total


def build_draw(game: Game) -> Any:
    """(position, random word) → an event, each with a probability proportional to its weight."""
    if game.is_fair_die:
        faces = game.faces

        @kernel(inline=True)
        def roll(position: Position, random: Word) -> int:
            # Without chance, `below` would cost a multiplication.
            return ONLY_EVENT + below(random, faces) if faces > 1 else ONLY_EVENT

        return roll
    events, event, total = game.events, game.event, game.total

    @kernel(inline=True)
    def draw(position: Position, random: Word) -> int:
        if events(position) == 0:
            return NOT_ROLLED
        left = below(random, total(position))
        index = 0
        drawn, weight = event(position, index)
        while left >= weight:
            left -= weight
            index += 1
            drawn, weight = event(position, index)
        return drawn

    return draw


@kernel(inline=True)
def sample_offset(key: Word, seed: Word, total: int) -> int:
    """A random number 0 … total − 1 that depends only on a position and a seed."""
    return below(mix(mix(key ^ mix(seed)) + seed), total)


@kernel(inline=True)
def sampled_weight(before: int, weight: int, total: int, samples: int, offset: int) -> int:
    """Number of the `samples` draws that fall on an event; its mean is samples · weight / total.

    Systematic sampling: the draws are offset, offset + total, … on a line that has `samples` units for each unit of
    weight; `before` is the weight of the events before this one. The weights of all events sum to `samples`.
    """
    first = (before * samples - offset + total - 1) // total
    return ((before + weight) * samples - offset + total - 1) // total - first


@kernel(inline=True)
def unchanged(position: Position, event: int) -> Position:
    """The `resolve` of a game whose events are arguments of `moves`."""
    return position


@functools.cache
def guarded(resolve: Any) -> Any:
    """The `resolve` of a game, extended to positions without events, which it returns unchanged."""
    if resolve.__qualname__ == GUARDED:
        return resolve

    @kernel(inline=True)
    def resolve_event(position: Position, event: int) -> Position:
        if event == NOT_ROLLED:
            return position
        return resolve(position, event)

    return resolve_event


GUARDED = f"{guarded.__qualname__}.<locals>.resolve_event"
"""The qualified name of the kernels that `guarded` builds: a copy of a game already has such a kernel."""


def build_sign(game: Game) -> Any:
    """(position, next position) → 1 if the same side is to move in both, −1 if not."""
    if game.alternating:

        @kernel(inline=True)
        def other_side(position: Position, following: Position) -> int:
            return -1

        return other_side

    @kernel(inline=True)
    def sign(position: Position, following: Position) -> int:
        return 1 if position.mover == following.mover else -1

    return sign


def build_result_value(game: Game) -> Any:
    """(result of a finished game) → its value for a search, in units of game/values.py."""
    points = game.points
    if points == 1:

        @kernel(inline=True)
        def win_or_loss(result: int) -> int:
            return ONE * result

        return win_or_loss

    @kernel(inline=True)
    def result_value(result: int) -> int:
        # Symmetric rounding; ±points are exactly ±ONE.
        return -(-result * ONE // points) if result < 0 else result * ONE // points

    return result_value
