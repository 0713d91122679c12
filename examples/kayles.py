"""Kayles: a game in one file that brings its own exact endgame.

Twenty-four pins stand in a row. A move knocks down one pin, or two adjacent pins. The side that knocks down the last
pin wins.

    |||..|||||      runs of 3 and 5 pins

Runs are independent of each other, so the Sprague-Grundy theorem solves the game: the mover loses if and only if the
exclusive or of the Grundy numbers of all runs is 0. `GRUNDY` is computed when the file is loaded. `starscout solve` and
players with endgame=on use it through `Knowledge(table=…)`.
"""

from functools import reduce
from operator import xor
from typing import NamedTuple

import numpy

from starscout.evaluation import Knowledge, Preset
from starscout.game import LOSS, ONGOING, Cell, Game, Symmetry
from starscout.game.notation import parse_board, parse_side, split_fields
from starscout.kernels.bits import WORD_ONE, WORD_ZERO, Word
from starscout.kernels.kernel import kernel
from starscout.search.endgame import EndgameTable

PINS = 24
ALL = Word((1 << PINS) - 1)
TWO = Word(3)


class Position(NamedTuple):
    """One bit per standing pin, and the mover: 0 or 1."""

    pins: Word
    mover: int


# Rules. Move 2·n knocks down pin n, move 2·n + 1 the pins n and n + 1.


@kernel(inline=True)
def start(seed: Word) -> Position:
    return Position(ALL, 0)


@kernel(inline=True)
def moves(position: Position, roll: int, out: numpy.ndarray) -> int:
    count = 0
    for pin in range(PINS):
        standing = position.pins >> Word(pin)
        if standing & WORD_ONE != WORD_ZERO:
            out[count] = 2 * pin
            count += 1
        if standing & TWO == TWO:
            out[count] = 2 * pin + 1
            count += 1
    return count


@kernel(inline=True)
def play(position: Position, move: int) -> Position:
    fallen = TWO if move % 2 == 1 else WORD_ONE
    return Position(position.pins & ~(fallen << Word(move // 2)), 1 - position.mover)


@kernel(inline=True)
def outcome(position: Position) -> int:
    return LOSS if position.pins == WORD_ZERO else ONGOING


# The exact endgame.


def grundy_numbers(longest: int) -> list[int]:
    """[length of a run] → its Grundy number: the least number that no move leads to."""
    numbers = [0]
    for length in range(1, longest + 1):
        reached = {
            numbers[left] ^ numbers[length - fallen - left] for fallen in (1, 2) for left in range(length - fallen + 1)
        }
        numbers.append(next(number for number in range(length + 1) if number not in reached))
    return numbers


GRUNDY = grundy_numbers(PINS)


class GrundyTable(EndgameTable):
    """The exact value of every position."""

    def __init__(self, game: Game) -> None:
        self.game = game

    @property
    def description(self) -> str:
        return "Grundy numbers"

    def covers(self, position: Position) -> bool:
        return True

    def value(self, position: Position) -> float:
        runs = characters(position).split(".")
        return 1.0 if reduce(xor, (GRUNDY[len(run)] for run in runs)) else -1.0


KNOWLEDGE = Knowledge(
    table=GrundyTable,
    players=(Preset("strong", "negascout endgame=on", "exact play by Grundy numbers", "this file"),),
)

# Text.


def characters(position: Position) -> str:
    return "".join("|" if int(position.pins) >> pin & 1 else "." for pin in range(PINS))


def parse(text: str) -> tuple[Position, int]:
    row, side = split_fields(text, ("row", "side to move"), f"{'|' * PINS} a")
    standing = parse_board(row, 1, PINS, ".|")
    return Position(Word(sum(1 << pin for pin in range(PINS) if standing[pin] == "|")), parse_side(side, "ab")), 1


def fallen_pins(position: Position, move: int) -> tuple[int, ...]:
    return tuple(range(move // 2, move // 2 + move % 2 + 1))


def mirrored(position: Position) -> Position:
    return Position(Word(int(f"{int(position.pins):0{PINS}b}"[::-1], 2)), position.mover)


GAME = Game(
    name="kayles",
    title="Kayles",
    description="a row of 24 pins: knock down one or two neighbours; the last pin wins",
    dice="none",
    sides=("first", "second"),
    rows=1,
    columns=PINS,
    faces=1,
    max_moves=2 * PINS - 1,
    max_plies=PINS,
    position=Position,
    start=start,
    moves=moves,
    play=play,
    outcome=outcome,
    format=lambda position, roll: f"{characters(position)} {'ab'[position.mover]}",
    parse=parse,
    format_move=lambda position, move: "".join(chr(ord("A") + pin) for pin in fallen_pins(position, move)),
    cells=lambda position: [Cell("|", None) if pin == "|" else Cell("", None) for pin in characters(position)],
    reason=lambda position: "last pin",
    move_squares=fallen_pins,
    symmetries=(
        Symmetry("mirrored", mirrored, lambda position, move: 2 * (PINS - 1 - move // 2 - move % 2) + move % 2),
        Symmetry("sides swapped", lambda position: position._replace(mover=1 - position.mover), lambda p, move: move),
    ),
    typical_plies=20,
    knowledge=KNOWLEDGE,
)
