"""Games that end by an event after the last move: every consumer resolves it, also after `max_plies` moves."""

from dataclasses import replace
from pathlib import Path

import numpy
import pytest

import starscout
from starscout.evaluation import load_evaluation
from starscout.game import Game
from starscout.game.laws import check_laws
from starscout.game.values import ONE, as_float
from starscout.kernels.kernel import PLAIN
from starscout.search import negascout
from starscout.search.endgame import solve
from starscout.search.mcts import MctsSearch, Settings
from starscout.search.transposition_table import new_table

QUICK_IF_PLAIN = pytest.mark.plain if PLAIN else pytest.mark.slow
REVEAL = Path(__file__).parents[1] / "reveal_game.py"


@pytest.fixture(scope="module")
def game() -> Game:
    return starscout.load(str(REVEAL))


def test_laws_count_moves(game: Game) -> None:
    assert check_laws(game, games=3).longest == game.max_plies
    assert game.max_depth == game.max_plies + 1


@pytest.mark.plain
def test_positions_without_events_are_not_resolved(game: Game) -> None:
    start = game.start_position()
    assert game.events(start) == 0
    assert game.as_position(game.resolve(start, 0)) == start
    assert replace(game, title="copy").resolve is game.resolve


def by_states(state: starscout.State, depth: int) -> float:
    """The value of a state by the definition, with 0 for unfinished games."""
    if state.outcome is not None:
        winner = state.outcome.winner
        sign = 0 if winner is None else 1 if winner == state.mover else -1
        return sign * state.outcome.points / state.game.points
    followers = [state.play(move) for move in state.legal]
    values = [expected(follower, depth - 1) for follower in followers]
    return max(v if f.mover == state.mover else -v for f, v in zip(followers, values, strict=True))


def expected(state: starscout.State, depth: int) -> float:
    """The value before the event of a state."""
    if depth == 0 and state.outcome is None:
        return 0.0
    if not state.needs_roll:
        return by_states(state, depth)
    total = 0.0
    for event, weight in state.chance.items():
        after = state.rolled(event)
        value = by_states(after, depth)
        total += weight * (value if after.mover == state.mover else -value)
    return total / sum(state.chance.values())


@pytest.mark.slow
def test_searches_agree_with_states_where_some_positions_have_no_events(game: Game) -> None:
    zero = load_evaluation(game, "zero")
    search = negascout.build(game, zero)
    for text in ("o????? 0 0 a -", "o????? 0 0 a 2", "oop??? 1 0 b -"):
        state = starscout.parse(game, text)
        for depth in (1, 2, 3):
            memory = negascout.new_memory(game, negascout.Switches())[0]
            value = search(state.position, depth, -ONE, ONE, memory, new_table(8), zero.weights)
            assert as_float(value) == pytest.approx(expected(state, depth)), (text, depth)


@QUICK_IF_PLAIN
def test_a_batch_scores_the_last_event(game: Game) -> None:
    games = starscout.batch(game, 8)
    ended = 0
    for _ in range(2 * game.max_plies):
        games.step(games.sample())
        assert numpy.all(games.rewards.sum(axis=1) == 0.0)
        ended += int((games.terminated & (games.rewards[:, 0] != 0.0)).sum())
    assert ended > 0


@pytest.mark.slow
def test_solve_reaches_the_last_event(game: Game) -> None:
    start = game.start_position()
    found = solve(game, load_evaluation(game, "zero"), start, 0, 60.0)
    assert (found.exact, found.depth) == (True, game.max_depth)


@pytest.mark.slow
def test_tree_search_proves_a_whole_game(game: Game) -> None:
    result = MctsSearch(game, Settings()).run(game.start_position(), 0, simulations=3_000_000)
    exact = solve(game, load_evaluation(game, "zero"), game.start_position(), 0, 60.0)
    assert result.proven
    assert result.value == pytest.approx(exact.value)
