"""Kalah, six pits with four seeds: a side that sows its last seed into its own store moves again.

A move sows the seeds of a pit one by one: own pits, own store, the other side's pits. A last seed in an empty own pit
captures itself and the seeds opposite, if any. When a row is empty, the side with more seeds in its row and store wins.
The text of a position lists the pits of south in sowing order and its store, the same of north, and the side to move.
"""

from typing import NamedTuple

import numpy

from starscout.game import DRAW, LOSS, ONGOING, WIN, Cell, Game, GameError
from starscout.game.notation import parse_side, split_fields
from starscout.kernels.bits import WORD_ONE, Word, below, integer, popcount, select
from starscout.kernels.kernel import kernel

PITS, STORE, SEEDS, EMPTY = 6, 6, 48, [Cell("", None)] * 2
BITS, LANE, FULL = Word(8), Word(255), Word(0x7F7F_7F7F_7F7F_7F7F)
START, ROW = Word(sum(4 << 8 * pit for pit in range(PITS))), Word((1 << 8 * PITS) - 1)
SUM, TOP = Word(sum(1 << 8 * place for place in range(8))), Word(56)  # a product with SUM adds the lanes in the top one
SOWN = numpy.zeros((PITS, SEEDS + 1, 2), numpy.uint64)  # [pit, seeds in it] → what the move adds to both sides
for pit, count in numpy.ndindex(PITS, SEEDS):
    place = (pit + 1 + count) % (2 * PITS + 1)
    SOWN[pit, count + 1] = SOWN[pit, count]
    SOWN[pit, count + 1, place // 7] += Word(1 << 8 * (place % 7))


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
def pick(position: Position, event: int, random: Word, row: numpy.ndarray) -> int:
    filled = ((position.own & ROW) + FULL) & ~FULL & ROW  # the top bit of each pit with seeds
    return select(filled, below(random, popcount(filled))) // 8


@kernel(inline=True)
def play(position: Position, move: int) -> Position:
    count = seeds(position.own, move)
    own = (position.own & ~(LANE << BITS * Word(move))) + SOWN[move, count, 0]
    enemy, last = position.enemy + SOWN[move, count, 1], (move + count) % (2 * PITS + 1)
    opposite = PITS - 1 - last
    if last < STORE and seeds(own, last) == 1 and seeds(enemy, opposite) > 0:
        own += (Word(1 + seeds(enemy, opposite)) << BITS * Word(STORE)) - (WORD_ONE << BITS * Word(last))
        enemy &= ~(LANE << BITS * Word(opposite))
    return Position(own, enemy, position.mover) if last == STORE else Position(enemy, own, 1 - position.mover)


@kernel(inline=True)
def outcome(position: Position) -> int:
    over = position.own & ROW == Word(0) or position.enemy & ROW == Word(0)
    lead = integer(position.own * SUM >> TOP) - integer(position.enemy * SUM >> TOP)
    return ONGOING if not over else WIN if lead > 0 else LOSS if lead < 0 else DRAW


def sides(p: Position) -> list[list[int]]:
    return [[seeds(side, n) for n in range(PITS + 1)] for side in (p.own, p.enemy)][:: 1 - 2 * p.mover]


def parse(text: str) -> tuple[Position, int]:
    *rows, side = split_fields(text, ("south", "north", "side to move"), "4,4,4,4,4,4,0 4,4,4,4,4,4,0 s")
    both = [[int(seed) if seed.isdecimal() else SEEDS + 1 for seed in row.split(",")] for row in rows]
    if any(len(row) != PITS + 1 for row in both) or sum(map(sum, both)) != SEEDS:
        raise GameError(f"position: expected seven numbers per side, {SEEDS} seeds in all, got {text!r}")
    south, north = (Word(sum(count << 8 * place for place, count in enumerate(row))) for row in both)
    return (Position(south, north, 0) if parse_side(side, "sn") == 0 else Position(north, south, 1)), 1


GAME = Game(
    name="kalah", title="Kalah", description="six pits, four seeds each; the last seed in the store moves again",
    dice="none", alternating=False, sides=("south", "north"), rows=2, columns=PITS + 2, max_moves=PITS, max_plies=2000,
    typical_plies=50, position=Position, start=start, moves=moves, pick=pick, play=play, outcome=outcome,
    format=lambda p, event: f"{' '.join(','.join(map(str, row)) for row in sides(p))} {'sn'[p.mover]}", parse=parse,
    format_move=lambda position, move: str(move + 1), reason=lambda position: "empty row",
    cells=lambda p: [Cell(str(n), 1) for n in sides(p)[1][::-1]] + EMPTY + [Cell(str(n), 0) for n in sides(p)[0]],
    move_squares=lambda position, move: (PITS + 3 + move if position.mover == 0 else PITS - move,),
)  # fmt: skip
