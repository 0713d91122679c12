"""What a program that learns sees of one state: its actions by number, and the board as numbers."""

from typing import Any

import numpy

from starscout.game import Game
from starscout.state import State

Array = numpy.ndarray[Any, Any]


def action_count(game: Game) -> int:
    """How many actions there are."""
    return game.actions or game.max_moves


def legal_actions(state: State) -> dict[int, int]:
    """Action → move, for every legal move; none when the game is over."""
    moves = state.legal
    if state.game.action is None:
        return dict(enumerate(moves))
    return {int(state.game.action(state.position, move)): move for move in moves}


def action_mask(state: State) -> Array:
    """1 for every legal action, else 0."""
    mask = numpy.zeros(action_count(state.game), dtype=numpy.int8)
    mask[list(legal_actions(state))] = 1
    return mask


def board_view(state: State) -> Array:
    """[row, column] → 0, or the kind of the piece there: positive if it is the mover's."""
    game = state.game
    out = numpy.zeros(game.rows * game.columns, dtype=numpy.int8)
    if game.view is not None:
        game.view(state.position, out)
    else:
        for square, cell in enumerate(game.cells(state.position)):
            kind = 0 if cell.side is None else int(cell.text) if cell.text.isdecimal() and int(cell.text) else 1
            out[square] = kind if cell.side == state.mover else -kind
    return out.reshape(game.rows, game.columns)
