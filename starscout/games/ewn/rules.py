"""Rules of EinStein würfelt nicht!: numbered cubes race to the far corner, and the die selects the cube.

Red starts top left and steps right, down or diagonally down; blue starts bottom right and steps the other way. A cube
on the target square, own or enemy, is captured. A side wins by reaching the far corner or by capturing the last enemy
cube. The board size and the number of cubes (= faces of the die) are parameters; small variants can be solved exactly.
"""

import functools
import re
from typing import Any, NamedTuple

import numpy

from starscout.game import LOSS, NOT_ROLLED, ONGOING, Game, GameError, Symmetry
from starscout.game.notation import move_between_squares, parse_side, split_fields, square_name
from starscout.games.ewn import board as cube_board
from starscout.games.ewn.board import BLUE, RED, SHIFT_MASK, TARGET_SHIFT, WORD_TARGET_SHIFT, Cubes, build_die_moves
from starscout.kernels.bits import WORD_ALL, Word
from starscout.kernels.kernel import kernel
from starscout.settings.options import read_whole

STEPS = ((0, 1), (1, 0), (1, 1))
LARGEST = 7


class Position(NamedTuple):
    """The two sides, each in its own view, and the mover: 0 = red, 1 = blue."""

    own: Word
    enemy: Word
    mover: int


def build_variant(text: str) -> Game | None:
    """The game with this text after `ewn-`, like `4x4-3` or `4x4`; None if the text describes no board."""
    match = re.fullmatch(r"(?:([0-9])x([0-9])(?:-([0-9]))?)?", text)
    return None if match is None else build(*(int(number) for number in match.groups() if number is not None))


@functools.cache
def build(rows: int = 5, columns: int = 5, cubes: int = 6) -> Game:
    """The game on a board of this size with this many cubes per side and as many faces on the die."""
    _check_size(rows, columns, cubes)
    board = cube_board.build_cubes(rows, columns, cubes)
    capture, put, stands_on = board.capture, board.put, board.stands_on
    die_groups, die_group, die_moves, die_count, die_pick = build_die_moves(board, STEPS)
    start_sides = cube_board.start_sides(board, tuple(cube_board.triangle(columns, cubes)), list.pop)
    goal = Word(board.squares - 1)
    shift_mask = Word(SHIFT_MASK)

    @kernel
    def start(seed: Word) -> Position:
        """Permutation number `seed` of the cubes; blue is the point reflection of red, red moves."""
        side = start_sides[seed]
        return Position(side, side, RED)

    @kernel(inline=True)
    def groups(position: Position) -> int:
        return die_groups(position.own)

    @kernel(inline=True)
    def group(position: Position, index: int) -> tuple[int, int]:
        return die_group(position.own, index)

    @kernel(inline=True)
    def moves(position: Position, roll: int, out: numpy.ndarray) -> int:
        return die_moves(position.own, roll, out)

    @kernel(inline=True)
    def count(position: Position, roll: int, row: numpy.ndarray) -> int:
        return die_count(position.own, roll)

    @kernel(inline=True)
    def pick(position: Position, roll: int, random: Word, row: numpy.ndarray) -> int:
        return die_pick(position.own, roll, random)

    @kernel(inline=True)
    def play(position: Position, move: int) -> Position:
        target = Word(move) >> WORD_TARGET_SHIFT
        own = put(capture(position.own, target), Word(move) & shift_mask, target)
        return Position(capture(position.enemy, goal - target), own, 1 - position.mover)

    @kernel(inline=True)
    def outcome(position: Position) -> int:
        if position.own == WORD_ALL or stands_on(position.enemy, goal):
            return LOSS
        return ONGOING

    own_bits = Word(board.bits * cubes)
    own_mask = Word((1 << board.bits * cubes) - 1)
    one_word = 2 * board.bits * cubes <= 64

    @kernel(inline=True)
    def key(position: Position) -> tuple[Word, Word]:
        """The value is the mover's, so the colour does not matter; small boards fit in the first word."""
        if one_word:
            return (position.own & own_mask) | (position.enemy << own_bits), Word(0)
        return position.own, position.enemy

    def format_position(position: Position, roll: int) -> str:
        text = cube_board.format_cubes(board, position, 1)
        return f"{text} {'rb'[position.mover]} {roll if roll != NOT_ROLLED else '-'}"

    def parse(text: str) -> tuple[Position, int]:
        example = format_position(game.start_position(0), NOT_ROLLED)
        cubes_text, mover_text, die_text = split_fields(text, ("board", "side to move", "die"), example)
        red, blue = cube_board.parse_cubes(board, cubes_text, 1)
        mover = parse_side(mover_text, "rb")
        roll = NOT_ROLLED if die_text == "-" else read_whole(die_text, 1, cubes)
        if roll is None:
            raise GameError(f"die: expected 1 to {cubes}, or - before the roll, got {die_text[:20]!r}")
        own, enemy = (red, blue) if mover == RED else (blue, red)
        check_sides(board, own, enemy, mover)
        return Position(own, enemy, mover), roll

    def format_move(position: Position, move: int) -> str:
        start, target = cube_board.move_squares(board, position, move)
        return square_name(start, columns) + square_name(target, columns)

    size = "" if (rows, columns, cubes) == (5, 5, 6) else f"-{rows}x{columns}-{cubes}"
    game = Game(
        name=f"ewn{size}",
        title="EinStein würfelt nicht!",
        description=f"{rows}×{columns}, {cubes} cubes per side, a fair die: reach the far corner or capture all",
        dice=f"a fair die 1–{cubes}",
        sides=("red", "blue"),
        rows=rows,
        columns=columns,
        faces=cubes,
        max_moves=6,
        max_plies=2 * cubes * (rows + columns - 2),
        position=Position,
        start=start,
        moves=moves,
        play=play,
        outcome=outcome,
        groups=groups,
        group=group,
        count=count,
        pick=pick,
        key=key,
        symmetries=_symmetries(board),
        format=format_position,
        parse=parse,
        format_move=format_move,
        cells=lambda position: cube_board.board_cells(board, position, 1),
        reason=lambda position: "captured all" if position.own == WORD_ALL else "corner",
        starts=len(start_sides),
        move_spellings=move_between_squares,
        move_squares=lambda position, move: cube_board.move_squares(board, position, move),
        other_side_first=lambda position: position._replace(mover=1 - position.mover),
        typical_plies=7 * max(rows, columns) // 2,
        plies_deviation=0.5 * max(rows, columns),
        actions=len(STEPS) * board.cubes,
        action=cube_board.build_action(board, len(STEPS)),
        view=cube_board.build_view(board),
        family="ewn",
    )
    return game


