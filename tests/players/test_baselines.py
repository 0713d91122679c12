"""The course baselines of the cyclic game are as strong against each other as the originals were."""

import math

import pytest

from starscout import games, state
from starscout.search.limits import Limit
from starscout.spec import make_player

GAMES = 200
ORIGINAL_GAMES = 200


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stronger", "weaker", "original_wins"), [("hard", "normal", 178), ("hard", "easy", 192), ("normal", "easy", 164)]
)
def test_scores_lie_within_the_noise_of_the_originals(stronger: str, weaker: str, original_wins: int):
    game = games.load("ewn-cyclic")
    players = make_player(stronger, game), make_player(weaker, game)
    wins = 0
    for number in range(GAMES):
        first = number % 2
        for player in players:
            player.new_game(game, number)
        now = state.start(game, number // 2)
        while not now.over:
            now = now.play(players[(now.mover + first) % 2].choose(now, Limit()).move)
        assert now.outcome is not None
        wins += now.outcome.winner == first
    expected, measured = original_wins / ORIGINAL_GAMES, wins / GAMES
    error = math.sqrt(expected * (1 - expected) / ORIGINAL_GAMES + measured * (1 - measured) / GAMES)
    assert abs(measured - expected) < 3.0 * error
