"""The dice: a counter-based generator."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starscout import games
from starscout.game import Game
from starscout.game.state import State
from starscout.players.player import Decision, Player
from starscout.players.random_player import RandomPlayer
from starscout.referee.game_in_progress import chance_word, die, play_game, player_seed
from starscout.referee.openings import series_start
from starscout.search.limits import Limit

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


WORD = 2**64


def roots(seed: int) -> set[int]:
    """The random sequences of dice that belong to a seed of a player, by inverting SplitMix64."""
    for shift, factor in ((31, 0x94D049BB133111EB), (27, 0xBF58476D1CE4E5B9), (30, 1)):
        found = seed
        for _ in range(64 // shift + 1):
            found = seed ^ (found >> shift)
        seed = found * pow(factor, -1, WORD) % WORD
    counters = [(1 << 32) + (half << 1) + side for half in (0, 1) for side in (0, 1)]
    return {(seed - 0x9E3779B97F4A7C15 * (counter + 1)) % WORD for counter in counters}


def test_a_seed_of_a_built_in_player_contains_the_dice() -> None:
    (root,) = roots(player_seed(5, 9, 0, 0)) & roots(player_seed(5, 9, 1, 1))
    assert [1 + ((int(chance_word(root, ply)) >> 32) * 6 >> 32) for ply in range(20)] == [
        die(5, 9, ply, 6) for ply in range(20)
    ]


class Seer(Player):
    """Remembers its seeds."""

    def __init__(self) -> None:
        self.seeds: list[int] = []

    def new_game(self, game: Game, seed: int) -> None:
        self.seeds.append(seed)

    def choose(self, state: State, limit: Limit) -> Decision:
        return Decision(state.legal[0])


def test_a_player_of_a_user_cannot_compute_the_dice() -> None:
    """Regression: every class and program could compute all rolls of its game in advance."""
    game, seer = games.load("ewn-3x3-3"), Seer()
    for half in (0, 1):
        players = (seer, RandomPlayer("random")) if half == 0 else (RandomPlayer("random"), seer)
        play_game(series_start(game, seed=5, number=9), players, (Limit(), Limit()), seed=5, pair=9, half=half)
    root = roots(player_seed(5, 9, 0, 0)) & roots(player_seed(5, 9, 1, 1))
    assert len(set(seer.seeds)) == 2
    assert all(not root & roots(seed) for seed in seer.seeds)
