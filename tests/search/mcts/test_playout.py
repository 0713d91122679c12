"""Playout policies on positions with known answers, and the playout itself."""

from collections import Counter
from typing import Any

import numpy
import pytest

from starscout.evaluation import move_classes
from starscout.game import GameError, new_row
from starscout.game.values import ONE
from starscout.games import load
from starscout.kernels.bits import Word, random_word
from starscout.kernels.kernel import kernel
from starscout.search.mcts.playout import STAMPS, MctsKnowledge, build_playout, build_policy

pytestmark = pytest.mark.plain

EWN = load("ewn-3x3-3")
KARI = load("kari")
OTHELLO = load("othello-4x4")
DRAWS = 400
NEVER = 1 << 30


def knowledge(game: Any) -> MctsKnowledge:
    classify = move_classes(game)
    assert classify is not None
    return MctsKnowledge(classify)


def drawn(game: Any, policy: str, text: str) -> Counter[str]:
    """How often a policy chooses each move of a position in DRAWS draws."""
    position, roll = game.parse(text)
    choose, row = build_policy(game, policy, knowledge(game)), new_row(game)
    moves = (choose(position, roll, Word(random_word(Word(1), Word(number))), row) for number in range(DRAWS))
    return Counter(game.format_move(position, int(move)) for move in moves)


def test_uniform_draws_every_move() -> None:
    counts = drawn(EWN, "uniform", ".../.1./..a r 1")
    assert sorted(counts) == ["B2B3", "B2C2", "B2C3"]
    assert min(counts.values()) > DRAWS // 5


def test_decisive_takes_the_win() -> None:
    assert drawn(EWN, "decisive", ".../.1./a.. r 1") == {"B2C3": DRAWS}
    assert len(drawn(EWN, "decisive", "1../.../..a r 1")) == 3


def test_classes_take_the_best_class_only() -> None:
    # Cube 0 captures on C3 and cannot be recaptured by a smaller or equal number.
    assert drawn(KARI, "classes", "....../.0..../..a.../....../.1..../.....b r") == {"B2C3": DRAWS}


def test_weighted_draws_first_class_moves_twice_as_often() -> None:
    # A corner and two other squares: shares 2, 1 and 1.
    counts = drawn(OTHELLO, "weighted", "----XXX--XO----- O")
    assert sorted(counts) == ["a1", "a3", "c1"]
    assert counts["a1"] == pytest.approx(DRAWS / 2, abs=0.1 * DRAWS)
    assert counts["a3"] == pytest.approx(DRAWS / 4, abs=0.1 * DRAWS)


def test_unknown_policies_and_missing_classes_are_rejected() -> None:
    with pytest.raises(GameError, match="defines no move classes"):
        build_policy(EWN, "classes")
    with pytest.raises(GameError, match=r"playout: expected one of uniform, .* got 'best'"):
        build_policy(EWN, "best")


def play(
    game: Any, text: str, seed: int, known: MctsKnowledge, longest: int = NEVER
) -> tuple[float, int, numpy.ndarray]:
    position, roll = game.parse(text)
    stamps = numpy.zeros((2, STAMPS), numpy.int64)
    playout = build_playout(game, "uniform", known)
    value, plies, _ = playout(
        position, roll, Word(seed), Word(0), longest, True, stamps, 9, new_row(game), known.weights
    )  # fmt: skip
    return value, plies, stamps


def test_a_playout_ends_with_the_result_for_the_first_mover() -> None:
    # The side that moves last wins, so the parity of the plies gives the result.
    for seed in range(30):
        value, plies, stamps = play(EWN, ".../.1./..a r 1", seed, knowledge(EWN))
        assert value == (1.0 if plies % 2 else -1.0)
        # The first mover is side 0 here.
        assert (stamps[0] == 9).sum() == (plies + 1) // 2
        assert (stamps[1] == 9).sum() == plies // 2


@kernel
def _half(position: Any, weights: Any) -> int:
    """Half a win for the mover."""
    return ONE // 2


def test_a_cut_playout_is_judged_by_the_evaluation() -> None:
    half = MctsKnowledge(evaluate=_half)
    text = "123/.../.cb r 1"
    assert play(EWN, text, 1, half, longest=0)[:2] == (0.5, 0)
    # After one ply the other side is the mover.
    assert play(EWN, text, 1, half, longest=1)[:2] == (-0.5, 1)


def test_random_moves_of_the_game_play_the_same_playouts() -> None:
    known = MctsKnowledge(evaluate=_half)
    playout, row = build_playout(OTHELLO, "uniform", known), new_row(OTHELLO)
    stamps = numpy.zeros((2, STAMPS), numpy.int64)
    assert OTHELLO.random_moves is not None
    for seed in range(20):
        for longest in (0, 1, 5, NEVER):
            # Recorded playouts choose and play one move after the other.
            found, expected = (
                playout(
                    OTHELLO.start_position(0), 1, Word(seed), Word(3), longest, recording, stamps, 9, row, known.weights
                )
                for recording in (False, True)
            )
            assert found == expected
