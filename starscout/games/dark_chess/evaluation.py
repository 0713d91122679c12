"""Hand-made evaluation of dark chess: material, and for the side that is ahead the distance to its victims.

score   = Σ value of own pieces − Σ value of enemy pieces, revealed or in the pool
chase   = Σ over enemy pieces: 1/16 point per step that the nearest capturer is closer than 11 steps, only for the
          side with more material, because won endings are drawn by the rule of quiet plies unless it approaches
value   = tanh(score / 8), reduced as quiet plies approach their limit

Features of the learned evaluation, the same for all reflections of the board and for both colours; a score is the sum
of their weights:

slots 0 … 13     pieces left of each kind, with the numbers of enemy pieces that capture it and that it captures; own,
                 then enemy
slots 14 … 27    revealed and unrevealed pieces of each kind, own then enemy
slots 28 … 41    for each enemy kind, the steps in which the nearest own piece can capture one; then the reverse
slots 42, 43     the highest kind that an own cannon can capture; then the reverse
slot 44          hidden pieces, and whether a flip is pending

The value is reduced as quiet plies approach their limit.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy

from starscout.evaluation.evaluation import Calibration, Evaluation, value_table
from starscout.evaluation.features import Features
from starscout.evaluation.knowledge import FIRST_CLASS, ORDINARY
from starscout.evaluation.network import LIMIT, score_values
from starscout.evaluation.weights import Weights, pack
from starscout.game import Game
from starscout.games.dark_chess.board import (
    CANNON,
    FILES,
    GENERAL,
    HALF,
    KINDS,
    LOW,
    NOT_PENDING,
    POOL_BITS,
    SOLDIER,
    SQUARES,
    Position,
    hidden_pieces,
    jump_target,
    kind_at,
    mover_colour,
    pieces_of,
    spread_out,
)
from starscout.kernels.bits import WORD_ONE, WORD_ZERO, Word, integer, lowest, popcount
from starscout.kernels.kernel import kernel
from starscout.learning.self_play import PositionSample, SelfPlay, play_chunk

UNIT = 16
"""Parts of a point."""
PIECE_VALUES = numpy.array([6 * UNIT, 5 * UNIT, 3 * UNIT, 2 * UNIT, UNIT * 3 // 2, 4 * UNIT, UNIT], dtype=numpy.int64)
"""K A E R N C P."""
LARGEST = int(sum(PIECE_VALUES * numpy.array([1, 2, 2, 2, 2, 2, 5]))) + 11 * 16
VALUES = value_table(Calibration(0.0, 0.25), -LARGEST, LARGEST, UNIT)
QUIET = 30
FAR = 11

DISTANCE = numpy.array(
    [
        [abs(one % FILES - other % FILES) + abs(one // FILES - other // FILES) for other in range(SQUARES)]
        for one in range(SQUARES)
    ],
    dtype=numpy.int64,
)
CAPTURES = numpy.array(
    [
        [
            (hunter == SOLDIER and victim == GENERAL)
            or (hunter != CANNON and hunter <= victim and not (hunter == GENERAL and victim == SOLDIER))
            for victim in range(KINDS)
        ]
        for hunter in range(KINDS)
    ]
)
"""[hunter, victim]: captures by a step."""


@kernel(inline=True)
def material(position: Position, colour: int) -> int:
    """The value of the pieces of a colour, revealed or in the pool."""
    total = 0
    left = pieces_of(position, colour)
    while left != WORD_ZERO:
        total += PIECE_VALUES[kind_at(position, lowest(left))]
        left &= left - WORD_ONE
    pool = position.pool >> Word(POOL_BITS * KINDS * colour)
    for kind in range(KINDS):
        total += PIECE_VALUES[kind] * integer((pool >> Word(POOL_BITS * kind)) & Word(7))
    return total


@kernel
def chase(position: Position, colour: int) -> int:
    """The closeness of the pieces of a colour to the enemy pieces that they capture."""
    total = 0
    enemies = pieces_of(position, 1 - colour)
    while enemies != WORD_ZERO:
        victim_square = lowest(enemies)
        enemies &= enemies - WORD_ONE
        victim = kind_at(position, victim_square)
        nearest = FAR
        hunters = pieces_of(position, colour)
        while hunters != WORD_ZERO:
            square = lowest(hunters)
            hunters &= hunters - WORD_ONE
            if CAPTURES[kind_at(position, square), victim]:
                nearest = min(nearest, DISTANCE[square, victim_square])
        total += FAR - nearest
    return total


@kernel
def evaluate(position: Position) -> int:
    """The mover's value."""
    if position.colours == 0:
        return 0
    colour = mover_colour(position)
    score = material(position, colour) - material(position, 1 - colour)
    if score > 0:
        score += chase(position, colour)
    elif score < 0:
        score -= chase(position, 1 - colour)
    return VALUES[score + LARGEST] // QUIET * (QUIET - position.quiet)


