"""A game file for tests: six hidden pieces on one row, drawn from a shrinking pool and revealed after the move.

The mover chooses a hidden square; the piece there is then revealed. `o` counts 0 and passes the turn, `p` counts 1 and
`q` counts 2 for the mover, who moves again. The game is worth the difference, and the last reveal ends it: a game ends
by an event. The pieces are keyed by place, so both games of a pair have the same hidden board.

    o?p??? 1 0 a -     a has 1, b has 0, a is to move
    o?p??? 1 0 a 4     a has chosen the fourth square, which is not revealed yet
"""

import random
from collections.abc import Callable
from typing import NamedTuple

import numpy

from starscout.game import ONGOING, Cell, Game, GameError
from starscout.game.notation import parse_side, split_fields
from starscout.kernels.bits import Word, integer
from starscout.kernels.kernel import kernel

SQUARES, KINDS, EACH = 6, 3, 2
PIECES = "?opq"


class Position(NamedTuple):
    """`board` has four bits for each square: 0 hidden, else the piece. `chosen` is a square from 1, 0 if none."""

    board: Word
    first: int
    second: int
    chosen: int
    mover: int


@kernel(inline=True)
def piece(position: Position, square: int) -> int:
    return integer(position.board >> Word(4 * square)) & 15


@kernel(inline=True)
def left(position: Position, kind: int) -> int:
    """The number of hidden pieces of a kind."""
    count = EACH
    for square in range(SQUARES):
        count -= piece(position, square) == kind
    return count


@kernel(inline=True)
def start(seed: Word) -> Position:
    return Position(Word(0), 0, 0, 0, 0)


@kernel(inline=True)
def events(position: Position) -> int:
    count = 0
    if position.chosen > 0:
        for kind in range(1, KINDS + 1):
            count += left(position, kind) > 0
    return count


@kernel(inline=True)
def event(position: Position, index: int) -> tuple[int, int]:
    kind = 0
    while index >= 0:
        kind += 1
        index -= left(position, kind) > 0
    return kind, left(position, kind)


@kernel(inline=True)
def resolve(position: Position, event: int) -> Position:
    board = position.board | Word(event) << Word(4 * (position.chosen - 1))
    first = position.first + (event - 1 if position.mover == 0 else 0)
    second = position.second + (event - 1 if position.mover == 1 else 0)
    return Position(board, first, second, 0, 1 - position.mover if event == 1 else position.mover)


@kernel(inline=True)
def moves(position: Position, event: int, out: numpy.ndarray) -> int:
    count = 0
    for square in range(SQUARES):
        if piece(position, square) == 0:
            out[count] = square
            count += 1
    return count


@kernel(inline=True)
def play(position: Position, move: int) -> Position:
    return Position(position.board, position.first, position.second, move + 1, position.mover)


@kernel(inline=True)
def outcome(position: Position) -> int:
    for square in range(SQUARES):
        if piece(position, square) == 0:
            return ONGOING
    difference = position.first - position.second
    return difference if position.mover == 0 else -difference


def deal(begin: Position, seed: int) -> Callable[[Position], int]:
    pool = [kind for kind in range(1, KINDS + 1) for _ in range(EACH)]
    random.Random(seed).shuffle(pool)
    return lambda position: pool[position.chosen - 1]


def format_position(position: Position, event: int) -> str:
    board = "".join(PIECES[piece(position, square)] for square in range(SQUARES))
    return f"{board} {position.first} {position.second} {'ab'[position.mover]} {position.chosen or '-'}"


def parse(text: str) -> tuple[Position, int]:
    board, first, second, side, chosen = split_fields(
        text, ("board", "points of a", "points of b", "side", "chosen square"), "o?p??? 1 0 a -"
    )
    if len(board) != SQUARES or set(board) - set(PIECES) or not (first + second).isdecimal():
        raise GameError(f"position: expected six of {PIECES} and two numbers, got {text!r}")
    square = int(chosen) if chosen.isdecimal() else 0
    word = sum(PIECES.index(character) << 4 * square for square, character in enumerate(board))
    return Position(Word(word), int(first), int(second), square, parse_side(side, "ab")), 0


GAME = Game(
    name="reveal", title="Reveal", description="six hidden pieces", dice="a revealed piece", sides=("one", "two"),
    rows=1, columns=SQUARES, max_moves=SQUARES, max_plies=SQUARES, typical_plies=6, position=Position, start=start,
    moves=moves, play=play, outcome=outcome, events=events, event=event, max_events=KINDS, resolve=resolve, deal=deal,
    alternating=False, points=6, format=format_position, parse=parse,
    format_move=lambda position, move: f"s{move + 1}", format_event=lambda position, event: PIECES[event],
    cells=lambda p: [Cell(PIECES[piece(p, square)].replace("?", ""), None) for square in range(SQUARES)],
    move_squares=lambda position, move: (move,), reason=lambda position: "all revealed",
)  # fmt: skip
