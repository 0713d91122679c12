"""Features of the learned evaluation of dark chess: relations between the pieces that are left.

They are the same for all reflections of the board and for both colours; a score is the sum of their weights. "Own" is
the side to move. The stage of a game is one of three by the number of hidden pieces, the dominance one of five by the
numbers of pairs in which an own piece can capture an enemy piece and the reverse.

slots 0 … 13     pieces left of each kind, with the numbers of enemy pieces that capture it and that it captures, and
                 the stage; own, then enemy
slots 14 … 27    revealed and unrevealed pieces of each kind; own, then enemy
slots 28 … 41    for each enemy kind, the steps in which the nearest own piece can capture one, whether several can,
                 the squares to which it can flee, and the dominance; then the reverse
slots 42, 43     the highest kind that an own cannon can capture; then the reverse
slots 44, 45     own pieces that can step, and the stage; then the enemy's
slot 46          enemy kinds that no own piece captures by a step, the reverse, the dominance and the stage
slot 47          hidden pieces, and whether a flip is pending

The value is reduced as quiet plies approach their limit.
"""

from collections.abc import Mapping
from typing import Any

import numpy

from starscout.evaluation.evaluation import Evaluation
from starscout.evaluation.features import Features
from starscout.evaluation.network import LIMIT, score_values
from starscout.evaluation.weights import Weights, pack
from starscout.games.dark_chess.board import (
    CANNON,
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
    jump_targets,
    kind_at,
    mover_colour,
    pieces_of,
    spread_out,
)
from starscout.games.dark_chess.evaluation import QUIET
from starscout.kernels.bits import WORD_ONE, WORD_ZERO, Word, integer, lowest, popcount
from starscout.kernels.kernel import kernel

RELATIONS = "material, hunts and prospects"
STAGES = 3
DOMINANCES = 5
BALANCES = 512 * STAGES
"""Codes of a kind: pieces left + 8 · its captors + 64 · its victims, each at most 7; + 512 · stage."""
COUNTS = 64
"""Codes of a kind's revealed and unrevealed pieces: revealed + 8 · unrevealed."""
REACHES = 16
"""Codes of the distance to a kind: 0 none on the board, 1 … 12 plies, OUT_OF_REACH."""
OUT_OF_REACH = 13
HUNTS = 8 * REACHES
"""Codes of the hunt for a kind: distance + 16 · refuges, at most 3; + 64 if several pieces hunt it."""
JUMPS = 8
"""Codes of a cannon's best victim: its kind, or 7 for none."""
STEPPERS = 8 * STAGES
"""Codes of the pieces that can step, at most 7, + 8 · stage."""
PROSPECTS = 9 * DOMINANCES * STAGES
SLOTS = 6 * KINDS + 6
FIRST_COUNT = 2 * KINDS * BALANCES
FIRST_HUNT = FIRST_COUNT + 2 * KINDS * COUNTS
FIRST_JUMP = FIRST_HUNT + 2 * KINDS * HUNTS * DOMINANCES
FIRST_STEPPER = FIRST_JUMP + 2 * JUMPS
FIRST_PROSPECT = FIRST_STEPPER + 2 * STEPPERS
FEATURE_COUNT = FIRST_PROSPECT + PROSPECTS + 2 * (SQUARES + 1)
"""The first feature of each group, and the total number of features."""
MANY_HIDDEN = 12
"""With more hidden pieces a game is in the first stage; with none it is in the last."""


@kernel(inline=True)
def of_kind(position: Position, kind: int) -> Word:
    """The mask of the revealed pieces of a kind, of both colours; squares without a piece may be set."""
    bit0, bit1, bit2 = position.kinds & LOW, position.kinds >> HALF, position.rest & LOW
    mask = bit0 if kind & 1 else ~bit0
    mask &= bit1 if kind & 2 else ~bit1
    return mask & (bit2 if kind & 4 else ~bit2)


@kernel(inline=True)
def reach(hunters: Word, near: Word, prey: Word, empty: Word) -> int:
    """The number of steps over empty squares in which a hunter can capture, or OUT_OF_REACH.

    `near` are the neighbours of the hunters.
    """
    steps = 1
    while near & prey == WORD_ZERO:
        grown = hunters | (near & empty)
        if grown == hunters or steps == OUT_OF_REACH - 1:
            return OUT_OF_REACH
        hunters = grown
        near = spread_out(hunters)
        steps += 1
    return steps


