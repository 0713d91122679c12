"""Rules of EinStein würfelt nicht! on 6 rows × 7 columns with a known cyclic die: perfect information.

Cubes and dice are numbered 0–5. The die of ply n is digit n modulo 21 of a sequence that both sides know. There is a
fourth step: up-right for red, down-left for blue. Otherwise the rules are those of `ewn`. Red moves first.

The sequence is one word, three bits per digit, rotated by one digit each ply so that the current die is the lowest:

    dice   | digit n+20 | … | digit n+2 | digit n+1 | digit n |        a position contains all future dice
"""

import functools
from typing import NamedTuple

import numpy

from starscout.game import LOSS, ONGOING, Game, GameError, Symmetry
from starscout.game.notation import move_between_squares, parse_side, split_fields, square_name
from starscout.games.ewn import board as cube_board
from starscout.games.ewn.board import BLUE, RED, SHIFT_MASK, TARGET_SHIFT, WORD_TARGET_SHIFT, build_die_moves
from starscout.games.ewn.rules import check_sides
from starscout.kernels.bits import WORD_ALL, WORD_ONE, Word, below, mix, random_word
from starscout.kernels.kernel import kernel
from starscout.settings.options import read_whole

ROWS, COLUMNS, CUBES, PERIOD = 6, 7, 6, 21
STEPS = ((0, 1), (1, 0), (1, 1), (-1, 1))
START_SQUARES = (0, 1, 2, 7, 8, 14)
DIGIT_BITS = 3


class Position(NamedTuple):
    """The two sides, each in its own view, the future dice, the ply number and the mover: 0 = red, 1 = blue."""

    own: Word
    enemy: Word
    dice: Word
    ply: int
    mover: int


def build_variant(text: str) -> Game | None:
    """The game if the text after its name is empty; it has no variants."""
    return None if text else build()


