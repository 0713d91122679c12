#!/usr/bin/env python3
"""A `lab` engine for `ewn`: greedy with probability SHARE, else random.  greedy.py SHARE"""

import random
import sys

Board = dict[str, str]


def movable(board: Board, red: bool, die: int) -> list[str]:
    """The squares of the cubes that a roll moves."""
    names = "123456" if red else "abcdef"
    cubes = {names.index(piece) + 1: square for square, piece in board.items() if piece in names}
    if die in cubes:
        return [cubes[die]]
    lower, higher = [n for n in cubes if n < die], [n for n in cubes if n > die]
    return [*([cubes[max(lower)]] if lower else []), *([cubes[min(higher)]] if higher else [])]


def targets(square: str, red: bool) -> list[str]:
    """The squares to which a cube steps."""
    step, goal = (1, "E5") if red else (-1, "A1")
    column, row = square
    across = chr(ord(column) + step) if column != goal[0] else ""
    down = chr(ord(row) + step) if row != goal[1] else ""
    return [
        name for name in (across and across + row, down and column + down, across and down and across + down) if name
    ]


def nearest(board: Board, red: bool) -> int:
    """The distance of a side's nearest cube from its goal; 9 without cubes."""
    names, goal = ("123456", "E5") if red else ("abcdef", "A1")
    return min(
        (
            max(abs(ord(a) - ord(b)) for a, b in zip(s, goal, strict=True))
            for s, piece in board.items()
            if piece in names
        ),
        default=9,
    )


def choose(board: Board, red: bool, die: int, share: float) -> str:
    """A move."""
    moves = [(square, target) for square in movable(board, red, die) for target in targets(square, red)]
    if random.random() >= share:
        return "".join(random.choice(moves))
    values = []
    for square, target in moves:
        after = {name: piece for name, piece in board.items() if name not in (square, target)} | {target: board[square]}
        mine, other = nearest(after, red), nearest(after, not red)
        values.append(
            ((100 if mine == 0 or other == 9 else 0) + other - 2 * mine + random.random() / 2, square + target)
        )
    return max(values)[1]


def main(share: float) -> None:
    """Answer until `quit`."""
    board: Board = {}
    red = True
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "lab":
            print("id name greedy\ngame ewn\nlabok", flush=True)
        elif word == "isready":
            print("readyok", flush=True)
        elif word == "ping":
            print("pong", *rest, flush=True)
        elif word == "position":
            rows = rest[1].split("/")
            board = {
                "ABCDE"[c] + "12345"[r]: rows[r][c] for r in range(5) for c in range(len(rows[r])) if rows[r][c] != "."
            }
            red = rest[2] == "r"
            for move in rest[6::2]:
                board[move[2:]] = board.pop(move[:2])
                red = not red
        elif word == "go":
            print("bestmove", choose(board, red, int(rest[1]), share), flush=True)
        elif word == "quit":
            break


if __name__ == "__main__":
    main(float(sys.argv[1]))