@kernel
def order(position: Position, move: int) -> int:
    """Captures of valuable pieces first, then flips."""
    start, target = move // SQUARES, move % SQUARES
    if start == target:
        return 1
    taken = (position.revealed | (position.revealed >> Word(32))) >> Word(target)
    if taken & WORD_ONE == WORD_ZERO:
        return 0
    return 2 + PIECE_VALUES[kind_at(position, target)]


@kernel
def move_class(position: Position, move: int) -> int:
    """Captures are the first class."""
    return FIRST_CLASS if order(position, move) > 1 and position.pending == NOT_PENDING else ORDINARY


MATERIAL = Evaluation("material", evaluate, order)


RELATIONS = "material, distances and hidden pieces"
BALANCES = 512
"""Codes of a kind: pieces left + 8 · its captors + 64 · its victims, each at most 7."""
COUNTS = 64
"""Codes of a kind's revealed and unrevealed pieces: revealed + 8 · unrevealed."""
REACHES = 16
"""Codes of the distance to a kind: 0 none on the board, 1 … 12 plies, OUT_OF_REACH."""
OUT_OF_REACH = 13
JUMPS = 8
"""Codes of a cannon's best victim: its kind, or 7 for none."""


@kernel(inline=True)
def of_kind(position: Position, kind: int) -> Word:
    """The mask of the revealed pieces of a kind, of both colours; squares without a piece may be set."""
    bit0, bit1, bit2 = position.kinds & LOW, position.kinds >> HALF, position.rest & LOW
    mask = bit0 if kind & 1 else ~bit0
    mask &= bit1 if kind & 2 else ~bit1
    return mask & (bit2 if kind & 4 else ~bit2)


@kernel
def reach(hunters: Word, prey: Word, empty: Word) -> int:
    """The number of steps over empty squares in which a hunter can capture, or OUT_OF_REACH."""
    steps = 1
    while True:
        near = spread_out(hunters)
        if near & prey != WORD_ZERO:
            return steps
        grown = hunters | (near & empty)
        if grown == hunters or steps == OUT_OF_REACH - 1:
            return OUT_OF_REACH
        hunters = grown
        steps += 1


@kernel
def reaches(position: Position, own: Word, enemy: Word, empty: Word) -> Word:
    """The distance codes of all enemy kinds, 4 bits each."""
    codes = WORD_ZERO
    higher = WORD_ZERO
    general = own & of_kind(position, GENERAL)
    soldiers = own & of_kind(position, SOLDIER)
    for kind in range(KINDS):
        same = of_kind(position, kind)
        if kind != CANNON:
            higher |= own & same
        prey = enemy & same
        if prey != WORD_ZERO:
            hunters = higher
            if kind == GENERAL:
                hunters |= soldiers
            elif kind == SOLDIER:
                hunters &= ~general
            codes |= Word(reach(hunters, prey, empty)) << Word(4 * kind)
    return codes


@kernel
def best_jump(position: Position, own: Word, enemy: Word, occupied: Word) -> int:
    """The highest kind that a cannon can capture, or KINDS."""
    best = KINDS
    cannons = own & of_kind(position, CANNON)
    while cannons != WORD_ZERO:
        square = lowest(cannons)
        cannons &= cannons - WORD_ONE
        for direction in range(4):
            target = jump_target(occupied, square, direction)
            if target >= 0 and (enemy >> Word(target)) & WORD_ONE != WORD_ZERO:
                best = min(best, kind_at(position, target))
    return best


@kernel
def counts(position: Position, colour: int, own: Word) -> Word:
    """The codes of all kinds of a colour, 6 bits each."""
    codes = WORD_ZERO
    pool = position.pool >> Word(POOL_BITS * KINDS * colour)
    for kind in range(KINDS):
        revealed = Word(popcount(own & of_kind(position, kind)))
        codes |= (revealed | ((pool & Word(7)) << Word(3))) << Word(6 * kind)
        pool >>= Word(POOL_BITS)
    return codes


@kernel(inline=True)
def left_of(counted: Word, kind: int) -> int:
    """Pieces left of a kind, revealed or not, from the codes of `counts`."""
    code = integer((counted >> Word(6 * kind)) & Word(63))
    return (code & 7) + (code >> 3)


