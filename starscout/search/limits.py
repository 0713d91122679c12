"""How long a search may think."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limit:
    """What ends a search; whichever comes first. None means no limit of that kind.

    `time` is for this move; `clock` is what the mover has left for the rest of the game, `increment` what it gets
    back after each move (seconds). `depth` counts plies: a roll and its move are one.
    """

    time: float | None = None
    clock: float | None = None
    increment: float = 0.0
    depth: int | None = None
    nodes: int | None = None
    simulations: int | None = None
