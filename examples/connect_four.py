"""Connect Four: a complete game in one file. Try `starscout laws`, `show`, `perft` and `playouts` on it.

Seven columns of six squares, with an empty square on top of each so that lines do not wrap into the next column:

    6 13 20 27 34 41 48   ← always empty
    5 12 19 26 33 40 47
    …
    0  7 14 21 28 35 42   ← the bottom row
"""

from typing import NamedTuple

import numpy

from starscout.game import DRAW, LOSS, ONGOING, Cell, Game, GameError
from starscout.game.notation import format_board, parse_board, parse_side, split_fields
from starscout.kernels.bits import WORD_ZERO, Word, popcount
from starscout.kernels.kernel import kernel

COLUMNS, ROWS, HEIGHT = 7, 6, 7
BOTTOM = Word(sum(1 << HEIGHT * column for column in range(COLUMNS)))
TOP = Word(sum(1 << HEIGHT * column + ROWS - 1 for column in range(COLUMNS)))
LINE_SHIFTS = (Word(1), Word(HEIGHT - 1), Word(HEIGHT), Word(HEIGHT + 1))
TWO, COLUMN_BITS, COLUMN_SHIFT = Word(2), Word((1 << ROWS) - 1), Word(HEIGHT)


class Position(NamedTuple):
    own: Word
    enemy: Word
    mover: int


@kernel(inline=True)
def start(seed: Word) -> Position:
    return Position(WORD_ZERO, WORD_ZERO, 0)


@kernel(inline=True)
def moves(position: Position, roll: int, out: numpy.ndarray) -> int:
    count = 0
    for column in range(COLUMNS):
        if (position.own | position.enemy) & TOP & (COLUMN_BITS << (COLUMN_SHIFT * Word(column))) == WORD_ZERO:
            out[count] = column
            count += 1
    return count


@kernel(inline=True)
def play(position: Position, move: int) -> Position:
    column = COLUMN_BITS << (COLUMN_SHIFT * Word(move))
    discs = position.own | position.enemy
    lowest_empty = ((discs & column) + (BOTTOM & column)) & column
    return Position(position.enemy, position.own | lowest_empty, 1 - position.mover)


@kernel(inline=True)
def outcome(position: Position) -> int:
    for shift in LINE_SHIFTS:
        pairs = position.enemy & (position.enemy >> shift)
        if pairs & (pairs >> (TWO * shift)) != WORD_ZERO:
            return LOSS
    return DRAW if popcount(position.own | position.enemy) == ROWS * COLUMNS else ONGOING


def _bit(square: int) -> int:
    row, column = divmod(square, COLUMNS)
    return column * HEIGHT + ROWS - 1 - row


def _characters(position: Position) -> str:
    first, second = (position.own, position.enemy) if position.mover == 0 else (position.enemy, position.own)
    squares = range(ROWS * COLUMNS)
    return "".join("x" if int(first) >> _bit(n) & 1 else "o" if int(second) >> _bit(n) & 1 else "." for n in squares)


def format_position(position: Position, roll: int) -> str:
    return f"{format_board(_characters(position), COLUMNS)} {'xo'[position.mover]}"


def parse(text: str) -> tuple[Position, int]:
    board_text, side_text = split_fields(text, ("board", "side to move"), "......./" * 5 + "...x... o")
    characters, mover = parse_board(board_text, ROWS, COLUMNS, ".xo"), parse_side(side_text, "xo")
    for square, character in enumerate(characters[:-COLUMNS]):
        if character != "." and characters[square + COLUMNS] == ".":
            raise GameError(f"a disc floats in column {square % COLUMNS + 1}, row {square // COLUMNS + 1}")
    sides = [Word(sum(1 << _bit(n) for n, c in enumerate(characters) if c == letter)) for letter in "xo"]
    return Position(sides[mover], sides[1 - mover], mover), 1


CELLS = {"x": Cell("x", 0), "o": Cell("o", 1), ".": Cell("", None)}

GAME = Game(
    name="connect-four",
    title="Connect Four",
    description="6×7: four in a line win",
    dice="none",
    sides=("red", "yellow"),
    rows=ROWS,
    columns=COLUMNS,
    faces=1,
    max_moves=COLUMNS,
    max_plies=ROWS * COLUMNS,
    position=Position,
    start=start,
    moves=moves,
    play=play,
    outcome=outcome,
    format=format_position,
    parse=parse,
    format_move=lambda position, move: str(move + 1),
    cells=lambda position: [CELLS[character] for character in _characters(position)],
    reason=lambda position: "four in a line" if outcome(position) == LOSS else "full board",
)
