"""How a person shows a move on the board: the squares to touch, in order.

(from, to)   a piece goes from one square to another
(square,)    a piece is put on a square
()           no square tells: a pass, or a move that changes the board in another way
"""

from starscout.game import Game, Position


def gesture(game: Game, position: Position, move: int) -> tuple[int, ...]:
    """The squares of a move: those that the game names, else what the move changes on the board."""
    return tuple(game.move_squares(position, move)) or _changed(game, position, move)


def _changed(game: Game, position: Position, move: int) -> tuple[int, ...]:
    before, after = game.cells(position), game.cells(game.play_position(position, move))
    changed = [square for square, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    left = [square for square in changed if before[square].side == position.mover != after[square].side]
    entered = [square for square in changed if after[square].side == position.mover]
    if len(entered) != 1 or len(left) > 1:
        return ()
    return (*left, *entered)
