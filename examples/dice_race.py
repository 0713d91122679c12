"""Dice race: a game with a die in one file, with its own evaluation, move classes and preset.

Three runners per side start at the ends of a lane of twelve squares and run towards each other. A roll of 1 to 4 moves
one runner that many squares, or as far as the end, but not onto a runner of its own side; an enemy runner there is
captured. A side wins by reaching the far end first or by capturing the last enemy runner.

    A B C D E F G H I J K L
    x x x . . . . . . o o o        in its own view each side runs from square 0 to square 11
"""

from typing import NamedTuple

import numpy

from starscout.evaluation import FIRST_CLASS, ORDINARY, Evaluation, Knowledge, Preset
from starscout.evaluation.evaluation import Calibration, value_table
from starscout.game import LOSS, NOT_ROLLED, ONGOING, Cell, Game, GameError, Symmetry
from starscout.game.notation import parse_board, parse_side, split_fields
from starscout.kernels.bits import WORD_ONE, WORD_ZERO, Word
from starscout.kernels.kernel import kernel

LENGTH, RUNNERS, FACES = 12, 3, 4
END = LENGTH - 1
START = Word((1 << RUNNERS) - 1)


class Position(NamedTuple):
    """One bit per runner at its square, each side in its own view: square n of one side is END − n of the other."""

    own: Word
    enemy: Word
    mover: int


@kernel(inline=True)
def stands_on(side: Word, square: int) -> bool:
    return side & (WORD_ONE << Word(square)) != WORD_ZERO


@kernel(inline=True)
def start(seed: Word) -> Position:
    return Position(START, START, 0)


@kernel(inline=True)
def moves(position: Position, roll: int, out: numpy.ndarray) -> int:
    """A move is encoded as start · LENGTH + target. The front runner always has one."""
    count = 0
    for square in range(LENGTH):
        target = min(square + roll, END)
        if stands_on(position.own, square) and not stands_on(position.own, target):
            out[count] = square * LENGTH + target
            count += 1
    return count


@kernel(inline=True)
def play(position: Position, move: int) -> Position:
    own = position.own ^ (WORD_ONE << Word(move // LENGTH)) ^ (WORD_ONE << Word(move % LENGTH))
    enemy = position.enemy & ~(WORD_ONE << Word(END - move % LENGTH))
    return Position(enemy, own, 1 - position.mover)


@kernel(inline=True)
def outcome(position: Position) -> int:
    return LOSS if position.own == WORD_ZERO or stands_on(position.enemy, END) else ONGOING


# Knowledge: an evaluation of the lead, and move classes.

VALUES = value_table(Calibration(0.4, 0.5), -END, END, 1)


@kernel
def front(side: Word) -> int:
    square = END
    while not stands_on(side, square):
        square -= 1
    return square


@kernel
def lead(position: Position) -> int:
    return VALUES[END + front(position.own) - front(position.enemy)]


@kernel
def classify(position: Position, move: int) -> int:
    target = move % LENGTH
    return FIRST_CLASS if target == END or stands_on(position.enemy, END - target) else ORDINARY


KNOWLEDGE = Knowledge(
    evaluations={"lead": lambda game: Evaluation("lead", lead, order=classify)},
    move_classes=lambda game: classify,
    players=(Preset("strong", "negascout table=16", "Star2 on the lead of the front runner", "this file"),),
)

# Text.


def square_name(position: Position, square: int) -> str:
    return "ABCDEFGHIJKL"[square if position.mover == 0 else END - square]


def characters(position: Position) -> str:
    first, second = (position.own, position.enemy) if position.mover == 0 else (position.enemy, position.own)
    return "".join("x" if stands_on(first, n) else "o" if stands_on(second, END - n) else "." for n in range(LENGTH))


def format_position(position: Position, roll: int) -> str:
    return f"{characters(position)} {'xo'[position.mover]} {'-' if roll == NOT_ROLLED else roll}"


def parse(text: str) -> tuple[Position, int]:
    lane, side_text, die = split_fields(text, ("lane", "side to move", "die"), "xxx......ooo x -")
    lane, mover = parse_board(lane, 1, LENGTH, ".xo"), parse_side(side_text, "xo")
    if die not in ("-", "1", "2", "3", "4"):
        raise GameError(f"die: expected 1 to {FACES}, or - before the roll, got {die!r}")
    sides = [
        Word(sum(1 << n for n in range(LENGTH) if seen[n] == letter))
        for seen, letter in ((lane, "x"), (lane[::-1], "o"))
    ]
    if stands_on(sides[mover], END) or sides[1 - mover] == WORD_ZERO:
        raise GameError(f"{side_text} has already won, so it is not its turn")
    return Position(sides[mover], sides[1 - mover], mover), NOT_ROLLED if die == "-" else int(die)


CELLS = {"x": Cell("x", 0), "o": Cell("o", 1), ".": Cell("", None)}


def other_side_first(position: Position) -> Position:
    return position._replace(mover=1 - position.mover)


GAME = Game(
    name="dice-race",
    title="Dice race",
    description="three runners per side on a lane of twelve squares, a die 1–4: reach the far end or capture all",
    dice="a fair die 1–4",
    sides=("red", "blue"),
    rows=1,
    columns=LENGTH,
    faces=FACES,
    max_moves=RUNNERS,
    max_plies=2 * RUNNERS * END,
    position=Position,
    start=start,
    moves=moves,
    play=play,
    outcome=outcome,
    format=format_position,
    parse=parse,
    format_move=lambda position, move: "".join(square_name(position, square) for square in divmod(move, LENGTH)),
    cells=lambda position: [CELLS[character] for character in characters(position)],
    reason=lambda position: "far end" if stands_on(position.enemy, END) else "captured all",
    move_squares=lambda position, move: tuple(n if position.mover == 0 else END - n for n in divmod(move, LENGTH)),
    symmetries=(Symmetry("colours swapped", other_side_first, lambda position, move: move),),
    other_side_first=other_side_first,
    typical_plies=14,
    knowledge=KNOWLEDGE,
)
