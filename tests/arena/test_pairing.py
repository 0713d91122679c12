"""Tournament formats: round robin and gauntlet."""

from hypothesis import given
from hypothesis import strategies as st

from starscout.arena.pairing import gauntlet, round_robin


@given(st.integers(2, 15))
def test_round_robin_pairs_all_players_once(players: int) -> None:
    rounds = round_robin(players)
    meetings = [frozenset(meeting) for meetings in rounds for meeting in meetings]
    assert len(meetings) == len(set(meetings)) == players * (players - 1) // 2
    for meetings_of_round in rounds:
        present = [player for meeting in meetings_of_round for player in meeting]
        assert len(present) == len(set(present)) == players - players % 2


@given(st.integers(2, 15))
def test_sides_are_balanced_and_do_not_depend_on_the_number_of_players(players: int) -> None:
    meetings = {meeting for meetings in round_robin(players) for meeting in meetings}
    first = [sum(meeting[0] == player for meeting in meetings) for player in range(players)]
    assert max(first) - min(first) <= 1
    assert meetings <= {meeting for meetings in round_robin(players + 1) for meeting in meetings}


def test_gauntlet_pairs_the_first_player_with_all_others() -> None:
    assert gauntlet(4) == [[(0, 1)], [(0, 2)], [(0, 3)]]
