"""Rules of Othello on 8×8, 6×6 and 4×4.

A side passes if and only if it has no legal move; the game ends when neither side can move. Score: own − enemy discs.

Bit row·size + column of a word is a square; the top left square is bit 0. A step in a direction is a shift by 1, size −
1, size or size + 1; the first and the last column are masked out of the discs to be turned, so lines do not wrap:

    . . . . . . . .      own   the mover's discs
    . . . o x . . .      enemy the other side's
    . . . x o . . .
"""

import functools
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy

from starscout.game import DRAW, LOSS, ONGOING, WIN, Cell, Game, GameError, Symmetry
from starscout.game.notation import parse_side, split_fields
from starscout.kernels.bits import (
    WORD_ONE,
    WORD_ZERO,
    Lanes,
    Word,
    below,
    deposit,
    integer,
    lanes,
    lowest,
    popcount,
    random_word,
    select,
    spread,
    union,
    united,
    where,
)
from starscout.kernels.kernel import kernel


class Discs(NamedTuple):
    """The kernels and constants of one board; see the functions inside `build_discs`."""

    size: int
    squares: int
    everything: Word
    directions: Callable[[], Lanes]
    mobility: Callable[[Word, Word], Word]
    turned: Callable[[Word, Word, Word], Word]
    lines: Callable[[Lanes, Lanes], tuple[Lanes, Lanes]]


def build_discs(size: int) -> Discs:
    """The representation of a board of size×size."""
    squares = size * size
    column = sum(1 << size * row for row in range(size))
    inner = Word(((1 << squares) - 1) & ~column & ~(column << (size - 1)))
    everything = Word((1 << squares) - 1)
    along_row, along_column, upward, downward = (Word(step) for step in (1, size, size - 1, size + 1))

    @kernel(inline=True)
    def directions() -> Lanes:
        """The shifts of one step along a row, a column and the two diagonals."""
        return lanes(along_row, along_column, upward, downward)

    @kernel(inline=True)
    def lines(origin: Lanes, enemy: Lanes) -> tuple[Lanes, Lanes]:
        """The unbroken lines of `enemy` next to `origin` in each direction, towards higher and lower bits."""
        step = directions()
        double = step + step
        turnable = enemy & lanes(inner, everything, inner, inner)
        up = turnable & (origin << step)
        down = turnable & (origin >> step)
        up |= turnable & (up << step)
        down |= turnable & (down >> step)
        pairs_up = turnable & (turnable << step)
        pairs_down = turnable & (turnable >> step)
        up |= pairs_up & (up << double)
        down |= pairs_down & (down >> double)
        up |= pairs_up & (up << double)
        down |= pairs_down & (down >> double)
        return up, down

    @kernel(inline=True)
    def mobility(own: Word, enemy: Word) -> Word:
        """The squares where `own` may place a disc: those at the end of an enemy line."""
        step = directions()
        up, down = lines(spread(own), spread(enemy))
        return union((up << step) | (down >> step)) & ~(own | enemy) & everything

    @kernel(inline=True)
    def turned(disc: Word, own: Word, enemy: Word) -> Word:
        """The discs turned by placing `disc`: the enemy lines that end at an own disc."""
        step = directions()
        up, down = lines(spread(disc), spread(enemy))
        discs = spread(own)
        return union(where(up, discs & (up << step)) | where(down, discs & (down >> step)))

    return Discs(size, squares, everything, directions, mobility, turned, lines)


SIZES = (8, 6, 4)
BLACK, WHITE = 0, 1
PASS = 64


class Position(NamedTuple):
    """The mover's discs, the other side's, and the mover: 0 = black, 1 = white."""

    own: Word
    enemy: Word
    mover: int


def build_variant(text: str) -> Game | None:
    """The game with this text after `othello-`, like `6x6`; None if the text describes no board."""
    match = re.fullmatch(r"(?:([0-9])x([0-9]))?", text)
    if match is None:
        return None
    if match[1] != match[2]:
        raise GameError(f"othello-{text}: Othello is played on square boards")
    return build(int(match[1] or 8))


