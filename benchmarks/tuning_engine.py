"""A `lab` engine for ewn whose strength depends on two options; the optimum is own = 14, enemy = 6.

It advances or captures, but the further the options are from the optimum, the more often it makes its worst move. It
uses only the standard library, as an independent program would.
"""

import random
import sys

BEST = {"own": 14, "enemy": 6}
options = {"own": 5, "enemy": 15, "seed": 0}
board: dict[str, str] = {}
mover = "r"


def error_rate() -> float:
    """The probability of the worst move."""
    return min(1.0, 1.5 * sum(((options[name] - best) / 20) ** 2 for name, best in BEST.items()))


def read(fields: list[str]) -> None:
    """Set up the position `start ROWS MOVER DIE [moves …]`."""
    global mover
    board.clear()
    for row, line in enumerate(fields[1].split("/"), 1):
        for column, piece in zip("ABCDE", line, strict=True):
            if piece != ".":
                board[f"{column}{row}"] = piece
    mover = fields[2]
    for move in fields[4:]:
        if not move.isdigit() and move != "moves":
            board[move[2:]] = board.pop(move[:2])
            mover = "b" if mover == "r" else "r"


def legal(die: int) -> list[str]:
    """The moves of the cube of the die, or of the nearest cubes in both directions."""
    names = "123456" if mover == "r" else "abcdef"
    cubes = {names.index(piece) + 1: square for square, piece in board.items() if piece in names}
    lower, higher = sorted(cube for cube in cubes if cube < die), sorted(cube for cube in cubes if cube > die)
    chosen = [die] if die in cubes else lower[-1:] + higher[:1]
    step, moves = 1 if mover == "r" else -1, []
    for cube in chosen:
        column, row = cubes[cube]
        for across, down in ((1, 1), (1, 0), (0, 1)):
            target = f"{chr(ord(column) + step * across)}{int(row) + step * down}"
            if target[0] in "ABCDE" and target[1] in "12345":
                moves.append(cubes[cube] + target)
    return moves


def merit(move: str) -> float:
    """Steps to the goal, with a bonus for captured enemies and a penalty for captured own cubes."""
    goal = (ord("E"), 5) if mover == "r" else (ord("A"), 1)
    left = max(abs(ord(move[2]) - goal[0]), abs(int(move[3]) - goal[1]))
    taken = board.get(move[2:], "")
    return -left + (0 if not taken else 0.5 if taken.isdigit() == (mover == "b") else -0.5)


for line in sys.stdin:
    words = line.split()
    if words[:1] == ["lab"]:
        for name, high in (("own", 20), ("enemy", 20), ("seed", 2**32 - 1)):
            print(f"option name {name} type spin default {options[name]} min 0 max {high}")
        print("labok", flush=True)
    elif words[:1] == ["setoption"]:
        options[words[2]] = int(words[4])
    elif words[:1] == ["newgame"]:
        random.seed(options["seed"])
    elif words[:1] == ["isready"]:
        print("readyok", flush=True)
    elif words[:1] == ["position"]:
        read(words[1:])
    elif words[:1] == ["go"]:
        moves = legal(int(words[2]))
        random.shuffle(moves)
        best = (min if random.random() < error_rate() else max)(moves, key=merit)
        print(f"bestmove {best}", flush=True)
    elif words[:1] == ["quit"]:
        break
