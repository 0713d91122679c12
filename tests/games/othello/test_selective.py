"""Selective deepening: equal to the generic search without ProbCut, cheaper with it, exact at the end."""

import pytest

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.game import GameError
from starscout.game.state import start
from starscout.games.othello.rules import Position, empty_squares
from starscout.games.othello.selective import SelectiveSearcher, discs_of, value_of
from starscout.players.spec import make_player
from starscout.search.deepening import Searcher
from starscout.search.limits import Limit
from starscout.search.negascout import Switches
from tests.games.othello.definition import defined_difference, late_positions

GAME = games.load("othello")
LEARNED = load_evaluation(GAME, "learned")


def deepened(searcher: Searcher | SelectiveSearcher, position: Position, depth: int, *, every_move: bool = False):
    searcher.clear()
    searcher.begin()
    *_, iteration = searcher.deepen(position, 1, range(1, depth + 1), every_move=every_move)
    assert iteration.complete
    return iteration


def test_without_probcut_values_equal_the_generic_search():
    searcher, one_search = SelectiveSearcher(GAME, LEARNED, 0.0, 14), Searcher(GAME, LEARNED, Switches(), 14)
    for position in late_positions(GAME, 4, 30, 45, seed=8):
        found, expected = (deepened(one, position, 5, every_move=True) for one in (searcher, one_search))
        values = {root.move: root.value for root in expected.moves}
        assert {root.move: root.value for root in found.moves} == pytest.approx(values, abs=1e-9)
        assert deepened(searcher, position, 5).best.value == pytest.approx(max(values.values()), abs=1e-9)


def test_probcut_searches_fewer_nodes():
    (position,) = late_positions(GAME, 1, 36, 36, seed=8)
    nodes = []
    for confidence in (0.0, 1.5):
        searcher = SelectiveSearcher(GAME, LEARNED, confidence, 14)
        deepened(searcher, position, 7)
        nodes.append(searcher.nodes)
    assert nodes[1] < 0.8 * nodes[0]


def test_the_last_iteration_goes_to_the_end():
    searcher = SelectiveSearcher(GAME, LEARNED, 1.5, 14)
    for position in late_positions(GAME, 5, 8, 9, seed=2):
        iteration = deepened(searcher, position, 60)
        assert iteration.depth == empty_squares(GAME, position)
        assert discs_of(iteration.best.value) == pytest.approx(defined_difference(GAME, position), abs=1e-6)
        line = searcher.line(position, 1, iteration.best.move, iteration.depth)
        assert line[0] == (1, iteration.best.move)


def test_values_stand_for_discs():
    assert value_of(0) == 0.0
    assert value_of(64) < 1.0
    assert discs_of(value_of(-11.5)) == pytest.approx(-11.5)


def test_player_uses_the_selective_search():
    player = make_player("negascout eval=learned probcut=1.5 table=12", GAME)
    player.new_game(GAME, 0)
    decision = player.choose(start(GAME), Limit(depth=4))
    assert decision.depth == 4
    assert decision.line


def test_probcut_needs_patterns():
    with pytest.raises(GameError, match="no selective search on the evaluation"):
        make_player("negascout eval=positional probcut=1.5", GAME)
    with pytest.raises(GameError, match="standard deviations"):
        make_player("negascout eval=learned probcut=-1", GAME)
