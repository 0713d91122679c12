"""Patterns against a slow definition: the squares of each slot read one by one."""

import numpy
import pytest

from starscout import games
from starscout.evaluation.evaluation import no_order
from starscout.evaluation.features import Features
from starscout.evaluation.network import sum_weights
from starscout.evaluation.squares import sample_positions
from starscout.evaluation.weights import NO_WEIGHTS, Weights
from starscout.game import Position
from starscout.game.values import as_float
from starscout.games.othello.patterns import (
    KINDS,
    STAGES,
    flips,
    mirrored_patterns,
    pattern_evaluation,
    pattern_features,
    pattern_kernels,
    slots,
    stage_of,
    turned_square,
)
from starscout.games.othello.rules import build_discs
from starscout.kernels.bits import WORD_ONE, WORD_ZERO, Word
from starscout.kernels.kernel import kernel

GAME = games.load("othello")
FEATURES: Features = pattern_features()
POSITIONS = sample_positions(GAME)[::60]


def pattern(position: Position, slot: int) -> int:
    """The number of the pattern of a slot within its stage: digits 0 empty, 1 own, 2 enemy."""
    found = slots()
    kind = next(squares for squares in KINDS if sum(1 << square for square in squares) == int(found.masks[slot]))
    number = int(found.firsts[slot])
    for place, square in enumerate(sorted(kind)):
        on_board = turned_square(int(found.boards[slot]), square)
        number += (int(position.own) >> on_board & 1) * 3**place + 2 * (int(position.enemy) >> on_board & 1) * 3**place
    return number


def test_number_of_slots() -> None:
    assert (len(KINDS), FEATURES.slots) == (11, 46)
    covered = [
        frozenset(turned_square(int(board), square) for square in range(64) if int(mask) >> square & 1)
        for mask, board in zip(slots().masks, slots().boards, strict=True)
    ]
    # Corners of 2×5 lie along either edge; no other two slots of a kind share all their squares.
    assert len(set(covered)) == 46


def test_features_are_the_patterns_of_their_stage() -> None:
    for position in POSITIONS:
        discs = int(position.own).bit_count() + int(position.enemy).bit_count()
        stage = 2 * min((discs - 4) // 4, STAGES // 2 - 1) + discs % 2
        for slot in range(FEATURES.slots):
            expected = stage * slots().patterns + pattern(position, slot)
            assert FEATURES.feature(position, slot, NO_WEIGHTS) == expected


def test_the_evaluation_is_the_sum_of_the_weights_and_symmetric() -> None:
    assert FEATURES.same is not None
    rows = numpy.random.default_rng(5).normal(0, 0.05, FEATURES.count)[FEATURES.same]
    evaluation = pattern_evaluation("x", sum_weights(rows), no_order)
    for position in POSITIONS:
        score = sum(rows[FEATURES.feature(position, slot, NO_WEIGHTS)] for slot in range(FEATURES.slots))
        assert as_float(evaluation.value(position)) == pytest.approx(numpy.tanh(score / 2), abs=0.004)
        for symmetry in GAME.symmetries:
            assert evaluation.value(symmetry.position(position)) == evaluation.value(position)


BOARD = build_discs(8)
SCORE, INDICES, CHILD_SCORE, CHILD_STAGE = pattern_kernels()


@kernel
def wrong_children(own: Word, enemy: Word, weights: Weights) -> tuple[int, int]:
    """The number of moves, and of those whose score by `child_score` is not that of the position after the move."""
    count, wrong = 0, 0
    sum_0, sum_1, sum_2 = INDICES(enemy, own, weights)
    for square in range(64):
        disc = WORD_ONE << Word(square)
        if BOARD.mobility(own, enemy) & disc != WORD_ZERO:
            turned = BOARD.turned(disc, own, enemy)
            child = CHILD_SCORE(sum_0, sum_1, sum_2, square, turned, CHILD_STAGE(own, enemy), weights)
            wrong += child != SCORE(enemy ^ turned, own | disc | turned, weights)
            count += 1
    return count, wrong


def test_scores_of_children_are_those_of_their_positions() -> None:
    assert FEATURES.same is not None
    rows = numpy.random.default_rng(6).normal(0, 0.05, FEATURES.count)[FEATURES.same]
    weights = pattern_evaluation("x", sum_weights(rows), no_order).weights
    counts = [wrong_children(position.own, position.enemy, weights) for position in POSITIONS]
    assert sum(count for count, _ in counts) > 2 * len(POSITIONS)
    assert all(wrong == 0 for _, wrong in counts)


def test_a_board_with_few_discs_is_of_the_first_stage() -> None:
    assert stage_of(Word(1), Word(2)) == stage_of(Word(3), Word(12)) == 0
    assert stage_of(Word(1), Word(6)) == 1
    assert stage_of(Word(2**40 - 1), Word((2**24 - 1) << 40)) == STAGES - 2
    assert stage_of(Word(2**40 - 1), Word((2**23 - 1) << 40)) == STAGES - 1


def test_a_pattern_and_its_mirror_image_share_a_weight() -> None:
    same = mirrored_patterns()
    # The row 2 from left to right: own on its first square, or on its last.
    assert same[3**7] == same[1] == 1
    assert (same <= numpy.arange(len(same))).all()
    assert (same[same] == same).all()


def test_board_and_square_transformations_agree() -> None:
    reversed_rows, reversed_columns, transposed = flips()
    for square in (0, 5, 12, 38, 63):
        word = Word(1 << square)
        row, column = divmod(square, 8)
        assert int(reversed_rows(word)) == 1 << (7 - row) * 8 + column
        assert int(reversed_columns(word)) == 1 << row * 8 + 7 - column
        assert int(transposed(word)) == 1 << column * 8 + row
