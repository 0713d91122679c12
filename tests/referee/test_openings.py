"""Openings: starts without repetition, random openings and the order of a pair depend only on seed and pair."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starscout import games
from starscout.game import GameError
from starscout.game.state import State
from starscout.referee.openings import first_half, series_start, start_number


@given(st.integers(0, 2**64 - 1), st.integers(1, 200), st.integers(0, 3))
def test_each_start_occurs_once_per_cycle(seed: int, starts: int, cycle: int) -> None:
    numbers = [start_number(seed, cycle * starts + index, starts) for index in range(starts)]
    assert sorted(numbers) == list(range(starts))


def test_other_seeds_and_cycles_have_other_orders() -> None:
    orders = {
        tuple(start_number(seed, cycle * 720 + index, 720) for index in range(20))
        for seed in range(5)
        for cycle in (0, 1)
    }
    assert len(orders) == 10


def test_games_with_uncounted_starts_get_any_number() -> None:
    assert len({start_number(1, pair, 0) for pair in range(1000)}) == 1000


def test_both_orders_of_a_pair_are_equally_frequent() -> None:
    first = sum(first_half(9, pair) for pair in range(2000))
    assert 900 < first < 1100


def test_ewn_starts_are_drawn_without_repetition() -> None:
    game = games.load("ewn")
    assert len({series_start(game, 4, pair, 0).text for pair in range(720)}) == 720
    assert series_start(game, 4, 7, 0) == series_start(game, 4, 7, 0)
    assert series_start(game, 4, 7, 0).needs_roll


def test_openings_of_games_without_dice() -> None:
    game = games.load("othello")
    starts = [series_start(game, 4, pair, 8) for pair in range(50)]
    # Four discs and eight plies without a pass make twelve discs.
    assert all(60 - state.text.count("-") == 8 for state in starts)
    assert len({state.text for state in starts}) == 50
    assert all(state.ply == 0 for state in starts)


def test_a_balanced_opening_is_preferred() -> None:
    game = games.load("othello")

    def lead(state: State) -> float:
        text = state.text.split()[0]
        return (text.count("X") - text.count("O")) / 12

    balanced = [series_start(game, 1, pair, 8, lead) for pair in range(30)]
    assert all(abs(lead(state)) <= 0.2 for state in balanced)
    assert any(abs(lead(series_start(game, 1, pair, 8))) > 0.2 for pair in range(30))


def test_the_nearest_opening_is_taken_if_none_is_balanced() -> None:
    game = games.load("othello")
    assert not series_start(game, 1, 0, 4, lambda state: 0.9).over


def test_default_openings() -> None:
    plies = {name: games.load(name).opening_plies for name in ("ewn", "ewn-cyclic", "kari", "othello")}
    assert plies == {"ewn": 0, "ewn-cyclic": 0, "kari": 4, "othello": 8}
    with pytest.raises(GameError, match="has dice"):
        series_start(games.load("ewn"), 1, 1, 3)
