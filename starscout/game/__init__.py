"""The game contract: rules, states, laws, notation and values."""

from starscout.errors import GameError, WorkError
from starscout.game.contract import (
    DRAW,
    LOSS,
    NOT_ROLLED,
    ONGOING,
    WIN,
    Cell,
    Game,
    Outcome,
    Position,
    Symmetry,
    new_row,
    new_rows,
)

__all__ = [
    "DRAW",
    "LOSS",
    "NOT_ROLLED",
    "ONGOING",
    "WIN",
    "Cell",
    "Game",
    "GameError",
    "Outcome",
    "Position",
    "Symmetry",
    "WorkError",
    "new_row",
    "new_rows",
]
