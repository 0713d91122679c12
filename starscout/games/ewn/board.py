"""Board representation and text of the EinStein games: numbered cubes of two sides.

A side is one word with a lane per cube. A lane contains the cube's square from that side's point of view, so both sides
move from square 0 to the last one and rules are written for one side only. A lane of ones is a captured cube; the bits
above the lanes are ones too, so the lane after the last is always a captured cube.

    5×5, six cubes:   … 1111 | cube 6 | cube 5 | cube 4 | cube 3 | cube 2 | cube 1 |      5 bits per lane
                                                        18 = 3·5 + 3, own view: D4 for red, B2 for blue

A move is the lane's shift in the low six bits and the target square, in the mover's view, above them.

The die rule of the EinStein games: the roll of a captured cube moves its nearest neighbours.

If the cube with the rolled number remains, only it may move; otherwise the nearest lower and the nearest higher
remaining cube may move. This depends only on the set of remaining cubes, so it is looked up in tables.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy

from starscout.game import Cell, GameError
from starscout.game.notation import format_board, parse_board, square_name
from starscout.kernels.bits import WORD_ALL, WORD_ZERO, Word, below, gather, integer, random_word
from starscout.kernels.kernel import kernel

TARGET_SHIFT = 6
SHIFT_MASK = 63
WORD_TARGET_SHIFT = Word(TARGET_SHIFT)
RED, BLUE = 0, 1


class Cubes(NamedTuple):
    """The kernels and constants of one board; see the functions inside `build_cubes`."""

    rows: int
    columns: int
    cubes: int
    squares: int
    bits: int
    gone: int
    find: Callable[..., Word]
    square: Callable[..., Word]
    capture: Callable[..., Word]
    put: Callable[..., Word]
    alive: Callable[..., Word]
    stands_on: Callable[..., bool]


def build_cubes(rows: int, columns: int, cubes: int) -> Cubes:
    """The representation for a board of this size with this many cubes per side."""
    squares = rows * columns
    bits = int(squares).bit_length()
    ones = sum(1 << bits * cube for cube in range(cubes))
    lane_ones = Word(ones)
    lane_tops = Word(ones << (bits - 1))
    lane_rest = Word(ones * ((1 << (bits - 1)) - 1))
    lane_mask = Word((1 << bits) - 1)
    top_shift = Word(bits - 1)
    one = Word(1)

    @kernel(inline=True)
    def find(side: Word, square: Word) -> Word:
        """The top bit of the lane that holds `square`, or no bit if none does; lower cubes have lower bits."""
        different = side ^ (square * lane_ones)
        return ~(((different & lane_rest) + lane_rest) | different) & lane_tops

    @kernel(inline=True)
    def square(side: Word, shift: Word) -> Word:
        """The square of the cube in the lane at `shift`; GONE if it is gone."""
        return (side >> shift) & lane_mask

    @kernel(inline=True)
    def capture(side: Word, square: Word) -> Word:
        """`side` without its cube on `square`, if any."""
        top = find(side, square)
        return side | ((top << one) - (top >> top_shift))

    @kernel(inline=True)
    def put(side: Word, shift: Word, square: Word) -> Word:
        """`side` with the cube of the lane at `shift` on `square`."""
        return (side & ~(lane_mask << shift)) | (square << shift)

    @kernel(inline=True)
    def alive(side: Word) -> Word:
        """One bit per remaining cube, cube 1 lowest."""
        return gather(~find(side, lane_mask), lane_tops)

    @kernel(inline=True)
    def stands_on(side: Word, square: Word) -> bool:
        """Whether a cube of `side` stands on `square`."""
        return find(side, square) != WORD_ZERO

    return Cubes(rows, columns, cubes, squares, bits, (1 << bits) - 1, find, square, capture, put, alive, stands_on)


def make_side(board: Cubes, places: list[int | None]) -> Word:
    """The word of a side whose cube k stands on places[k], in its own view (None: gone)."""
    word = int(WORD_ALL)
    for cube, place in enumerate(places):
        if place is not None:
            word &= ~((board.gone ^ place) << board.bits * cube)
    return Word(word)


def places(board: Cubes, side: Word) -> list[int | None]:
    """The inverse of `make_side`."""
    lanes = [int(side) >> board.bits * cube & board.gone for cube in range(board.cubes)]
    return [None if lane == board.gone else lane for lane in lanes]


def seen_by(board: Cubes, side: int, square: int) -> int:
    """Convert a square between the board and the view of `side`; blue's view is reversed."""
    return square if side == RED else board.squares - 1 - square


