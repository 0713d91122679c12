"""Rules of backgammon: the opening roll, 21 weighted rolls, distinct plays, bearing off, gammons and backgammons.

Both dice must be played if possible, doubles four times; if only one die can be played, the higher one if possible. A
play is a distinct resulting position. A win counts one point, two if the loser has borne off no checker (a gammon), and
three if, in addition, the loser has a checker on the bar or in the winner's home board (a backgammon). `backgammon-dmp`
counts only wins, as at double match point.

The opening roll is one die each, without doubles: 15 rolls, the higher die begins. The seats determine who begins: they
are exchanged between the games of a pair, and `other_side_first` is the start in which the other side begins.
"""

import functools
import re
from typing import Any

import numpy

from starscout.game import LOSS, NOT_ROLLED, ONGOING, Cell, Game, GameError
from starscout.games.backgammon.board import (
    BAR,
    CHECKERS,
    MAX_MOVES,
    OPENING_ROLLS,
    POINTS,
    ROLLS,
    Position,
    checkers,
    high_die,
    list_plays,
    low_die,
    make_play,
    occupied,
)
from starscout.games.backgammon.notation import find_play, format_play, half_moves, spell_play
from starscout.games.backgammon.picture import BAR_COLUMN, COLUMNS, OFF_COLUMN, draw_board
from starscout.games.backgammon.position_id import board_of_id, id_of_board
from starscout.games.backgammon.text_board import draw_text_board
from starscout.kernels.bits import WORD_ZERO, Word
from starscout.kernels.kernel import kernel

GAMMON, BACKGAMMON = 2, 3
START = {23: 2, 12: 5, 7: 3, 5: 5}
"""Index → checkers at the start."""
EXAMPLE = "4HPwATDgc/ABMA w 31"
OPENING = "opening"
_FAR_HOME = Word(0x7F << 18)
"""The enemy's home board and the bar."""

Board = tuple[int, ...]
"""[index] → number of checkers of a side: 24 points and the bar."""


def build_variant(text: str) -> Game | None:
    """Backgammon with points, or its variant `dmp`, in which only winning counts."""
    return build(text == "dmp") if text in ("", "dmp") else None


@kernel(inline=True)
def events(position: Position) -> int:
    return OPENING_ROLLS if position.opening == 1 else ROLLS


@kernel(inline=True)
def event(position: Position, index: int) -> tuple[int, int]:
    """Doubles have weight 1, other rolls 2; the opening rolls are those without doubles."""
    if position.opening == 1:
        return index + high_die(index + 1) + 1, 2
    roll = index + 1
    return roll, 1 if high_die(roll) == low_die(roll) else 2


@kernel(inline=True)
def moves(position: Position, event: int, out: numpy.ndarray) -> int:
    return list_plays(position, event, out)


@kernel(inline=True)
def play(position: Position, move: int) -> Position:
    return make_play(position, move)


@kernel(inline=True)
def points_lost(position: Position) -> int:
    """The points of a finished game, lost by the mover."""
    if checkers(position.own_low, position.own_high) < CHECKERS:
        return 1
    behind = occupied(position.own_low, position.own_high) & _FAR_HOME
    return GAMMON if behind == WORD_ZERO else BACKGAMMON


@kernel(inline=True)
def outcome(position: Position) -> int:
    if position.enemy_low | position.enemy_high != WORD_ZERO:
        return ONGOING
    return -points_lost(position)


@kernel(inline=True)
def outcome_dmp(position: Position) -> int:
    return ONGOING if position.enemy_low | position.enemy_high != WORD_ZERO else LOSS


@kernel
def start(seed: Word) -> Position:
    return Position(_START_LOW, _START_HIGH, _START_LOW, _START_HIGH, 1, 0)


def planes(board: Board) -> tuple[Word, Word]:
    """The words of a side with these checkers."""
    bits = [sum((count >> plane & 1) << index for index, count in enumerate(board)) for plane in range(4)]
    return Word(bits[0] | bits[1] << 32), Word(bits[2] | bits[3] << 32)


def boards(position: Position) -> tuple[Board, Board]:
    """The checkers of the mover and of the other side, each from that side's perspective."""
    return _board(position.own_low, position.own_high), _board(position.enemy_low, position.enemy_high)


def _board(low: Word, high: Word) -> Board:
    first, second, third, fourth = int(low), int(low) >> 32, int(high), int(high) >> 32
    return tuple(
        (first >> index & 1) + 2 * (second >> index & 1) + 4 * (third >> index & 1) + 8 * (fourth >> index & 1)
        for index in range(BAR + 1)
    )


def position_of(own: Board, enemy: Board, mover: int, opening: int = 0) -> Position:
    """The inverse of `boards`; raises GameError if there are too many checkers or both sides are on a point."""
    for name, board in (("mover", own), ("other side", enemy)):
        if sum(board) > CHECKERS:
            raise GameError(
                f"position: expected at most {CHECKERS} checkers of each side, got {sum(board)} of the {name}"
            )
    both = [index + 1 for index in range(POINTS) if own[index] and enemy[POINTS - 1 - index]]
    if both:
        raise GameError(f"position: both sides have checkers on point {both[0]} of the mover")
    if not any(own):
        raise GameError("position: expected at least one checker of the side to move")
    return Position(*planes(own), *planes(enemy), opening, mover)


_START_BOARD: Board = tuple(START.get(index, 0) for index in range(BAR + 1))
_START_LOW, _START_HIGH = planes(_START_BOARD)