@functools.cache
def build(size: int = 8) -> Game:
    """The game on a board of size×size."""
    if size not in SIZES:
        raise GameError(f"board: expected {', '.join(f'{n}×{n}' for n in SIZES)}, got {size}×{size}")
    squares = size * size
    board = build_discs(size)
    mobility, turned = board.mobility, board.turned

    @kernel
    def start(seed: Word) -> Position:
        middle = size // 2
        white = (WORD_ONE << Word((middle - 1) * size + middle - 1)) | (WORD_ONE << Word(middle * size + middle))
        black = (WORD_ONE << Word((middle - 1) * size + middle)) | (WORD_ONE << Word(middle * size + middle - 1))
        return Position(black, white, BLACK)

    @kernel(inline=True)
    def moves(position: Position, roll: int, out: numpy.ndarray) -> int:
        left = mobility(position.own, position.enemy)
        if left == WORD_ZERO:
            out[0] = PASS
            return 1
        count = 0
        while left != WORD_ZERO:
            out[count] = lowest(left)
            left &= left - WORD_ONE
            count += 1
        return count

    @kernel(inline=True)
    def count(position: Position, roll: int, row: numpy.ndarray) -> int:
        return max(popcount(mobility(position.own, position.enemy)), 1)

    @kernel(inline=True)
    def pick(position: Position, roll: int, random: Word, row: numpy.ndarray) -> int:
        choices = mobility(position.own, position.enemy)
        if choices == WORD_ZERO:
            return PASS
        return select(choices, below(random, popcount(choices)))

    @kernel(inline=True)
    def play(position: Position, move: int) -> Position:
        own, enemy = position.own, position.enemy
        if move == PASS:
            return Position(enemy, own, 1 - position.mover)
        disc = WORD_ONE << Word(move)
        flips = turned(disc, own, enemy)
        return Position(enemy ^ flips, own | disc | flips, 1 - position.mover)

    @kernel(inline=True)
    def outcome(position: Position) -> int:
        own, enemy = position.own, position.enemy
        if mobility(own, enemy) != WORD_ZERO or mobility(enemy, own) != WORD_ZERO:
            return ONGOING
        margin = popcount(own) - popcount(enemy)
        if margin == 0:
            return DRAW
        return WIN if margin > 0 else LOSS

    @kernel(inline=True)
    def key(position: Position) -> tuple[Word, Word]:
        """The value is the mover's, so the colour does not matter."""
        return position.own, position.enemy

    @kernel(inline=True)
    def action(position: Position, move: int) -> int:
        return min(move, squares)

    @kernel(inline=True)
    def view(position: Position, out: numpy.ndarray) -> None:
        for square in range(squares):
            own, enemy = position.own >> Word(square), position.enemy >> Word(square)
            out[square] = integer(own & WORD_ONE) - integer(enemy & WORD_ONE)

    def characters(position: Position) -> str:
        black, white = black_and_white(position)
        return "".join("X" if black >> n & 1 else "O" if white >> n & 1 else "-" for n in range(squares))

    def format_position(position: Position, roll: int) -> str:
        return f"{characters(position)} {'XO'[position.mover]}"

    def parse(text: str) -> tuple[Position, int]:
        example = format_position(game.start_position(0), 1)
        board_text, mover_text = split_fields(text, ("board", "side to move"), example)
        if len(board_text) != squares:
            raise GameError(f"board: expected {squares} squares, like {example!r}; got {len(board_text)}")
        for index, character in enumerate(board_text):
            if character not in "XO-":
                raise GameError(f"board, {square_text(index, size)}: expected X, O or -, got {character!r}")
        mover = parse_side(mover_text, "xo")
        sides = [sum(1 << n for n in range(squares) if board_text[n] == letter) for letter in "XO"]
        return Position(Word(sides[mover]), Word(sides[1 - mover]), mover), 1

    def plies_left(position: Position, ply: int) -> float:
        empties = squares - int(position.own).bit_count() - int(position.enemy).bit_count()
        return float(max(empties, 1))

    size_text = "" if size == 8 else f"-{size}x{size}"
    game = Game(
        name=f"othello{size_text}",
        title="Othello",
        description=f"{size}×{size}: enclose enemy discs to turn them; most discs win",
        dice="none",
        sides=("black", "white"),
        rows=size,
        columns=size,
        faces=1,
        max_moves=33 if size == 8 else squares,
        max_plies=2 * squares,
        position=Position,
        start=start,
        moves=moves,
        play=play,
        outcome=outcome,
        format=format_position,
        parse=parse,
        format_move=lambda position, move: "pass" if move == PASS else square_text(move, size),
        cells=lambda position: [_CELLS[character] for character in characters(position)],
        reason=lambda position: "discs",
        move_spellings=_spelling,
        move_squares=lambda position, move: () if move == PASS else (move,),
        symmetries=_symmetries(size),
        typical_plies=squares - 4,
        deepening=0.0,
        plies_left=plies_left,
        family="othello",
        count=count,
        pick=pick,
        random_moves=build_random_moves(board),
        key=key,
        actions=squares + 1,
        action=action,
        view=view,
    )
    return game