def red_and_blue(position: Any) -> tuple[Word, Word]:
    """The words of red and blue, regardless of the mover."""
    return (position.own, position.enemy) if position.mover == RED else (position.enemy, position.own)


def board_cells(board: Cubes, position: Any, first_number: int) -> list[Cell]:
    """The content of each square; cube k is shown as k + first_number."""
    cells = [Cell("", None)] * board.squares
    for side, word in enumerate(red_and_blue(position)):
        for cube, place in enumerate(places(board, word)):
            if place is not None:
                cells[seen_by(board, side, place)] = Cell(str(cube + first_number), side)
    return cells


def format_cubes(board: Cubes, position: Any, first_number: int) -> str:
    """The board as text: `.` empty, digits for red cubes, letters from `a` for blue ones."""
    characters = [
        "." if cell.side is None else cell.text if cell.side == RED else chr(ord("a") + int(cell.text) - first_number)
        for cell in board_cells(board, position, first_number)
    ]
    return format_board("".join(characters), board.columns)


def parse_cubes(board: Cubes, text: str, first_number: int) -> tuple[Word, Word]:
    """The words of red and blue; raises GameError."""
    digits = "".join(str(first_number + cube) for cube in range(board.cubes))
    letters = "".join(chr(ord("a") + cube) for cube in range(board.cubes))
    characters = parse_board(text, board.rows, board.columns, "." + digits + letters)
    sides: list[list[int | None]] = [[None] * board.cubes, [None] * board.cubes]
    for square, character in enumerate(characters):
        if character == ".":
            continue
        side = RED if character in digits else BLUE
        cube = (digits, letters)[side].index(character)
        if sides[side][cube] is not None:
            raise GameError(f"board, {square_name(square, board.columns)}: cube {character!r} occurs twice")
        sides[side][cube] = seen_by(board, side, square)
    return make_side(board, sides[RED]), make_side(board, sides[BLUE])


def move_squares(board: Cubes, position: Any, move: int) -> tuple[int, int]:
    """From and to, as squares of the board."""
    start = int(position.own) >> (move & SHIFT_MASK) & board.gone
    side = position.mover
    return seen_by(board, side, start), seen_by(board, side, move >> TARGET_SHIFT)


def move_cube(board: Cubes, move: int) -> int:
    """The number of the moving cube, from 0."""
    return (move & SHIFT_MASK) // board.bits


def build_view(board: Cubes) -> Callable[..., None]:
    """The kernel (position, out): the cubes of the mover as 1, 2, …, those of the other side as −1, −2, …"""
    shifts = numpy.array([board.bits * cube for cube in range(board.cubes)], dtype=Word)
    cubes, last, gone, square = board.cubes, board.squares - 1, Word(board.gone), board.square

    @kernel(inline=True)
    def view(position: Any, out: numpy.ndarray) -> None:
        for cube in range(cubes):
            own, enemy = square(position.own, shifts[cube]), square(position.enemy, shifts[cube])
            if own != gone:
                out[integer(own) if position.mover == RED else last - integer(own)] = cube + 1
            if enemy != gone:
                out[last - integer(enemy) if position.mover == RED else integer(enemy)] = -cube - 1

    return view


