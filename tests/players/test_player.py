"""The player interface: required methods and effective limits."""

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starscout import games
from starscout.game import GameError
from starscout.game.state import State, start
from starscout.players.player import Decision, Player, PlayerError, merged
from starscout.referee.game_in_progress import play_game
from starscout.search.limits import Limit

pytestmark = pytest.mark.plain

LIMITS = st.builds(
    Limit,
    st.none() | st.sampled_from([0.5, 2.0]),
    st.none() | st.sampled_from([10.0, 60.0]),
    st.sampled_from([0.0, 0.1]),
    *[st.none() | st.integers(1, 9)] * 3,
)


class First(Player):
    """Plays the first legal move: a minimal player."""

    name = "first"

    def choose(self, state: State, limit: Limit) -> Decision:
        return Decision(state.legal[0])


def test_a_player_needs_only_choose() -> None:
    record = play_game(start(games.load("ewn-3x3-3")), (First(), First()), (Limit(), Limit()))
    record.check()
    assert not record.forfeit
    assert record.players == ("first", "first")
    with pytest.raises(GameError, match="'first' has no Monte-Carlo tree: choose a player of the kind mcts"):
        First().tree(2)


def test_analyse_defaults_to_choose() -> None:
    state = start(games.load("othello"))
    assert First().analyse(state, Limit()) == Decision(state.legal[0])


def test_a_players_own_limit_overrides_the_match() -> None:
    player = First()
    given_limit = Limit(time=1.0, nodes=100)
    assert player.bound(given_limit) == given_limit
    player.limit = Limit(time=0.2, depth=4)
    assert player.bound(given_limit) == Limit(time=0.2, depth=4, nodes=100)


@given(LIMITS, LIMITS)
def test_limits_merge_field_by_field(own: Limit, other: Limit) -> None:
    both = merged(own, other)
    for field in fields(Limit):
        mine = getattr(own, field.name)
        assert getattr(both, field.name) == (getattr(other, field.name) if mine == field.default else mine)
    assert merged(own, Limit()) == own
    assert merged(Limit(), other) == other


def test_a_player_error_is_recorded() -> None:
    class Quitter(First):
        def choose(self, state: State, limit: Limit) -> Decision:
            raise PlayerError("resigned", "no hope")

    record = play_game(start(games.load("ewn-3x3-3")), (Quitter(), First()), (Limit(), Limit()))
    assert (record.winner, record.reason, record.detail) == (1, "resigned", "no hope")
