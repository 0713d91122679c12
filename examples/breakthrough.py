"""Breakthrough on 8×8: reach the far row, or capture all pieces.

A piece moves one square forward, straight or diagonally. It captures diagonally and may not move onto its own pieces.
Black begins at the top and moves down.

    bbbbbbbb/bbbbbbbb/......../......../......../......../wwwwwwww/wwwwwwww b
"""

from typing import NamedTuple

import numpy

from starscout.game import LOSS, ONGOING, Cell, Game, GameError
from starscout.game.notation import format_board, parse_board, parse_side, split_fields, square_name
from starscout.kernels.bits import WORD_ONE, WORD_ZERO, Word, below, lowest, popcount, select
from starscout.kernels.kernel import kernel

SIZE, SQUARES = 8, 64
BLACK, WHITE = Word(0xFFFF), Word(0xFFFF << 48)
FAR_ROWS = (Word(0xFF << 56), Word(0xFF))  # the goals of black and white, one bit per square from the top left
ROW, LEFT, RIGHT = Word(SIZE), Word(0x0101_0101_0101_0101), Word(0x8080_8080_8080_8080)


class Position(NamedTuple):
    own: Word
    enemy: Word
    mover: int


@kernel(inline=True)
def start(seed: Word) -> Position:
    return Position(BLACK, WHITE, 0)


@kernel(inline=True)
def targets(position: Position, step: int) -> Word:
    """The squares that a step to the left (-1), straight ahead (0) or to the right (1) can reach."""
    ahead = position.own << ROW if position.mover == 0 else position.own >> ROW
    if step == 0:
        return ahead & ~(position.own | position.enemy)
    return ((ahead & ~LEFT) >> WORD_ONE if step < 0 else (ahead & ~RIGHT) << WORD_ONE) & ~position.own


@kernel(inline=True)
def move_to(position: Position, step: int, target: int) -> int:
    return (target - step - SIZE + 2 * SIZE * position.mover) * SQUARES + target


@kernel(inline=True)
def moves(position: Position, event: int, out: numpy.ndarray) -> int:
    count = 0
    for step in range(-1, 2):
        left = targets(position, step)
        while left != WORD_ZERO:
            out[count] = move_to(position, step, lowest(left))
            left &= left - WORD_ONE
            count += 1
    return count


@kernel(inline=True)
def pick(position: Position, event: int, random: Word, row: numpy.ndarray) -> int:
    """A random move without listing all of them: optional, for fast random games."""
    counts = (popcount(targets(position, -1)), popcount(targets(position, 0)), popcount(targets(position, 1)))
    rank, step = below(random, counts[0] + counts[1] + counts[2]), -1
    while rank >= counts[step + 1]:
        rank -= counts[step + 1]
        step += 1
    return move_to(position, step, select(targets(position, step), rank))


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
    position=Position, start=start, moves=moves, pick=pick, play=play, outcome=outcome, parse=parse,
    format=lambda position, event: f"{format_board(characters(position), SIZE)} {'bw'[position.mover]}",
    format_move=lambda position, move: "".join(square_name(square, SIZE) for square in divmod(move, SQUARES)),
    cells=lambda position: [CELLS[c] for c in characters(position)],
    reason=lambda position: "far row" if position.own else "captured all",
    move_squares=lambda position, move: divmod(move, SQUARES),
)  # fmt: skip
