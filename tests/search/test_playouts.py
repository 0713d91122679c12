"""Random games: the interleaved kernel against a plain loop, and timed runs."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starscout import games
from starscout.game import DRAW, ONGOING, WIN, new_row
from starscout.kernels.bits import WORD_ALL, Word, below, random_word
from starscout.search.playouts import NO_GAMES, GameTotals, play_random, play_random_for

pytestmark = pytest.mark.plain

NAMES = ("ewn-3x3-3", "kari", "othello-4x4")


def one_game(name: str, seed: int, number: int) -> GameTotals:
    """Game `number` of a seed, ply by ply: the upper half of a random word moves, the lower half rolls."""
    game = games.load(name)
    game_seed = Word(random_word(Word(seed), Word(number)))
    choice = int(random_word(game_seed, WORD_ALL))
    position = game.start_position(choice)
    plies = 0
    while (result := game.outcome(position)) == ONGOING:
        random = Word(random_word(game_seed, Word(plies)))
        roll = 1 + below(Word(int(random) << 32 & int(WORD_ALL)), game.faces)
        position = game.play_position(position, game.pick(position, roll, random, new_row(game)))
        plies += 1
    first_movers = result if plies % 2 == 0 else -result
    return GameTotals(1, plies, int(first_movers == WIN), int(result == DRAW))


@pytest.mark.parametrize("name", NAMES)
def test_interleaved_games_equal_single_games(name: str):
    alone = NO_GAMES
    for number in range(5, 12):
        alone = alone.merge(one_game(name, 3, number))
    assert play_random(games.load(name), 3, 5, 7) == alone


@settings(max_examples=20)
@given(st.sampled_from(NAMES), st.integers(0, 2**64 - 1), st.integers(0, 100), st.lists(st.integers(0, 3), max_size=4))
def test_sums_do_not_depend_on_the_split_of_games(name: str, seed: int, first: int, parts: list[int]):
    game = games.load(name)
    total, next_game = NO_GAMES, first
    for part in parts:
        total = total.merge(play_random(game, seed, next_game, part))
        next_game += part
    assert total == play_random(game, seed, first, sum(parts))


@pytest.mark.parametrize("threads", [1, 3])
def test_timed_runs_play_every_game_once(threads: int):
    game = games.load("othello-4x4")
    shares: list[float] = []
    totals, seconds = play_random_for(game, 9, 0.05, threads, shares.append)
    assert seconds >= 0.05
    assert totals == play_random(game, 9, 0, totals.games)
    assert all(0 < share < 1 for share in shares)


def test_zero_seconds_still_play_a_game():
    totals, _ = play_random_for(games.load("othello-4x4"), 0, 0.0)
    assert totals.games == 1