@kernel
def balances(own: Word, enemy: Word) -> Word:
    """The codes of all own kinds, 9 bits each, from the `counts` of both sides."""
    codes = WORD_ZERO
    total = 0
    for kind in range(KINDS):
        total += left_of(enemy, kind)
    generals, soldiers = left_of(enemy, GENERAL), left_of(enemy, SOLDIER)
    higher, not_lower = 0, total
    for kind in range(KINDS):
        same = left_of(enemy, kind)
        higher += 0 if kind == CANNON else same
        captors, prey = higher, not_lower
        not_lower -= same
        if kind == GENERAL:
            captors, prey = higher + soldiers, total - soldiers
        elif kind == CANNON:
            prey = total
        elif kind == SOLDIER:
            captors, prey = higher - generals, soldiers + generals
        code = left_of(own, kind) | (min(captors, 7) << 3) | (min(prey, 7) << 6)
        codes |= Word(code) << Word(9 * kind)
    return codes


@kernel(inline=True)
def _relations(position: Position) -> Any:
    colour = mover_colour(position)
    own, enemy, hidden = pieces_of(position, colour), pieces_of(position, 1 - colour), hidden_pieces(position)
    occupied = own | enemy | hidden
    pending = position.pending != NOT_PENDING
    if pending:
        occupied |= WORD_ONE << Word(position.pending)
    empty = ~occupied & LOW
    distances = reaches(position, own, enemy, empty) | (reaches(position, enemy, own, empty) << Word(4 * KINDS))
    jumps = best_jump(position, own, enemy, occupied) + JUMPS * best_jump(position, enemy, own, occupied)
    own_counts, enemy_counts = counts(position, colour, own), counts(position, 1 - colour, enemy)
    rest = popcount(hidden) + (SQUARES + 1 if pending else 0)
    first, second = balances(own_counts, enemy_counts), balances(enemy_counts, own_counts)
    return first, second, own_counts, enemy_counts, distances, jumps, rest


@kernel(inline=True)
def _relation(view: Any, slot: int, weights: Weights) -> int:
    first_balance, second_balance, own, enemy, distances, jumps, rest = view
    if slot < 2 * KINDS:
        kind = slot % KINDS
        codes = first_balance if slot < KINDS else second_balance
        return slot * BALANCES + integer((codes >> Word(9 * kind)) & Word(BALANCES - 1))
    first, number = 2 * KINDS * BALANCES, slot - 2 * KINDS
    if number < 2 * KINDS:
        kind = number % KINDS
        codes = own if number < KINDS else enemy
        return first + number * COUNTS + integer((codes >> Word(6 * kind)) & Word(COUNTS - 1))
    first, number = first + 2 * KINDS * COUNTS, number - 2 * KINDS
    if number < 2 * KINDS:
        return first + number * REACHES + integer((distances >> Word(4 * number)) & Word(REACHES - 1))
    first, number = first + 2 * KINDS * REACHES, number - 2 * KINDS
    if number < 2:
        return first + number * JUMPS + (jumps % JUMPS if number == 0 else jumps // JUMPS)
    return first + 2 * JUMPS + rest


MOST_CERTAIN = numpy.float32(0.75)
SLOTS = 6 * KINDS + 3
FEATURE_COUNT = 2 * KINDS * (BALANCES + COUNTS + REACHES) + 2 * JUMPS + 2 * (SQUARES + 1)


@kernel
def _evaluate_sum(position: Position, weights: Weights) -> int:
    view = _relations(position)
    total = 0
    for slot in range(SLOTS):
        total += integer(weights.rows[_relation(view, slot, weights)])
    score = integer(total * weights.factor)
    value = integer(weights.values[LIMIT + min(max(score, -LIMIT), LIMIT)])
    return value // QUIET * (QUIET - position.quiet)


def _sum_evaluation(name: str, arrays: Mapping[str, numpy.ndarray], order: Any) -> Evaluation:
    weights = {"rows": arrays["rows"], "factor": arrays["factor"], "values": score_values()}
    return Evaluation(name, _evaluate_sum, order, pack(weights))


FEATURES = Features(RELATIONS, SLOTS, FEATURE_COUNT, _relation, _relations, evaluation=_sum_evaluation)


def play_self(
    game: Game, evaluation: Evaluation, features: Features, settings: SelfPlay, seed: int, first: int, count: int
) -> PositionSample:
    """Self-play of `starscout learn`; games without an evaluation are random, as the first legal moves would repeat.

    Targets are bounded by MOST_CERTAIN: a sum is fitted to scores, where certain results would outweigh all others.
    """
    if evaluation.name == "zero":
        settings = replace(settings, noise=1.0)
    sample = play_chunk(game, evaluation, features, settings, seed, first, count)
    values = sample.values.clip(-MOST_CERTAIN, MOST_CERTAIN)
    return replace(sample, values=values, results=MOST_CERTAIN * sample.results)