def roll_of(high: int, low: int) -> int:
    """The number of the roll with these dice, in any order."""
    high, low = max(high, low), min(high, low)
    return high * (high - 1) // 2 + low


def format_roll(position: Position, event: int) -> str:
    """The dice, the higher one first: `31`."""
    return f"{int(high_die(event))}{int(low_die(event))}"


def format_position(position: Position, event: int) -> str:
    """The position ID, the side to move, the roll (`-`: not rolled) and `opening` before the first play."""
    roll = "-" if event == NOT_ROLLED else format_roll(position, event)
    text = f"{id_of_board(*boards(position))} {'wb'[position.mover]} {roll}"
    return f"{text} {OPENING}" if position.opening else text


def parse(text: str) -> tuple[Position, int]:
    """The position and roll of a text; the position ID alone has white to move before the roll."""
    fields = text.split()
    if not 1 <= len(fields) <= 4 or (len(fields) == 4 and fields[3] != OPENING):
        raise GameError(
            f"position: expected a position ID, the side to move, the roll, and {OPENING!r} or nothing, "
            f"like {EXAMPLE!r}; got {text!r}"
        )
    side, roll_text = fields[1] if len(fields) > 1 else "w", fields[2] if len(fields) > 2 else "-"
    if side not in ("w", "b"):
        raise GameError(f"side to move: expected w or b, got {side!r}")
    if not re.fullmatch("-|[1-6]{2}", roll_text):
        raise GameError(f"roll: expected two dice, like 31, or -, got {roll_text!r}")
    opening = int(len(fields) == 4)
    roll = NOT_ROLLED if roll_text == "-" else roll_of(*map(int, roll_text))
    if opening and roll_text[0] == roll_text[-1] != "-":
        raise GameError(f"roll: the opening roll is not a double, got {roll_text!r}")
    return position_of(*board_of_id(fields[0]), "wb".index(side), opening), roll


def place_square(index: int, side: int) -> int:
    """The square of the diagram for an index of a side; index −1 is the tray of borne-off checkers."""
    top = (index == BAR) == (side == 0) if index in (BAR, -1) else (index >= 12) == (side == 0)
    if index == -1:
        top = side == 1
    if index in (BAR, -1):
        return (0 if top else COLUMNS) + (BAR_COLUMN if index == BAR else OFF_COLUMN)
    point = index if side == 0 else POINTS - 1 - index
    column = point - 12 if point >= 12 else 11 - point
    return (0 if point >= 12 else COLUMNS) + column + (column >= BAR_COLUMN)


def cells(position: Position) -> list[Cell]:
    """White's points 13 to 24 in the top row, 12 to 1 below; the bar in the middle, borne-off checkers on the right."""
    found = [Cell("", None)] * (2 * COLUMNS)
    own, enemy = boards(position)
    for side, board in ((position.mover, own), (1 - position.mover, enemy)):
        for index, count in enumerate(board):
            if count:
                found[place_square(index, side)] = Cell(str(count), side)
        if sum(board) < CHECKERS:
            found[place_square(-1, side)] = Cell(str(CHECKERS - sum(board)), side)
    return found


def play_squares(position: Position, move: int) -> tuple[int, ...]:
    """The squares that checkers leave and reach."""
    found: dict[int, None] = {}
    for index, die in half_moves(move):
        found[place_square(index, position.mover)] = None
        found[place_square(max(index - die, -1), position.mover)] = None
    return tuple(found)


def play_steps(position: Position, move: int) -> tuple[tuple[int, int], ...]:
    """The squares that each checker leaves and reaches."""
    side = position.mover
    return tuple(
        (place_square(index, side), place_square(max(index - die, -1), side)) for index, die in half_moves(move)
    )


def reason(position: Position) -> str:
    return ("", "bore off", "gammon", "backgammon")[int(points_lost(position))]


def pip_counts(position: Position) -> tuple[int, int]:
    """The pips that the mover and the other side need to bear off all checkers."""
    own, enemy = boards(position)
    return tuple(sum((index + 1) * count for index, count in enumerate(board)) for board in (own, enemy))  # pyright: ignore


@functools.cache
def build(dmp: bool = False) -> Game:
    """Build the game with points, or the variant that counts only wins."""
    scoring: dict[str, Any] = {"outcome": outcome_dmp} if dmp else {"outcome": outcome, "points": BACKGAMMON}
    return Game(
        name="backgammon-dmp" if dmp else "backgammon",
        title="Backgammon (double match point)" if dmp else "Backgammon",
        description="bear off all checkers first"
        + ("; only winning counts" if dmp else "; gammons count 2, backgammons 3"),
        dice="two dice, 21 rolls",
        sides=("white", "black"),
        rows=2,
        columns=COLUMNS,
        max_moves=MAX_MOVES,
        max_plies=10_000,
        position=Position,
        start=start,
        moves=moves,
        play=play,
        events=events,
        event=event,
        max_events=ROLLS,
        other_side_first=lambda position: position._replace(mover=1 - position.mover),
        format=format_position,
        parse=parse,
        format_event=format_roll,
        format_move=format_play,
        cells=cells,
        reason=reason,
        move_spellings=spell_play,
        find_move=find_play,
        move_squares=play_squares,
        move_steps=play_steps,
        picture=draw_board,
        text_board=draw_text_board,
        typical_plies=55,
        plies_deviation=15.0,
        deepening=0.0,
        family="backgammon",
        **scoring,
    )
