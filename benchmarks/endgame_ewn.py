"""Exact results of EWN on small boards: first mover's advantage and best placements.

    python benchmarks/endgame_ewn.py

For each board whose game fits into a table: the first mover's win probability over all placements, the best placement
against the best reply, and how often each kind of opening move is optimal.
"""

from collections import Counter

from starscout import games
from starscout.game import NOT_ROLLED
from starscout.games.ewn.board import build_cubes, move_squares, start_sides, triangle
from starscout.games.ewn.endgame_table import EwnTable, build_table, open_table

BOARDS = (
    "ewn-2x2-1",
    "ewn-3x3-1",
    "ewn-3x3-2",
    "ewn-3x3-3",
    "ewn-3x4-3",
    "ewn-4x4-2",
    "ewn-4x4-3",
    "ewn-5x5-2",
    "ewn-5x5-3",
)
TOLERANCE = 1e-4
KINDS = {(0, 1): "right", (1, 0): "down", (1, 1): "diagonal"}


def main() -> None:
    print(f"{'board':12}{'all':>9}{'mirrored':>10}{'chosen':>9}   optimal opening moves")
    for name in BOARDS:
        game = games.load(name)
        list(build_table(game, 2 * game.faces))
        table = open_table(game, 2 * game.faces)
        assert table is not None
        report(table)


def report(table: EwnTable) -> None:
    game = table.game
    board = build_cubes(game.rows, game.columns, game.faces)
    sides = start_sides(board, tuple(triangle(game.columns, game.faces)), list.pop)
    chances = {
        (own, enemy): (table.value(game.position(sides[own], sides[enemy], 0)) + 1) / 2
        for own in range(len(sides))
        for enemy in range(len(sides))
    }
    mean = sum(chances.values()) / len(chances)
    mirrored = sum(chances[number, number] for number in range(len(sides))) / len(sides)
    # The first mover places its cubes first.
    best = max(range(len(sides)), key=lambda own: min(chances[own, enemy] for enemy in range(len(sides))))
    answer = min(range(len(sides)), key=lambda enemy: chances[best, enemy])
    right: Counter[str] = Counter()
    chosen: Counter[str] = Counter()
    for number in range(len(sides)):
        position = game.position(sides[number], sides[number], 0)
        for roll in range(1, game.faces + 1):
            values = table.move_values(position, roll)
            for move, value in values.items():
                start, target = move_squares(board, position, move)
                down, across = (
                    target // game.columns - start // game.columns,
                    target % game.columns - start % game.columns,
                )
                chosen[KINDS[down, across]] += 1
                right[KINDS[down, across]] += value > max(values.values()) - TOLERANCE
    kinds = ", ".join(f"{kind} {right[kind] / chosen[kind]:.0%}" for kind in KINDS.values() if chosen[kind])
    print(f"{game.name:12}{mean:9.4f}{mirrored:10.4f}{chances[best, answer]:9.4f}   {kinds}", flush=True)
    print(f"{'':12}best placement {game.format(game.position(sides[best], sides[answer], 0), NOT_ROLLED)}")


if __name__ == "__main__":
    main()
