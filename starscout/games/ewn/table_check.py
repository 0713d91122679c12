"""A table against the rules: values of random positions, computed anew from those after every roll and move.

The rules are the game's own kernels, which the builder of tables does not use.
"""

import random

from starscout.game import NOT_ROLLED, ONGOING, Position
from starscout.games.ewn.board import build_cubes, make_side
from starscout.games.ewn.endgame_table import EwnTable
from starscout.games.ewn.table_builder import CERTAIN

SAMPLES = 300


def random_position(table: EwnTable, generator: random.Random) -> Position:
    """A random position that a table covers, red to move."""
    game = table.game
    board = build_cubes(game.rows, game.columns, game.faces)
    while True:
        own_count = generator.randint(1, min(game.faces, table.cubes - 1))
        enemy_count = generator.randint(1, min(game.faces, table.cubes - own_count))
        squares = generator.sample(range(board.squares), own_count + enemy_count)
        own_squares, enemy_squares = squares[:own_count], [board.squares - 1 - s for s in squares[own_count:]]
        if board.squares - 1 in own_squares + enemy_squares:
            continue
        sides = []
        for places in (own_squares, enemy_squares):
            side: list[int | None] = [None] * game.faces
            for cube, place in zip(generator.sample(range(game.faces), len(places)), places, strict=True):
                side[cube] = place
            sides.append(make_side(board, side))
        return game.position(*sides, 0)


def recomputed_value(table: EwnTable, position: Position) -> float:
    """The mover's expected result by the rules and by the table's values of the positions one ply later."""
    game, total = table.game, 0.0
    for roll in range(1, game.faces + 1):
        best = -1.0
        for move in game.legal(position, roll):
            following = game.play_position(position, move)
            result = int(game.outcome(following))
            best = max(best, -(float(result) if result != ONGOING else table.value(following)))
        total += best
    return total / game.faces


def first_wrong_value(table: EwnTable, samples: int = SAMPLES) -> str | None:
    """The text of the first of some random positions whose value is not the mean over its rolls; None if all are."""
    generator = random.Random(0)
    for _ in range(samples):
        position = random_position(table, generator)
        if abs(table.value(position) - recomputed_value(table, position)) > 1.01 / CERTAIN:
            return table.game.format(position, NOT_ROLLED)
    return None