def build_random_moves(board: Discs) -> Any:
    """The kernel of random games; see `Game.random_moves`.

    The boards stay in vector registers. A line that a move turns ends at an own disc if the line of enemy discs that
    starts at that own disc reaches the move, which is known from the move generation.
    """
    directions, lines, everything = board.directions, board.lines, board.everything

    @kernel
    def random_moves(position: Position, seed: Word, counter: Word, most: int) -> tuple[Position, int]:
        step, squares = directions(), spread(everything)
        own, enemy, plies = spread(position.own), spread(position.enemy), 0
        while plies < most:
            up, down = lines(own, enemy)
            up, down = up << step, down >> step
            choices = union((up | down) & (squares ^ (own | enemy)))
            if choices == WORD_ZERO:
                up, down = lines(enemy, own)
                if union(((up << step) | (down >> step)) & (squares ^ (own | enemy))) == WORD_ZERO:
                    break
                own, enemy = enemy, own
            else:
                rank = below(random_word(seed, counter + Word(plies)), popcount(choices))
                disc = spread(deposit(WORD_ONE << Word(rank), choices))
                towards_higher, towards_lower = lines(disc, enemy)
                turned = united(where(towards_higher, disc & down) | where(towards_lower, disc & up))
                own, enemy = enemy ^ turned, own | disc | turned
            plies += 1
        mover = position.mover if plies % 2 == 0 else 1 - position.mover
        return Position(union(own), union(enemy), mover), plies

    return random_moves


_CELLS = {"X": Cell("●", BLACK), "O": Cell("○", WHITE), "-": Cell("", None)}


def black_and_white(position: Position) -> tuple[int, int]:
    """The discs of black and white, regardless of the mover."""
    own, enemy = int(position.own), int(position.enemy)
    return (own, enemy) if position.mover == BLACK else (enemy, own)


def square_text(square: int, size: int) -> str:
    """The name of a square; `a1` is the top left one."""
    return f"{chr(ord('a') + square % size)}{square // size + 1}"


def _spelling(text: str) -> str:
    lower = text.strip().lower()
    return "pass" if lower in ("pa", "ps", "--", "@@") else lower


def _symmetries(size: int) -> tuple[Symmetry, ...]:
    def renamed(name: str, rename: dict[int, int]) -> Symmetry:
        def turn(discs: Word) -> Word:
            return Word(sum(1 << rename[n] for n in range(size * size) if int(discs) >> n & 1))

        return Symmetry(
            name,
            lambda position: Position(turn(position.own), turn(position.enemy), position.mover),
            lambda position, move: PASS if move == PASS else rename[move],
        )

    cells = [(n, *divmod(n, size)) for n in range(size * size)]
    last = size - 1
    return (
        renamed("transposed", {n: column * size + row for n, row, column in cells}),
        renamed("left to right", {n: row * size + last - column for n, row, column in cells}),
        renamed("quarter turn", {n: column * size + last - row for n, row, column in cells}),
        Symmetry("colours swapped", lambda p: p._replace(mover=1 - p.mover), lambda p, move: move),
    )


def empty_squares(game: Game, position: Position) -> int:
    """Number of empty squares."""
    return game.rows * game.columns - (int(position.own) | int(position.enemy)).bit_count()


def disc_difference(game: Game, position: Position) -> int:
    """The mover's discs − the other side's in a finished game, with empty squares for the winner."""
    own, enemy = int(position.own).bit_count(), int(position.enemy).bit_count()
    empty = game.rows * game.columns - own - enemy
    return own - enemy + (empty if own > enemy else -empty if own < enemy else 0)


def disc_lead(game: Game, position: Position) -> int:
    """The mover's discs − the other side's on the board."""
    return int(position.own).bit_count() - int(position.enemy).bit_count()