def build_action(board: Cubes, steps: int, passing: int = -1) -> Callable[..., int]:
    """The kernel (position, move) → `steps` actions per cube, then a pass.

    In the mover's view the steps are right, down, diagonally down and, if there are four, diagonally up.
    """
    bits, columns, cubes, square = board.bits, board.columns, board.cubes, board.square
    shift_mask = Word(SHIFT_MASK)

    @kernel(inline=True)
    def action(position: Any, move: int) -> int:
        if move == passing:
            return steps * cubes
        start = integer(square(position.own, Word(move) & shift_mask))
        step = (move >> TARGET_SHIFT) - start
        direction = 0 if step == 1 else 1 if step == columns else 2 if step == columns + 1 else 3
        return steps * ((move & SHIFT_MASK) // bits) + direction

    return action


def step_table(board: Cubes, steps: tuple[tuple[int, int], ...]) -> tuple[numpy.ndarray, numpy.ndarray]:
    """For each square in the mover's view: the number of steps that stay on the board, and their targets.

    Steps are (rows down, columns right); the row of GONE has none, so captured cubes have no moves.
    """
    counts = numpy.zeros(board.gone + 1, dtype=numpy.int64)
    targets = numpy.zeros((board.gone + 1, len(steps)), dtype=Word)
    for square in range(board.squares):
        row, column = divmod(square, board.columns)
        for down, right in steps:
            if 0 <= row + down < board.rows and 0 <= column + right < board.columns:
                targets[square, counts[square]] = (row + down) * board.columns + column + right
                counts[square] += 1
    return counts, targets


def triangle(columns: int, cubes: int) -> list[int]:
    """The start squares in the mover's view: the corner triangle, row by row."""
    width = next(width for width in range(1, 10) if width * (width + 1) // 2 >= cubes)
    cells = [(row, column) for row in range(width) for column in range(width - row)]
    # Squares nearest to the corner come first if the cubes do not fill the triangle.
    cells = sorted(sorted(cells, key=sum)[:cubes])
    return [row * columns + column for row, column in cells]


def start_sides(board: Cubes, squares: tuple[int, ...], take: Callable[[list[int], int], int]) -> numpy.ndarray:
    """The words of a side that starts on these squares of its own view: one for each numbering of its cubes.

    Entry n puts the first cube on square n modulo the number of squares, and each further cube on one of the squares
    left, chosen by the rest of n; `take` removes a square from those left.
    """
    sides = numpy.zeros(math.factorial(board.cubes), dtype=Word)
    for number in range(len(sides)):
        free = list(squares)
        rest = number
        start: list[int | None] = []
        while free:
            rest, chosen = divmod(rest, len(free))
            start.append(take(free, chosen))
        sides[number] = make_side(board, start)
    return sides


def build_shuffle(board: Cubes, squares: tuple[int, ...]) -> Callable[[Word], Word]:
    """The kernel (seed) → a side whose cubes stand on these squares of its own view in a random order."""

    def take_and_close_gap(free: list[int], chosen: int) -> int:
        free[chosen], free[-1] = free[-1], free[chosen]
        return free.pop()

    cubes, sides = board.cubes, start_sides(board, squares, take_and_close_gap)

    @kernel(inline=True)
    def shuffled_side(seed: Word) -> Word:
        number, weight = 0, 1
        for cube in range(cubes):
            number += weight * below(random_word(seed, Word(cube)), cubes - cube)
            weight *= cubes - cube
        return sides[number]

    return shuffled_side


class DieTables(NamedTuple):
    """Rows are sets of cubes (one bit per cube); rolls count from 1, column 0 is unused."""

    lower: numpy.ndarray
    """[set, roll] → the shift of the first cube that may move."""
    higher: numpy.ndarray
    """[set, roll] → the shift of the second cube that may move; the lane of ones after the last if there is none."""
    group_count: numpy.ndarray
    """[set] → number of groups of rolls."""
    group_roll: numpy.ndarray
    """[set, group] → the lowest roll of the group."""
    group_weight: numpy.ndarray
    """[set, group] → number of rolls in the group."""


def movable(cubes_left: int, roll: int, cubes: int) -> tuple[int, ...]:
    """The cubes (from 0) that may move after `roll` (from 1); none if no cube is left."""
    wanted = roll - 1
    left = [cube for cube in range(cubes) if cubes_left >> cube & 1]
    if wanted in left:
        return (wanted,)
    lower = [cube for cube in left if cube < wanted]
    higher = [cube for cube in left if cube > wanted]
    return tuple(lower[-1:] + higher[:1])


def die_tables(board: Cubes) -> DieTables:
    """The die rule for a die with as many faces as a side has cubes."""
    cubes, sets = board.cubes, 1 << board.cubes
    no_cube = board.bits * cubes
    lower = numpy.full((sets, cubes + 1), no_cube, dtype=Word)
    higher = numpy.full((sets, cubes + 1), no_cube, dtype=Word)
    group_count = numpy.zeros(sets, dtype=numpy.int64)
    group_roll = numpy.zeros((sets, cubes), dtype=numpy.int64)
    group_weight = numpy.zeros((sets, cubes), dtype=numpy.int64)
    for cubes_left in range(sets):
        groups: dict[tuple[int, ...], list[int]] = {}
        for roll in range(1, cubes + 1):
            movers = movable(cubes_left, roll, cubes)
            groups.setdefault(movers, []).append(roll)
            for column, cube in zip((lower, higher), movers, strict=False):
                column[cubes_left, roll] = board.bits * cube
        group_count[cubes_left] = len(groups)
        for index, rolls in enumerate(groups.values()):
            group_roll[cubes_left, index] = rolls[0]
            group_weight[cubes_left, index] = len(rolls)
    return DieTables(lower, higher, group_count, group_roll, group_weight)


class DieMoves(NamedTuple):
    """Kernels over the word of the side to move and a face of the die, from 1."""

    groups: Callable[[Word], int]
    group: Callable[..., tuple[int, int]]
    moves: Callable[..., int]
    count: Callable[..., int]
    pick: Callable[..., int]


def build_die_moves(board: Cubes, steps: tuple[tuple[int, int], ...]) -> DieMoves:
    """The moves of a game whose cubes make these `steps`, in the mover's view (rows down, columns right)."""
    square, alive = board.square, board.alive
    lower, higher, group_count, group_roll, group_weight = die_tables(board)
    step_count, step_target = step_table(board, steps)
    most_steps = len(steps)

    @kernel(inline=True)
    def groups(own: Word) -> int:
        return group_count[alive(own)]

    @kernel(inline=True)
    def group(own: Word, index: int) -> tuple[int, int]:
        cubes_left = alive(own)
        return group_roll[cubes_left, index], group_weight[cubes_left, index]

    @kernel(inline=True)
    def moves(own: Word, face: int, out: numpy.ndarray) -> int:
        cubes_left = alive(own)
        count = 0
        for shift in (lower[cubes_left, face], higher[cubes_left, face]):
            place = square(own, shift)
            # Write every step and count only those on the board: this avoids a branch.
            for step in range(most_steps):
                out[count + step] = integer((step_target[place, step] << WORD_TARGET_SHIFT) | shift)
            count += step_count[place]
        return count

    @kernel(inline=True)
    def count(own: Word, face: int) -> int:
        cubes_left = alive(own)
        return step_count[square(own, lower[cubes_left, face])] + step_count[square(own, higher[cubes_left, face])]

    @kernel(inline=True)
    def pick(own: Word, face: int, random: Word) -> int:
        cubes_left = alive(own)
        shift, other_shift = lower[cubes_left, face], higher[cubes_left, face]
        place, other_place = square(own, shift), square(own, other_shift)
        steps = step_count[place]
        step = below(random, steps + step_count[other_place])
        if step >= steps:
            step -= steps
            shift = other_shift
            place = other_place
        return integer((step_target[place, step] << WORD_TARGET_SHIFT) | shift)

    return DieMoves(groups, group, moves, count, pick)
