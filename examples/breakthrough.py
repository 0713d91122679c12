"""Breakthrough on 8×8: reach the far row, or capture all pieces.

A piece moves one square forward, straight or diagonally. It captures diagonally and may not move onto its own pieces.
Black begins at the top and moves down.

    bbbbbbbb/bbbbbbbb/......../......../......../......../wwwwwwww/wwwwwwww b
"""

from typing import NamedTuple

import numpy

from starscout.game import LOSS, ONGOING, Cell, Game, GameError
from starscout.game.notation import format_board, parse_board, parse_side, split_fields, square_name
from starscout.kernels.bits import WORD_ONE, WORD_ZERO, Word, lowest
from starscout.kernels.kernel import kernel

SIZE, SQUARES = 8, 64
BLACK, WHITE = Word(0xFFFF), Word(0xFFFF << 48)
FAR_ROWS = (Word(0xFF << 56), Word(0xFF))
"""The goals of black and white, one bit per square from the top left."""


class Position(NamedTuple):
    own: Word
    enemy: Word
    mover: int


@kernel(inline=True)
def start(seed: Word) -> Position:
    return Position(BLACK, WHITE, 0)


@kernel(inline=True)
def moves(position: Position, event: int, out: numpy.ndarray) -> int:
    count = 0
    forward = SIZE - 2 * SIZE * position.mover
    pieces = position.own
    while pieces != WORD_ZERO:
        square = lowest(pieces)
        pieces &= pieces - WORD_ONE
        for step in range(-1 if square % SIZE > 0 else 0, 2 if square % SIZE < SIZE - 1 else 1):
            target = WORD_ONE << Word(square + forward + step)
            if target & (position.own | position.enemy if step == 0 else position.own) == WORD_ZERO:
                out[count] = square * SQUARES + square + forward + step
                count += 1
    return count


@kernel(inline=True)
def play(position: Position, move: int) -> Position:
    target = WORD_ONE << Word(move % SQUARES)
    own = position.own ^ (WORD_ONE << Word(move // SQUARES)) | target
    return Position(position.enemy & ~target, own, 1 - position.mover)


@kernel(inline=True)
def outcome(position: Position) -> int:
    reached = position.enemy & FAR_ROWS[1 - position.mover] != WORD_ZERO
    return LOSS if reached or position.own == WORD_ZERO else ONGOING


def characters(position: Position) -> str:
    black, white = (position.own, position.enemy) if position.mover == 0 else (position.enemy, position.own)
    return "".join("b" if int(black) >> n & 1 else "w" if int(white) >> n & 1 else "." for n in range(SQUARES))


def parse(text: str) -> tuple[Position, int]:
    example = "bbbbbbbb/bbbbbbbb/......../......../......../......../wwwwwwww/wwwwwwww b"
    board, side = split_fields(text, ("board", "side to move"), example)
    squares, mover = parse_board(board, SIZE, SIZE, ".bw"), parse_side(side, "bw")
    black, white = (Word(sum(1 << n for n, c in enumerate(squares) if c == letter)) for letter in "bw")
    position = Position(*((black, white) if mover == 0 else (white, black)), mover)
    if position.own & FAR_ROWS[mover] or not position.enemy:
        raise GameError(f"{side} has already won, so it is not its turn")
    return position, 1


CELLS = {"b": Cell("b", 0), "w": Cell("w", 1), ".": Cell("", None)}

GAME = Game(
    name="breakthrough", title="Breakthrough", description="8×8: reach the far row", dice="none",
    sides=("black", "white"), rows=SIZE, columns=SIZE, max_moves=48, max_plies=208, typical_plies=60,
    position=Position, start=start, moves=moves, play=play, outcome=outcome, parse=parse,
    format=lambda position, event: f"{format_board(characters(position), SIZE)} {'bw'[position.mover]}",
    format_move=lambda position, move: "".join(square_name(square, SIZE) for square in divmod(move, SQUARES)),
    cells=lambda position: [CELLS[c] for c in characters(position)],
    reason=lambda position: "far row" if position.own else "captured all",
    move_squares=lambda position, move: divmod(move, SQUARES),
)  # fmt: skip
