"""Dots and Boxes on 3×3 boxes: a side that completes a box moves again; the side with more boxes wins.

+-+.+.+      lines - and |, owners a and b of completed boxes; a move names the square of its line, like D1
|a|...|      a word per kind of line: for 7×7 boxes with 112 lines, only ROWS and COLUMNS change
"""

from typing import NamedTuple

import numpy

from starscout.game import DRAW, LOSS, ONGOING, WIN, Cell, Game, GameError
from starscout.game.notation import format_board, parse_board, parse_side, split_fields, square_name
from starscout.kernels.bits import WORD_ALL, WORD_ONE, WORD_ZERO, Word, lowest, popcount
from starscout.kernels.kernel import kernel

ROWS, COLUMNS = 3, 3
STRIDE, HEIGHT, WIDTH, LINES = COLUMNS + 1, 2 * ROWS + 1, 2 * COLUMNS + 1, ROWS + COLUMNS + 2 * ROWS * COLUMNS
HORIZONTAL = Word(sum(1 << STRIDE * row + column for row in range(ROWS + 1) for column in range(COLUMNS)))
VERTICAL = Word(sum(1 << STRIDE * row + column for row in range(ROWS) for column in range(STRIDE)))


class Position(NamedTuple):
    horizontal: Word  # the line at the top of box row · STRIDE + column
    vertical: Word  # the line on its left
    own: Word
    enemy: Word
    mover: int


@kernel(inline=True)
def bit(square: int) -> Word:
    return WORD_ONE << Word(square // WIDTH // 2 * STRIDE + square % WIDTH // 2)


@kernel(inline=True)
def start(seed: Word) -> Position:
    return Position(WORD_ZERO, WORD_ZERO, WORD_ZERO, WORD_ZERO, 0)


@kernel(inline=True)
def moves(position: Position, event: int, out: numpy.ndarray) -> int:
    count = 0
    for kind in range(2):
        free = ~position.horizontal & HORIZONTAL if kind == 0 else ~position.vertical & VERTICAL
        while free != WORD_ZERO:
            row, column = lowest(free) // STRIDE, lowest(free) % STRIDE
            out[count] = (2 * row + kind) * WIDTH + 2 * column + 1 - kind
            free &= free - WORD_ONE
            count += 1
    return count


@kernel(inline=True)
def completed(horizontal: Word, vertical: Word) -> Word:
    return horizontal & (horizontal >> Word(STRIDE)) & vertical & (vertical >> WORD_ONE)


@kernel(inline=True)
def play(position: Position, move: int) -> Position:
    is_horizontal = move // WIDTH % 2 == 0
    horizontal = position.horizontal | bit(move) if is_horizontal else position.horizontal
    vertical = position.vertical if is_horizontal else position.vertical | bit(move)
    gained = completed(horizontal, vertical) & ~(position.own | position.enemy)
    if gained == WORD_ZERO:
        return Position(horizontal, vertical, position.enemy, position.own, 1 - position.mover)
    return Position(horizontal, vertical, position.own | gained, position.enemy, position.mover)


@kernel(inline=True)
def outcome(position: Position) -> int:
    own, enemy = popcount(position.own), popcount(position.enemy)
    return ONGOING if own + enemy < ROWS * COLUMNS else WIN if own > enemy else LOSS if own < enemy else DRAW


def characters(position: Position) -> str:
    first, second = (position.own, position.enemy) if position.mover == 0 else (position.enemy, position.own)
    layers = {"+": WORD_ALL, "-": position.horizontal, "|": position.vertical, "a": first, "b": second}
    kinds = [("+", "-", "|", "ab")[square // WIDTH % 2 * 2 + square % WIDTH % 2] for square in range(HEIGHT * WIDTH)]
    return "".join(next((c for c in kind if layers[c] & bit(square)), ".") for square, kind in enumerate(kinds))


def parse(text: str) -> tuple[Position, int]:
    board, side = split_fields(text, ("board", "side to move"), "+.+.+.+/......./" * 3 + "+.+.+.+ a")
    squares, mover = parse_board(board, HEIGHT, WIDTH, ".+-|ab"), parse_side(side, "ab")
    words = [Word(sum(int(bit(n)) for n, c in enumerate(squares) if c == letter)) for letter in "-|ab"]
    position = Position(words[0], words[1], words[2 + mover], words[3 - mover], mover)
    if characters(position) != squares or completed(words[0], words[1]) != words[2] | words[3]:
        raise GameError(f"board: expected dots +, lines - and |, and an owner in each completed box, got {board!r}")
    return position, 1


GAME = Game(
    name="dots-and-boxes", title="Dots and Boxes", description="3×3 boxes; completing a box moves again", dice="none",
    sides=("first", "second"), rows=HEIGHT, columns=WIDTH, max_moves=LINES, max_plies=LINES, typical_plies=LINES,
    position=Position, start=start, moves=moves, play=play, outcome=outcome, alternating=False, parse=parse,
    format=lambda position, event: f"{format_board(characters(position), WIDTH)} {'ab'[position.mover]}",
    format_move=lambda position, move: square_name(move, WIDTH),
    cells=lambda position: [Cell(c.strip("."), {"a": 0, "b": 1}.get(c)) for c in characters(position)],
    reason=lambda position: "all boxes", move_squares=lambda position, move: (move,),
)  # fmt: skip
