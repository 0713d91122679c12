"""Kalah, six pits with four seeds: a side that sows its last seed into its own store moves again.

A move sows the seeds of a pit one by one: own pits, own store, the other side's pits. A last seed in an empty own pit
captures itself and the seeds opposite, if any. When a row is empty, the side with more seeds in its row and store wins.

    4,4,4,4,4,4,0 4,4,4,4,4,4,0 s    pits of south in sowing order and its store, the same of north, the side to move
"""

from typing import NamedTuple

import numpy

from starscout.game import DRAW, LOSS, ONGOING, WIN, Cell, Game, GameError
from starscout.game.notation import parse_side, split_fields
from starscout.kernels.bits import WORD_ONE, Word, integer
from starscout.kernels.kernel import kernel

PITS, STORE, SEEDS = 6, 6, 48
BITS, LANE = Word(8), Word(255)
START, ROW = Word(sum(4 << 8 * pit for pit in range(PITS))), Word((1 << 8 * PITS) - 1)
SUM, TOP = Word(sum(1 << 8 * place for place in range(8))), Word(56)  # a product with SUM adds the lanes in the top one


class Position(NamedTuple):
    own: Word  # eight bits for each pit and for the store, in sowing order
    enemy: Word
    mover: int


@kernel(inline=True)
def seeds(side: Word, place: int) -> int:
    return integer(side >> BITS * Word(place) & LANE)


@kernel(inline=True)
def start(seed: Word) -> Position:
    return Position(START, START, 0)


@kernel(inline=True)
def moves(position: Position, event: int, out: numpy.ndarray) -> int:
    count = 0
    for pit in range(PITS):
        if seeds(position.own, pit) > 0:
            out[count] = pit
            count += 1
    return count


@kernel(inline=True)
def play(position: Position, move: int) -> Position:
    own, enemy, last = position.own & ~(LANE << BITS * Word(move)), position.enemy, move
    for _ in range(seeds(position.own, move)):
        last = (last + 1) % (2 * PITS + 1)
        if last <= STORE:
            own += WORD_ONE << BITS * Word(last)
        else:
            enemy += WORD_ONE << BITS * Word(last - STORE - 1)
    opposite = PITS - 1 - last
    if last < STORE and seeds(own, last) == 1 and seeds(enemy, opposite) > 0:
        own += (Word(1 + seeds(enemy, opposite)) << BITS * Word(STORE)) - (WORD_ONE << BITS * Word(last))
        enemy &= ~(LANE << BITS * Word(opposite))
    return Position(own, enemy, position.mover) if last == STORE else Position(enemy, own, 1 - position.mover)


@kernel(inline=True)
def outcome(position: Position) -> int:
    if position.own & ROW != Word(0) and position.enemy & ROW != Word(0):
        return ONGOING
    lead = integer(position.own * SUM >> TOP) - integer(position.enemy * SUM >> TOP)
    return WIN if lead > 0 else LOSS if lead < 0 else DRAW


def sides(position: Position) -> list[list[int]]:
    both = [[seeds(side, place) for place in range(PITS + 1)] for side in (position.own, position.enemy)]
    return both if position.mover == 0 else both[::-1]


def parse(text: str) -> tuple[Position, int]:
    *rows, side = split_fields(text, ("south", "north", "side to move"), "4,4,4,4,4,4,0 4,4,4,4,4,4,0 s")
    both = [[int(seed) if seed.isdecimal() else SEEDS + 1 for seed in row.split(",")] for row in rows]
    if any(len(row) != PITS + 1 for row in both) or sum(map(sum, both)) != SEEDS:
        raise GameError(f"position: expected seven numbers per side, {SEEDS} seeds in all, got {text!r}")
    south, north = (Word(sum(count << 8 * place for place, count in enumerate(row))) for row in both)
    return (Position(south, north, 0) if parse_side(side, "sn") == 0 else Position(north, south, 1)), 1


def cells(position: Position) -> list[Cell]:
    south, north = ([Cell(str(count), side) for count in row] for side, row in enumerate(sides(position)))
    return [*north[::-1], Cell("", None), Cell("", None), *south]


GAME = Game(
    name="kalah", title="Kalah", description="six pits, four seeds each; the last seed in the store moves again",
    dice="none", sides=("south", "north"), rows=2, columns=PITS + 2, max_moves=PITS, max_plies=2000,
    typical_plies=50, position=Position, start=start, moves=moves, play=play, outcome=outcome, alternating=False,
    format=lambda p, event: f"{' '.join(','.join(map(str, row)) for row in sides(p))} {'sn'[p.mover]}", parse=parse,
    format_move=lambda position, move: str(move + 1), cells=cells, reason=lambda position: "empty row",
    move_squares=lambda position, move: (PITS + 3 + move if position.mover == 0 else PITS - move,),
)  # fmt: skip
