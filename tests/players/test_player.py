"""The player interface: required methods and effective limits."""

from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starscout import games
from starscout.arena.plan import effective_limits, make_plan
from starscout.game import GameError
from starscout.game.state import State, start
from starscout.players.player import Decision, Player, PlayerError, merged, replaced
from starscout.players.spec import make_player
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
    assert player.bound(given_limit) == Limit(time=0.2, depth=4)


KINDS = {"time": 0.5, "clock": 60.0, "depth": 4, "nodes": 1000, "simulations": 100}
TIMES = ("time", "clock")


@pytest.mark.parametrize("of_match", KINDS)
@pytest.mark.parametrize("own", KINDS)
def test_own_limits_replace_those_of_the_match(own: str, of_match: str) -> None:
    """A time control replaces a time control, a search limit a search limit; the rest of the match's limit holds."""
    mine, theirs = Limit(**{own: KINDS[own]}), Limit(**{of_match: 2 * KINDS[of_match]})
    same_kind = (own in TIMES) == (of_match in TIMES)
    expected = mine if same_kind else Limit(**{own: KINDS[own], of_match: 2 * KINDS[of_match]})
    assert replaced(mine, theirs) == expected
    assert replaced(mine, Limit()) == mine
    assert replaced(Limit(), theirs) == theirs


def test_an_own_clock_drops_the_increment_of_the_match() -> None:
    assert replaced(Limit(clock=60.0), Limit(clock=10.0, increment=1.0)) == Limit(clock=60.0)
    assert replaced(Limit(increment=2.0), Limit(clock=10.0, increment=1.0)) == Limit(clock=10.0, increment=2.0)


@pytest.mark.parametrize(
    ("spec", "limit", "expected"),
    [
        ("lab[clock=60]:true", Limit(time=0.1), Limit(clock=60.0)),
        ("lab[time=1 depth=3]:true", Limit(clock=5.0, increment=1.0, nodes=9), Limit(time=1.0, depth=3)),
        ("negascout time=1", Limit(clock=5.0, depth=2), Limit(time=1.0, depth=2)),
        ("negascout depth=3", Limit(nodes=5, time=0.1), Limit(time=0.1, depth=3)),
        ("mcts simulations=7", Limit(nodes=5, time=0.1), Limit(time=0.1, simulations=7)),
        ("python[time=1]:{file}:First", Limit(clock=60.0), Limit(time=1.0)),
    ],
)
def test_own_limits_of_every_kind_of_player(spec: str, limit: Limit, expected: Limit, tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text(
        "class First:\n    def choose(self, state, limit):\n        return state.moves[0]\n"
    )
    text = spec.format(file=tmp_path / "first.py")
    for hosted in (False, True):
        assert make_player(text, games.load("ewn"), hosted=hosted).bound(limit) == expected
    plan = make_plan("ewn", text, text, limit, 0, luck="off")
    assert effective_limits(plan) == (expected, expected)


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