@kernel
def hunts(position: Position, own: Word, enemy: Word, empty: Word) -> Word:
    """The codes of the hunts for all enemy kinds, 8 bits each."""
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
            code = Word(OUT_OF_REACH)
            if hunters != WORD_ZERO:
                near = spread_out(hunters)
                refuges = popcount(spread_out(prey) & empty & ~near)
                several = hunters & (hunters - WORD_ONE) != WORD_ZERO
                code = Word(reach(hunters, near, prey, empty) | (min(refuges, 3) << 4) | ((1 if several else 0) << 6))
            codes |= code << Word(8 * kind)
    return codes


@kernel
def best_jump(position: Position, own: Word, enemy: Word, occupied: Word) -> int:
    """The highest kind that a cannon can capture, or KINDS."""
    best = KINDS
    cannons = own & of_kind(position, CANNON)
    while cannons != WORD_ZERO:
        square = lowest(cannons)
        cannons &= cannons - WORD_ONE
        targets = jump_targets(occupied, square) & enemy
        while targets != WORD_ZERO:
            best = min(best, kind_at(position, lowest(targets)))
            targets &= targets - WORD_ONE
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
def balances(own: Word, enemy: Word) -> tuple[Word, int, int]:
    """From the `counts` of both sides: the codes of all own kinds without the stage, 9 bits each; the number of pairs
    in which an enemy piece captures an own one by a step; and the own kinds that no enemy piece captures so, at most 2.
    """
    codes = WORD_ZERO
    total = 0
    for kind in range(KINDS):
        total += left_of(enemy, kind)
    generals, soldiers = left_of(enemy, GENERAL), left_of(enemy, SOLDIER)
    higher, not_lower = 0, total
    pairs, safe = 0, 0
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
        left = left_of(own, kind)
        pairs += left * captors
        safe += 1 if left > 0 and captors == 0 else 0
        code = left | (min(captors, 7) << 3) | (min(prey, 7) << 6)
        codes |= Word(code) << Word(9 * kind)
    return codes, pairs, min(safe, 2)


@kernel(inline=True)
def dominance(pairs: int, other_pairs: int) -> int:
    """From the pairs in which an own piece can capture and the reverse: 0 far behind … 4 far ahead."""
    if 4 * pairs > 5 * other_pairs:
        return 4 if pairs > 2 * other_pairs else 3
    if 4 * other_pairs > 5 * pairs:
        return 0 if other_pairs > 2 * pairs else 1
    return 2


@kernel(inline=True)
def _relations(position: Position) -> Any:
    colour = mover_colour(position)
    own, enemy, hidden = pieces_of(position, colour), pieces_of(position, 1 - colour), hidden_pieces(position)
    occupied = own | enemy | hidden
    pending = position.pending != NOT_PENDING
    if pending:
        occupied |= WORD_ONE << Word(position.pending)
    empty = ~occupied & LOW
    own_hunts, enemy_hunts = hunts(position, own, enemy, empty), hunts(position, enemy, own, empty)
    jumps = best_jump(position, own, enemy, occupied) + JUMPS * best_jump(position, enemy, own, occupied)
    own_counts, enemy_counts = counts(position, colour, own), counts(position, 1 - colour, enemy)
    first, other_pairs, safe = balances(own_counts, enemy_counts)
    second, pairs, enemy_safe = balances(enemy_counts, own_counts)
    covered = popcount(hidden) + (1 if pending else 0)
    stage = 0 if covered > MANY_HIDDEN else (1 if covered > 0 else 2)
    leader = dominance(pairs, other_pairs)
    beside = spread_out(empty)
    steppers = min(popcount(own & beside), 7) + 8 * min(popcount(enemy & beside), 7)
    prospect = ((enemy_safe * 3 + safe) * DOMINANCES + leader) * STAGES + stage
    rest = popcount(hidden) + (SQUARES + 1 if pending else 0)
    return first, second, own_counts, enemy_counts, own_hunts, enemy_hunts, jumps, steppers, prospect, rest