@functools.cache
def build() -> Game:
    """Build the game."""
    board = cube_board.build_cubes(ROWS, COLUMNS, CUBES)
    capture, put, stands_on = board.capture, board.put, board.stands_on
    _, _, die_moves, die_count, die_pick = build_die_moves(board, STEPS)
    shuffled_side = cube_board.build_shuffle(board, START_SQUARES)
    goal = Word(board.squares - 1)
    shift_mask = Word(SHIFT_MASK)
    digit_bits, digit_mask = Word(DIGIT_BITS), Word(7)
    last_digit = Word(DIGIT_BITS * (PERIOD - 1))

    @kernel
    def start(seed: Word) -> Position:
        """Both numberings shuffled independently and 21 fair digits."""
        dice = Word(0)
        for number in range(PERIOD):
            digit = below(random_word(seed, Word(number)), CUBES)
            dice = (dice << digit_bits) | Word(digit)
        return Position(shuffled_side(mix(seed)), shuffled_side(mix(~seed)), dice, 0, RED)

    @kernel(inline=True)
    def moves(position: Position, roll: int, out: numpy.ndarray) -> int:
        return die_moves(position.own, (position.dice & digit_mask) + WORD_ONE, out)

    @kernel(inline=True)
    def count(position: Position, roll: int, row: numpy.ndarray) -> int:
        return die_count(position.own, (position.dice & digit_mask) + WORD_ONE)

    @kernel(inline=True)
    def pick(position: Position, roll: int, random: Word, row: numpy.ndarray) -> int:
        return die_pick(position.own, (position.dice & digit_mask) + WORD_ONE, random)

    @kernel(inline=True)
    def play(position: Position, move: int) -> Position:
        target = Word(move) >> WORD_TARGET_SHIFT
        own = put(capture(position.own, target), Word(move) & shift_mask, target)
        enemy = capture(position.enemy, goal - target)
        dice = (position.dice >> digit_bits) | ((position.dice & digit_mask) << last_digit)
        return Position(enemy, own, dice, position.ply + 1, 1 - position.mover)

    @kernel(inline=True)
    def outcome(position: Position) -> int:
        if position.own == WORD_ALL or stands_on(position.enemy, goal):
            return LOSS
        return ONGOING

    own_mask = Word((1 << board.bits * CUBES) - 1)
    own_bits = Word(board.bits * CUBES)
    low_half = Word((1 << (64 - board.bits * CUBES)) - 1)
    half_bits = Word(64 - board.bits * CUBES)

    @kernel(inline=True)
    def key(position: Position) -> tuple[Word, Word]:
        """Each side, and above it half of a 56-bit hash of the future dice."""
        dice = mix(position.dice)
        first = (position.own & own_mask) | ((dice & low_half) << own_bits)
        second = (position.enemy & own_mask) | (((dice >> half_bits) & low_half) << own_bits)
        return first, second

    def format_position(position: Position, roll: int) -> str:
        text = cube_board.format_cubes(board, position, 0)
        return f"{text} {'rb'[position.mover]} {dice_text(position)} {position.ply}"

    def parse(text: str) -> tuple[Position, int]:
        example = format_position(game.start_position(0), 1)
        names = ("board", "side to move", "21 dice", "ply number")
        cubes_text, mover_text, digits, ply_text = split_fields(text, names, example)
        red, blue = cube_board.parse_cubes(board, cubes_text, 0)
        mover = parse_side(mover_text, "rb")
        if len(digits) != PERIOD or any(digit not in "012345" for digit in digits):
            raise GameError(f"dice: expected {PERIOD} digits 0 to 5, got {digits!r}")
        ply = read_whole(ply_text, 0, 999)
        if ply is None:
            raise GameError(f"ply: expected 0, 1, 2, …, got {ply_text[:20]!r}")
        if ply % 2 != mover:
            raise GameError(f"ply {ply} is {('red', 'blue')[ply % 2]}'s, but the side to move is {mover_text!r}")
        own, enemy = (red, blue) if mover == RED else (blue, red)
        check_sides(board, own, enemy, mover)
        return Position(own, enemy, pack_dice(digits, ply), ply, mover), 1

    def format_move(position: Position, move: int) -> str:
        return "".join(square_name(place, COLUMNS) for place in cube_board.move_squares(board, position, move))

    def renumbered(side: Word) -> Word:
        return cube_board.make_side(board, cube_board.places(board, side)[::-1])

    def reversed_numbers(position: Position) -> Position:
        digits = "".join(str(CUBES - 1 - int(digit)) for digit in dice_text(position))
        return position._replace(
            own=renumbered(position.own), enemy=renumbered(position.enemy), dice=pack_dice(digits, position.ply)
        )

    def reversed_move(position: Position, move: int) -> int:
        cube = CUBES - 1 - cube_board.move_cube(board, move)
        return move >> TARGET_SHIFT << TARGET_SHIFT | board.bits * cube

    game = Game(
        name="ewn-cyclic",
        title="EinStein würfelt nicht!, cyclic die",
        description="6×7, cubes 0–5, 21 dice known to both and repeated: reach the far corner or capture all",
        dice="a known cycle of 21 digits 0–5",
        sides=("red", "blue"),
        rows=ROWS,
        columns=COLUMNS,
        faces=1,
        max_moves=8,
        max_plies=2 * CUBES * (COLUMNS - 1 + COLUMNS * (ROWS - 1)),
        position=Position,
        start=start,
        moves=moves,
        play=play,
        outcome=outcome,
        count=count,
        pick=pick,
        key=key,
        symmetries=(
            Symmetry("numbers reversed", reversed_numbers, reversed_move),
            Symmetry(
                "colours swapped",
                lambda p: p._replace(mover=BLUE - p.mover, ply=p.ply + 1),
                lambda p, move: move,
            ),
        ),
        format=format_position,
        parse=parse,
        format_move=format_move,
        cells=lambda position: cube_board.board_cells(board, position, 0),
        reason=lambda position: "captured all" if position.own == WORD_ALL else "corner",
        starts=0,
        move_spellings=move_between_squares,
        move_squares=lambda position, move: cube_board.move_squares(board, position, move),
        typical_plies=25,
        plies_deviation=2.5,
        actions=len(STEPS) * board.cubes,
        action=cube_board.build_action(board, len(STEPS)),
        view=cube_board.build_view(board),
        family="ewn-cyclic",
        die=lambda position, roll: str(int(position.dice) & 7),
        dice_to_come=lambda position: [str(int(position.dice) >> DIGIT_BITS * index & 7) for index in range(1, PERIOD)],
        opening_plies=0,  # the dice, known in advance, make the games differ
    )
    return game


def pack_dice(digits: str, ply: int) -> Word:
    """The word of a sequence in its original order, rotated so that the die of `ply` is lowest."""
    rotated = digits[ply % PERIOD :] + digits[: ply % PERIOD]
    return Word(sum(int(digit) << DIGIT_BITS * index for index, digit in enumerate(rotated)))


def dice_text(position: Position) -> str:
    """The sequence in its original order: the die of ply 0 first."""
    digits = "".join(str(int(position.dice) >> DIGIT_BITS * index & 7) for index in range(PERIOD))
    turn = -position.ply % PERIOD
    return digits[turn:] + digits[:turn]
