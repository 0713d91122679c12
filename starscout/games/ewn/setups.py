"""Set-ups: the start squares of a side that chooses them.

A set-up is `best`, or the squares of cubes 1, 2, … from red's perspective, such as `A1,B1,C1,B2,A3,A2`. Blue's squares
are their point reflections.
"""

from starscout.game import Game, GameError
from starscout.game.notation import square_name
from starscout.game.state import State, from_position
from starscout.games.ewn.board import Cubes, build_cubes, make_side, triangle

BEST = {(3, 3, 3): "A1,B1,A2", (4, 4, 3): "A1,B1,A2", (5, 5, 6): "A1,B1,C1,B2,A3,A2"}
"""(rows, columns, cubes) → a best set-up, by `benchmarks/ewn_setups.py`."""


def set_up(start: State, side: int, text: str) -> State:
    """Put the cubes of a side (0: red) on the squares of a set-up; raises GameError."""
    game, position = start.game, start.position
    board = build_cubes(game.rows, game.columns, game.faces)
    word = make_side(board, list(_read(game, board, text)))
    changed = {"own": word} if position.mover == side else {"enemy": word}
    return from_position(game, position._replace(**changed))


def _read(game: Game, board: Cubes, text: str) -> list[int]:
    """The square of each cube in its owner's view."""
    squares = {square_name(square, board.columns): square for square in triangle(board.columns, board.cubes)}
    best = BEST.get((board.rows, board.columns, board.cubes))
    if text == "best" and best is None:
        raise GameError(
            f"placement: the best set-up of {game.name} is unknown; pass squares such as {','.join(squares)}"
        )
    names = (best if text == "best" and best else text.upper()).split(",")
    if sorted(names) != sorted(squares):
        raise GameError(
            f"placement: expected best or the squares of cubes 1 to {board.cubes}, an arrangement of "
            f"{','.join(squares)}, got {text[:60]!r}"
        )
    return [squares[name] for name in names]
