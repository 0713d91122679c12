"""The dice: a counter-based generator."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starscout.referee.game_in_progress import die, player_seed

pytestmark = pytest.mark.plain

words = st.integers(0, 2**64 - 1)


@settings(deadline=None)
@given(words, words, st.integers(0, 10_000), st.integers(2, 20))
def test_every_roll_is_a_face_and_always_the_same(seed: int, pair: int, ply: int, faces: int) -> None:
    roll = die(seed, pair, ply, faces)
    assert 1 <= roll <= faces
    assert die(seed, pair, ply, faces) == roll


def test_the_dice_of_a_match_are_fair() -> None:
    rolls = Counter(die(7, pair, ply, 6) for pair in range(300) for ply in range(20))
    expected = 6000 / 6
    chi_square = sum((rolls[face] - expected) ** 2 / expected for face in range(1, 7))
    assert chi_square < 20.5  # the 99.9 % quantile with five degrees of freedom


def test_pinned_dice_so_that_old_records_can_be_repeated() -> None:
    assert [die(1, 0, ply, 6) for ply in range(12)] == [3, 6, 1, 5, 2, 5, 4, 2, 2, 2, 4, 6]


def test_pairs_and_seeds_have_their_own_dice() -> None:
    sequences = {tuple(die(seed, pair, ply, 6) for ply in range(12)) for seed in range(5) for pair in range(5)}
    assert len(sequences) == 25


def test_players_get_four_different_seeds_in_a_pair() -> None:
    assert len({player_seed(3, 4, half, side) for half in (0, 1) for side in (0, 1)}) == 4
