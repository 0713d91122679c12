"""Pig: a die after the move, and a turn that goes on until the mover holds or rolls a 1.

The mover rolls or holds. A 1 loses the turn total and passes the turn; 2 to 6 are added to the turn total, and the same
side decides again. Holding adds the turn total to the score and passes the turn. 100 points win.

    12 30 8 a choose     a has 12 points, b has 30; a has collected 8 in this turn and chooses
    12 30 8 a rolling    a has chosen to roll; the die is not rolled yet
"""

from typing import NamedTuple

import numpy

from starscout.game import LOSS, NOT_ROLLED, ONGOING, Cell, Game, GameError
from starscout.game.notation import parse_side, split_fields
from starscout.kernels.bits import Word
from starscout.kernels.kernel import kernel

GOAL, FACES, ROLL, HOLD = 100, 6, 0, 1
PHASES = ("choose", "rolling")


class Position(NamedTuple):
    own: int
    enemy: int
    total: int
    rolling: int  # 1 before the die is rolled
    mover: int


@kernel(inline=True)
def start(seed: Word) -> Position:
    return Position(0, 0, 0, 0, 0)


@kernel(inline=True)
def events(position: Position) -> int:
    return FACES if position.rolling == 1 else 0


@kernel(inline=True)
def event(position: Position, index: int) -> tuple[int, int]:
    return index + 1, 1


@kernel(inline=True)
def resolve(position: Position, event: int) -> Position:
    if event == 1:
        return Position(position.enemy, position.own, 0, 0, 1 - position.mover)
    return Position(position.own, position.enemy, position.total + event, 0, position.mover)


@kernel(inline=True)
def moves(position: Position, event: int, out: numpy.ndarray) -> int:
    out[0], out[1] = HOLD, ROLL
    return 2 if position.own + position.total < GOAL else 1


@kernel(inline=True)
def play(position: Position, move: int) -> Position:
    if move == ROLL:
        return Position(position.own, position.enemy, position.total, 1, position.mover)
    return Position(position.enemy, position.own + position.total, 0, 0, 1 - position.mover)


@kernel(inline=True)
def outcome(position: Position) -> int:
    return LOSS if position.enemy >= GOAL else ONGOING


@kernel(inline=True)
def key(position: Position) -> tuple[Word, Word]:
    """The value does not depend on which side is the mover."""
    return Word((position.own * 256 + position.enemy) * 256 + position.total), Word(position.rolling)


def scores(position: Position) -> tuple[int, int]:
    return (position.own, position.enemy) if position.mover == 0 else (position.enemy, position.own)


def parse(text: str) -> tuple[Position, int]:
    names = ("score of a", "score of b", "turn total", "side to move", "phase")
    *numbers, side, phase = split_fields(text, names, "12 30 8 a choose")
    if phase not in PHASES or not all(number.isdecimal() and int(number) < GOAL + FACES for number in numbers):
        raise GameError(f"position: expected three numbers up to 105, a side, {' or '.join(PHASES)}; got {text!r}")
    mover = parse_side(side, "ab")
    own, enemy, total = int(numbers[mover]), int(numbers[1 - mover]), int(numbers[2])
    return Position(own, enemy, total, PHASES.index(phase), mover), NOT_ROLLED


GAME = Game(
    name="pig", title="Pig", description="roll or hold; a 1 loses the turn total; 100 points win",
    dice="a die 1–6 after each decision to roll", sides=("first", "second"), rows=1, columns=3, max_moves=2,
    max_plies=10_000, typical_plies=90, position=Position, start=start, moves=moves, play=play, outcome=outcome,
    events=events, event=event, max_events=FACES, resolve=resolve, alternating=False, key=key,
    format=lambda p, event: "{} {} {} {} {}".format(*scores(p), p.total, "ab"[p.mover], PHASES[p.rolling]),
    parse=parse, format_move=lambda position, move: ("roll", "hold")[move],
    cells=lambda p: [Cell(str(scores(p)[0]), 0), Cell(str(p.total), p.mover), Cell(str(scores(p)[1]), 1)],
    reason=lambda position: f"{GOAL} points",
)  # fmt: skip