@kernel(inline=True)
def _relation(view: Any, slot: int, weights: Weights) -> int:
    first_balance, second_balance, own, enemy, own_hunts, enemy_hunts, jumps, steppers, prospect, rest = view
    stage, leader = prospect % STAGES, prospect // STAGES % DOMINANCES
    if slot < 2 * KINDS:
        kind = slot % KINDS
        codes = first_balance if slot < KINDS else second_balance
        return slot * BALANCES + stage * 512 + integer((codes >> Word(9 * kind)) & Word(511))
    number = slot - 2 * KINDS
    if number < 2 * KINDS:
        kind = number % KINDS
        codes = own if number < KINDS else enemy
        return FIRST_COUNT + number * COUNTS + integer((codes >> Word(6 * kind)) & Word(COUNTS - 1))
    number -= 2 * KINDS
    if number < 2 * KINDS:
        kind = number % KINDS
        codes = own_hunts if number < KINDS else enemy_hunts
        code = integer((codes >> Word(8 * kind)) & Word(HUNTS - 1))
        return FIRST_HUNT + (number * DOMINANCES + leader) * HUNTS + code
    number -= 2 * KINDS
    if number < 2:
        return FIRST_JUMP + number * JUMPS + (jumps % JUMPS if number == 0 else jumps // JUMPS)
    number -= 2
    if number < 2:
        return FIRST_STEPPER + number * STEPPERS + stage * 8 + (steppers % 8 if number == 0 else steppers // 8)
    return FIRST_PROSPECT + (prospect if number == 2 else PROSPECTS + rest)


def _coarse() -> numpy.ndarray:
    """[feature] → the same feature without its stage or dominance, and hunts without refuges and further hunters."""
    coarse = numpy.arange(FEATURE_COUNT)
    for slot in range(2 * KINDS):
        codes = numpy.arange(BALANCES)
        coarse[slot * BALANCES + codes] = slot * BALANCES + codes % 512
        codes = numpy.arange(HUNTS * DOMINANCES)
        first = FIRST_HUNT + slot * HUNTS * DOMINANCES
        coarse[first + codes] = first + codes % REACHES
    return coarse


@kernel
def _evaluate_sum(position: Position, weights: Weights) -> int:
    """The sum of `_relation` over all slots, computed one kind at a time, in less than half the time."""
    own_balance, enemy_balance, own, enemy, own_hunts, enemy_hunts, jumps, steppers, prospect, rest = _relations(
        position
    )
    stage, leader = prospect % STAGES, prospect // STAGES % DOMINANCES
    rows = weights.rows
    total = 0
    balance, count, hunt = stage * 512, FIRST_COUNT, FIRST_HUNT + leader * HUNTS
    for _ in range(KINDS):
        total += integer(rows[balance + integer(own_balance & Word(511))])
        total += integer(rows[KINDS * BALANCES + balance + integer(enemy_balance & Word(511))])
        total += integer(rows[count + integer(own & Word(63))])
        total += integer(rows[KINDS * COUNTS + count + integer(enemy & Word(63))])
        total += integer(rows[hunt + integer(own_hunts & Word(127))])
        total += integer(rows[KINDS * DOMINANCES * HUNTS + hunt + integer(enemy_hunts & Word(127))])
        own_balance, enemy_balance = own_balance >> Word(9), enemy_balance >> Word(9)
        own, enemy = own >> Word(6), enemy >> Word(6)
        own_hunts, enemy_hunts = own_hunts >> Word(8), enemy_hunts >> Word(8)
        balance += BALANCES
        count += COUNTS
        hunt += DOMINANCES * HUNTS
    total += integer(rows[FIRST_JUMP + jumps % JUMPS]) + integer(rows[FIRST_JUMP + JUMPS + jumps // JUMPS])
    first, second = FIRST_STEPPER + stage * 8 + steppers % 8, FIRST_STEPPER + STEPPERS + stage * 8 + steppers // 8
    total += integer(rows[first]) + integer(rows[second])
    total += integer(rows[FIRST_PROSPECT + prospect]) + integer(rows[FIRST_PROSPECT + PROSPECTS + rest])
    score = integer(total * weights.factor)
    value = integer(weights.values[LIMIT + min(max(score, -LIMIT), LIMIT)])
    return value // QUIET * (QUIET - position.quiet)


def _sum_evaluation(name: str, arrays: Mapping[str, numpy.ndarray], order: Any) -> Evaluation:
    weights = {"rows": arrays["rows"], "factor": arrays["factor"], "values": score_values()}
    return Evaluation(name, _evaluate_sum, order, pack(weights))


FEATURES = Features(
    RELATIONS, SLOTS, FEATURE_COUNT, _relation, _relations, coarse=_coarse(), evaluation=_sum_evaluation
)