def check_sides(board: Cubes, own: Word, enemy: Word, mover: int) -> None:
    """Raise GameError if the game was already over before the move."""
    names = ("red", "blue")
    if enemy == WORD_ALL:
        raise GameError(f"{names[1 - mover]} has no cube left, so it is not {names[mover]}'s turn")
    if board.squares - 1 in cube_board.places(board, own):
        raise GameError(f"{names[mover]} is already on the far corner, so it is not its turn")


def _check_size(rows: int, columns: int, cubes: int) -> None:
    if not (2 <= rows <= LARGEST and 2 <= columns <= LARGEST):
        raise GameError(f"board: expected 2×2 to {LARGEST}×{LARGEST}, got {rows}×{columns}")
    if not 1 <= cubes <= 6:
        raise GameError(f"cubes per side: expected 1 to 6, got {cubes}")
    corner = cube_board.triangle(columns, cubes)
    if any(rows * columns - 1 - square in corner or square >= rows * columns for square in corner):
        raise GameError(f"{cubes} cubes per side do not fit on a board of {rows}×{columns}")


def _symmetries(board: Cubes) -> tuple[Symmetry, ...]:
    def renumbered(side: Word) -> Word:
        return cube_board.make_side(board, cube_board.places(board, side)[::-1])

    def reversed_move(position: Position, move: int) -> int:
        cube = board.cubes - 1 - cube_board.move_cube(board, move)
        return move >> TARGET_SHIFT << TARGET_SHIFT | board.bits * cube

    numbers = Symmetry(
        "numbers reversed",
        lambda position: Position(renumbered(position.own), renumbered(position.enemy), position.mover),
        reversed_move,
        lambda roll: board.cubes + 1 - roll if roll != NOT_ROLLED else NOT_ROLLED,
    )
    if board.rows != board.columns:
        return (numbers, colours_swapped())
    return (numbers, colours_swapped(), transposition(board))


def colours_swapped() -> Symmetry:
    """Swap the colours; the mover's view does not change."""
    return Symmetry(
        "colours swapped",
        lambda position: position._replace(mover=BLUE - position.mover),
        lambda position, move: move,
    )


def transposition(board: Cubes, passing: int | None = None) -> Symmetry:
    """The reflection of a square board in the main diagonal; a pass stays a pass."""

    def flipped(place: int) -> int:
        row, column = divmod(place, board.columns)
        return column * board.columns + row

    def flipped_side(side: Word) -> Word:
        return cube_board.make_side(board, [None if p is None else flipped(p) for p in cube_board.places(board, side)])

    def flipped_move(position: Any, move: int) -> int:
        return move if move == passing else flipped(move >> TARGET_SHIFT) << TARGET_SHIFT | (move & SHIFT_MASK)

    return Symmetry(
        "transposed",
        lambda position: position._replace(own=flipped_side(position.own), enemy=flipped_side(position.enemy)),
        flipped_move,
    )
