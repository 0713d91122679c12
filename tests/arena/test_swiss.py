"""Swiss pairing: no rematches, and players pair with their neighbours in the ranking."""

import random

from hypothesis import given
from hypothesis import strategies as st

from starscout.arena.swiss import swiss_round


def test_swiss_pairs_neighbours_first() -> None:
    assert swiss_round([3, 1, 0, 2], set(), set()) == ([(3, 1), (0, 2)], None)
    assert swiss_round([3, 1, 0, 2], {frozenset((3, 1))}, set())[0] == [(3, 0), (1, 2)]
    met = {frozenset(pair) for pair in ((3, 2), (0, 1))}
    assert swiss_round([0, 2, 1, 3], met, set())[0] == [(0, 2), (1, 3)]


def test_bye_goes_to_the_lowest_ranked_player_without_one() -> None:
    assert swiss_round([2, 0, 1], set(), {1}) == ([(2, 1)], 0)


@given(st.integers(4, 30), st.integers(0, 10_000))
def test_half_of_the_possible_rounds_work_without_rematch(players: int, seed: int) -> None:
    generator = random.Random(seed)
    met: set[frozenset[int]] = set()
    had_bye: set[int] = set()
    for _ in range(players // 2):
        ranking = list(range(players))
        generator.shuffle(ranking)
        meetings, bye = swiss_round(ranking, met, had_bye)
        assert all(frozenset(meeting) not in met for meeting in meetings)
        assert (bye is None) == (players % 2 == 0)
        assert bye not in had_bye
        met |= {frozenset(meeting) for meeting in meetings}
        had_bye |= set() if bye is None else {bye}
        assert len(meetings) == players // 2


def test_a_round_has_as_few_rematches_as_possible() -> None:
    assert swiss_round([0, 1], {frozenset((0, 1))}, set()) == ([(0, 1)], None)
    # After a 3-regular start only the triangles 0-1-2 and 3-4-5 have not met.
    met: set[frozenset[int]] = {frozenset((a, b)) for a in (0, 1, 2) for b in (3, 4, 5)}
    meetings, _ = swiss_round(range(6), met, set())
    assert sum(frozenset(meeting) in met for meeting in meetings) == 1
    # Everyone has had a bye: the lowest-ranked player gets another one.
    assert swiss_round([2, 0, 1], set(), {0, 1, 2}) == ([(2, 0)], 1)
