"""Tic-tac-toe: the smallest complete game. docs/games.md explains it."""

from functools import partial
from typing import NamedTuple

from starscout.game import DRAW, LOSS, ONGOING, Cell, Game
from starscout.game.notation import format_board, parse_board, parse_side, square_name
from starscout.kernels.bits import WORD_ONE, WORD_ZERO, Word
from starscout.kernels.kernel import kernel

LINES = tuple(Word(line) for line in (0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124))
FULL = Word(0o777)


class Position(NamedTuple):
    own: Word  # bit n is square n, from the top left
    enemy: Word
    mover: int


@kernel(inline=True)
def start(seed):
    return Position(WORD_ZERO, WORD_ZERO, 0)


@kernel(inline=True)
def moves(position, event, out):
    count = 0
    for square in range(9):
        if (position.own | position.enemy) >> Word(square) & WORD_ONE == WORD_ZERO:
            out[count] = square
            count += 1
    return count


@kernel(inline=True)
def play(position, move):
    return Position(position.enemy, position.own | WORD_ONE << Word(move), 1 - position.mover)


@kernel(inline=True)
def outcome(position):
    for line in LINES:
        if position.enemy & line == line:
            return LOSS
    return DRAW if position.own | position.enemy == FULL else ONGOING


def characters(position):
    crosses, noughts = (position.own, position.enemy)[:: 1 - 2 * position.mover]
    return "".join("x" if crosses >> Word(n) & 1 else "o" if noughts >> Word(n) & 1 else "." for n in range(9))


def parse(text):
    board, side = text.split()
    squares, mover = parse_board(board, 3, 3, ".xo"), parse_side(side, "xo")
    sides = [Word(sum(1 << n for n in range(9) if squares[n] == letter)) for letter in "xo"]
    return Position(sides[mover], sides[1 - mover], mover), 1


variant = partial(
    Game, title="Tic-tac-toe", description="three in a line win", dice="none",
    sides=("crosses", "noughts"), rows=3, columns=3, max_moves=9, max_plies=9,
    position=Position, start=start, moves=moves, play=play, outcome=outcome,
    format=lambda position, event: f"{format_board(characters(position), 3)} {'xo'[position.mover]}", parse=parse,
    format_move=lambda position, move: square_name(move, 3),
    cells=lambda position: [Cell(c.strip("."), {"x": 0, "o": 1}.get(c)) for c in characters(position)],
    reason=lambda position: "full board" if outcome(position) == DRAW else "three in a line",
    move_squares=lambda position, move: (move,),
)  # fmt: skip

GAME = variant(name="tic-tac-toe")
