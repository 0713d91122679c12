"""Rules of EinStein würfelt nicht! (Kari): 6×6 without dice; a side may move any of its cubes.

The game ends when both sides have a cube on their far corner: the smaller number wins, equal numbers draw; or when a
side has no cube left. A cube on its far corner stays there and cannot be captured by the enemy; another cube of its
side may replace it. A side passes if and only if it has no legal move.
"""

import functools
from typing import NamedTuple

import numpy

from starscout.game import DRAW, LOSS, ONGOING, WIN, Game, GameError
from starscout.game.notation import move_between_squares, parse_side, split_fields, square_name
from starscout.games.ewn import board as cube_board
from starscout.games.ewn.board import RED, SHIFT_MASK, WORD_TARGET_SHIFT
from starscout.games.ewn.rules import colours_swapped, transposition
from starscout.kernels.bits import WORD_ALL, WORD_ZERO, Word, below, integer, mix
from starscout.kernels.kernel import kernel

SIZE, CUBES = 6, 6
STEPS = ((1, 0), (0, 1), (1, 1))
"""Vertical, horizontal, diagonal, in the order of the direction codes."""
PASS = 63


class Position(NamedTuple):
    """The two sides, each in its own view, and the mover: 0 = red, 1 = blue."""

    own: Word
    enemy: Word
    mover: int


def build_variant(text: str) -> Game | None:
    """The game if the text after its name is empty; it has no variants."""
    return None if text else build()


@functools.cache
def build() -> Game:
    """Build the game."""
    board = cube_board.build_cubes(SIZE, SIZE, CUBES)
    square, capture, put, find = board.square, board.capture, board.put, board.find
    step_count, step_target = cube_board.step_table(board, STEPS)
    most_steps = len(STEPS)
    shuffled_side = cube_board.build_shuffle(board, tuple(cube_board.triangle(SIZE, CUBES)))
    shifts = numpy.array([board.bits * cube for cube in range(CUBES)], dtype=Word)
    goal = Word(board.squares - 1)
    shift_mask = Word(SHIFT_MASK)

    @kernel
    def start(seed: Word) -> Position:
        """Both numberings shuffled independently; red moves."""
        return Position(shuffled_side(mix(seed)), shuffled_side(mix(~seed)), RED)

    @kernel(inline=True)
    def moves(position: Position, roll: int, out: numpy.ndarray) -> int:
        count = 0
        for cube in range(CUBES):
            place = square(position.own, shifts[cube])
            # Write every step and count only those on the board: this avoids a branch.
            for step in range(most_steps):
                out[count + step] = integer((step_target[place, step] << WORD_TARGET_SHIFT) | shifts[cube])
            count += step_count[place]
        if count == 0:
            out[0] = PASS
            count = 1
        return count

    @kernel(inline=True)
    def count(position: Position, roll: int, row: numpy.ndarray) -> int:
        total = 0
        for cube in range(CUBES):
            total += step_count[square(position.own, shifts[cube])]
        return max(total, 1)

    @kernel(inline=True)
    def pick(position: Position, roll: int, random: Word, row: numpy.ndarray) -> int:
        total = 0
        for cube in range(CUBES):
            total += step_count[square(position.own, shifts[cube])]
        if total == 0:
            return PASS
        step = below(random, total)
        cube = 0
        place = square(position.own, shifts[cube])
        while step >= step_count[place]:
            step -= step_count[place]
            cube += 1
            place = square(position.own, shifts[cube])
        return integer((step_target[place, step] << WORD_TARGET_SHIFT) | shifts[cube])

    @kernel(inline=True)
    def play(position: Position, move: int) -> Position:
        if move == PASS:
            return Position(position.enemy, position.own, 1 - position.mover)
        target = Word(move) >> WORD_TARGET_SHIFT
        own = put(capture(position.own, target), Word(move) & shift_mask, target)
        return Position(capture(position.enemy, goal - target), own, 1 - position.mover)

    @kernel(inline=True)
    def outcome(position: Position) -> int:
        if position.own == WORD_ALL:
            return LOSS
        own_goal, enemy_goal = find(position.own, goal), find(position.enemy, goal)
        if own_goal == WORD_ZERO or enemy_goal == WORD_ZERO:
            return ONGOING
        if own_goal == enemy_goal:
            return DRAW
        return WIN if own_goal < enemy_goal else LOSS

    own_mask = Word((1 << board.bits * CUBES) - 1)

    @kernel(inline=True)
    def key(position: Position) -> tuple[Word, Word]:
        """The value is the mover's, so the colour does not matter."""
        return position.own & own_mask, position.enemy & own_mask

    def format_position(position: Position, roll: int) -> str:
        return f"{cube_board.format_cubes(board, position, 0)} {'rb'[position.mover]}"

    def parse(text: str) -> tuple[Position, int]:
        example = format_position(game.start_position(0), 1)
        cubes_text, mover_text = split_fields(text, ("board", "side to move"), example)
        red, blue = cube_board.parse_cubes(board, cubes_text, 0)
        mover = parse_side(mover_text, "rb")
        own, enemy = (red, blue) if mover == RED else (blue, red)
        if enemy == WORD_ALL:
            raise GameError(f"{('blue', 'red')[mover]} has no cube left, so it is not {('red', 'blue')[mover]}'s turn")
        return Position(own, enemy, mover), 1

    def format_move(position: Position, move: int) -> str:
        if move == PASS:
            return "pass"
        return "".join(square_name(place, SIZE) for place in cube_board.move_squares(board, position, move))

    def plies_left(position: Position, ply: int) -> float:
        """Both sides delay their arrival, so the steps left predict the end: a fit to 120 games of `strong`."""
        steps = 0
        for side in (position.own, position.enemy):
            for place in cube_board.places(board, side):
                if place is not None:
                    row, column = divmod(place, SIZE)
                    steps += 2 * (SIZE - 1) - row - column
        return 6.0 + 0.5 * steps

    game = Game(
        name="kari",
        title="EinStein würfelt nicht! (Kari)",
        description="6×6, cubes 0–5, no dice: the smaller number in the far corner wins, or capture all",
        dice="none",
        sides=("red", "blue"),
        rows=SIZE,
        columns=SIZE,
        faces=1,
        max_moves=3 * CUBES,
        max_plies=4 * CUBES * (2 * SIZE - 2),
        position=Position,
        start=start,
        moves=moves,
        play=play,
        outcome=outcome,
        count=count,
        pick=pick,
        key=key,
        symmetries=(colours_swapped(), transposition(board, PASS)),
        format=format_position,
        parse=parse,
        format_move=format_move,
        cells=lambda position: cube_board.board_cells(board, position, 0),
        reason=lambda position: "captured all" if position.own == WORD_ALL else "numbers",
        starts=0,
        move_spellings=lambda text: "pass" if text.strip() == "??" else move_between_squares(text),
        move_squares=lambda position, move: () if move == PASS else cube_board.move_squares(board, position, move),
        typical_plies=52,
        plies_deviation=10.0,
        plies_left=plies_left,
        actions=len(STEPS) * board.cubes + 1,
        action=cube_board.build_action(board, len(STEPS), PASS),
        view=cube_board.build_view(board),
        family="kari",
    )
    return game
