"""Pairings: everybody meets everybody once; a Swiss has no rematch and pairs neighbours."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starscout.arena.pairing import gauntlet, round_robin, swiss_round
from starscout.game import GameError


@given(st.integers(2, 15))
def test_round_robin_meets_everybody_once(players: int) -> None:
    rounds = round_robin(players)
    meetings = [frozenset(meeting) for meetings in rounds for meeting in meetings]
    assert len(meetings) == len(set(meetings)) == players * (players - 1) // 2
    for meetings_of_round in rounds:
        present = [player for meeting in meetings_of_round for player in meeting]
        assert len(present) == len(set(present)) == players - players % 2


def test_gauntlet() -> None:
    assert gauntlet(4) == [[(0, 1)], [(0, 2)], [(0, 3)]]


def test_swiss_pairs_neighbours_first() -> None:
    assert swiss_round([3, 1, 0, 2], set(), set()) == ([(3, 1), (0, 2)], None)
    assert swiss_round([3, 1, 0, 2], {frozenset((3, 1))}, set())[0] == [(3, 0), (1, 2)]
    # The nearest opponent is not always possible: 0 and 1 have met everybody but each other and 2, 3.
    met = {frozenset(pair) for pair in ((3, 2), (0, 1))}
    assert swiss_round([0, 2, 1, 3], met, set())[0] == [(0, 2), (1, 3)]


def test_swiss_rest_goes_to_the_last_who_has_not_rested() -> None:
    assert swiss_round([2, 0, 1], set(), {1}) == ([(2, 1)], 0)


@given(st.integers(4, 30), st.integers(0, 10_000))
def test_half_of_the_possible_swiss_rounds_work_without_rematch(players: int, seed: int) -> None:
    generator = random.Random(seed)
    met: set[frozenset[int]] = set()
    rested: set[int] = set()
    for _ in range(players // 2):
        standing = list(range(players))
        generator.shuffle(standing)
        meetings, rest = swiss_round(standing, met, rested)
        assert all(frozenset(meeting) not in met for meeting in meetings)
        assert (rest is None) == (players % 2 == 0)
        assert rest not in rested
        met |= {frozenset(meeting) for meeting in meetings}
        rested |= set() if rest is None else {rest}
        assert len(meetings) == players // 2


def test_no_round_left_is_refused() -> None:
    with pytest.raises(GameError, match="without a rematch"):
        swiss_round([0, 1], {frozenset((0, 1))}, set())
