"""The three classes of moves: a search or a playout may try the first ones first and leave the last ones for last."""

from collections.abc import Callable

from starscout.game import Position

FIRST_CLASS, ORDINARY, LAST_CLASS = 2, 1, 0

Classify = Callable[[Position, int], int]
"""*kernel* (position, move) → FIRST_CLASS, ORDINARY or LAST_CLASS."""
