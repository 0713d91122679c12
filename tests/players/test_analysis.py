"""Analyses before the roll: mean over the rolls, shared limits, and no repeated searches."""

import pytest

from starscout import games
from starscout.game import Game, GameError
from starscout.game.state import State, parse, start
from starscout.players.analysis import analyse
from starscout.players.player import Decision, Player
from starscout.search.exact import exact_moves, exact_value
from starscout.search.limits import Limit
from tests.search.generated_games import ALTERNATING, FREE, NOISE

pytestmark = pytest.mark.plain

EWN = games.load("ewn")


class Teller(Player):
    """Returns a tenth of the roll as the value and records its limits."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, Limit]] = []

    def choose(self, state: State, limit: Limit) -> Decision:
        self.asked.append((state.roll, limit))
        return Decision(state.legal[0], value=state.roll / 10, depth=state.roll, nodes=100)


def test_after_the_roll_the_analysis_is_the_decision() -> None:
    player, limit = Teller(), Limit(time=1.0)
    found = analyse(player, start(EWN).rolled(4), limit)
    assert (found.value, found.depth, found.nodes, found.rolls) == (0.4, 4, 100, ())
    assert player.asked == [(4, limit)]


def test_before_the_roll_the_value_is_the_mean_of_all_rolls() -> None:
    player = Teller()
    found = analyse(player, start(EWN), Limit(time=6.0, nodes=60, simulations=3, depth=5))
    assert [report.roll for report in found.rolls] == [1, 2, 3, 4, 5, 6]
    assert found.value == pytest.approx(0.35)
    assert (found.depth, found.nodes, found.decision) == (1, 600, None)
    # Each roll gets a sixth of the nodes (at least one) and the full depth.
    assert {limit for _, limit in player.asked} == {Limit(time=1.0, nodes=10, simulations=1, depth=5)}


def test_rolls_that_allow_the_same_moves_are_searched_once() -> None:
    # Red has cubes 2 and 5: roll 1 moves cube 2, roll 6 moves cube 5, rolls 3 and 4 allow both.
    player = Teller()
    found = analyse(player, parse(EWN, "2..../5..../...../...../...ab r -"), Limit(nodes=300))
    assert [roll for roll, _ in player.asked] == [1, 3, 5]
    assert [report.value for report in found.rolls] == [0.1, 0.1, 0.3, 0.3, 0.5, 0.5]
    assert found.value == pytest.approx(0.3)
    assert found.nodes == 300
    assert player.asked[0][1].nodes == 100


def test_an_unknown_value_makes_the_mean_unknown() -> None:
    class Sphinx(Teller):
        def choose(self, state: State, limit: Limit) -> Decision:
            return Decision(state.legal[0], value=None if state.roll == 3 else 0.5)

    found = analyse(Sphinx(), start(EWN), Limit())
    assert (found.value, found.depth, found.nodes) == (None, None, None)


def test_a_finished_game_raises() -> None:
    with pytest.raises(GameError, match="there is nothing to analyse"):
        analyse(Teller(), parse(EWN, ".a.../...../...../...../....1 b -"), Limit())


class Definition(Player):
    """Chooses by the unpruned reference search."""

    DEPTH = 3

    def choose(self, state: State, limit: Limit) -> Decision:
        values = exact_moves(state.game, NOISE, state.position, state.roll, self.DEPTH)
        best = max(values, key=values.__getitem__)
        return Decision(best, value=values[best])


@pytest.mark.parametrize(
    "game", [pytest.param(ALTERNATING, marks=pytest.mark.slow_compiled), FREE], ids=lambda game: game.name
)
def test_the_value_before_an_event_is_that_of_the_reference(game: Game) -> None:
    """Weighted events that may pass the turn or end the game."""
    ended = passed = 0
    for seed in range(40):
        state = start(game, seed)
        found = analyse(Definition(), state, Limit())
        assert found.value == pytest.approx(exact_value(game, NOISE, state.position, Definition.DEPTH))
        assert {report.roll: report.weight for report in found.rolls} == state.chance
        ended += any(report.decision is None for report in found.rolls)
        passed += any(report.state.mover != state.mover for report in found.rolls)
    assert ended > 0
    assert (passed > 0) == (not game.alternating)


def test_a_decision_without_events_is_analysed_at_once() -> None:
    state = next(after for seed in range(9) if not (after := start(FREE, seed).rolled(1)).over)
    found = analyse(Definition(), state, Limit())
    assert found.rolls == ()
    assert found.decision is not None
