"""Every search returns the value of the definition on generated games with all features of the contract."""

import itertools
import random
from typing import Any

import pytest

from starscout.game import ONGOING, Game
from starscout.game.laws import check_laws
from starscout.game.state import start as start_state
from starscout.game.values import ONE, as_float
from starscout.kernels.kernel import PLAIN
from starscout.search import negascout
from starscout.search.deepening import Searcher
from starscout.search.exact import exact_moves, exact_value
from starscout.search.mcts import MctsSearch, Settings
from starscout.search.negascout import Switches
from starscout.search.perft import perft
from starscout.search.playouts import play_random
from starscout.search.transposition_table import new_table
from tests.search.generated_games import ALTERNATING, FREE, NOISE, REPEATING
from tests.search.test_negascout import COMBINATIONS

pytestmark = pytest.mark.plain

GAMES = 20 if PLAIN else 600
TOLERANCE = 1e-11


@pytest.mark.slow_compiled
@pytest.mark.parametrize("game", [ALTERNATING, FREE], ids=lambda game: game.name)
def test_generated_games_satisfy_the_laws(game: Game) -> None:
    assert check_laws(game, games=10).positions > 10


@pytest.mark.parametrize(
    "game", [pytest.param(ALTERNATING, marks=pytest.mark.slow_compiled), FREE], ids=lambda game: game.name
)
def test_star_search_equals_the_definition(game: Game) -> None:
    combinations = itertools.cycle(COMBINATIONS)
    for seed in range(GAMES):
        position, depth = game.start_position(seed), 1 + seed % (2 if PLAIN else 6)
        expected = exact_value(game, NOISE, position, depth)
        for switches in itertools.islice(combinations, 4):
            memory, table = negascout.new_memory(game, switches)[0], new_table(5)
            value = as_float(negascout.build(game, NOISE)(position, depth, -ONE, ONE, memory, table, NOISE.weights))
            assert value == pytest.approx(expected, abs=TOLERANCE), (seed, depth, switches)


@pytest.mark.parametrize(
    "game", [pytest.param(ALTERNATING, marks=pytest.mark.slow_compiled), FREE], ids=lambda game: game.name
)
def test_a_table_of_nodes_and_decisions_equals_the_definition(game: Game) -> None:
    """The table of games with dense chance; deepening leaves entries of other depths and best moves behind."""
    search, switches = negascout.build(game, NOISE), [Switches(star, store_depth=1) for star in (0, 1, 2, 2.5)]
    found = 0
    for seed in range(GAMES):
        position, table = game.start_position(seed), new_table(8)
        for depth in range(1, 3 if PLAIN else 6):
            memory = negascout.new_memory(game, switches[seed % 4])[0]
            memory.store = negascout.STORE_BOTH
            value = as_float(search(position, depth, -ONE, ONE, memory, table, NOISE.weights))
            assert value == pytest.approx(exact_value(game, NOISE, position, depth), abs=TOLERANCE), (seed, depth)
            found += memory.table_cuts
    assert found > 0


@pytest.mark.slow_compiled
@pytest.mark.parametrize("game", [ALTERNATING, FREE, REPEATING], ids=lambda game: game.name)
def test_root_search_equals_the_definition(game: Game) -> None:
    # The value of a position depends on its path if positions may repeat, so no table is used there.
    store = "nothing" if game.repetition else "chance"
    searcher = Searcher(game, NOISE, Switches(store=store, store_depth=1), 5)
    for seed in range(GAMES):
        start, depth = game.start_position(seed), 1 + seed % (2 if PLAIN else 6)
        searcher.clear()
        searcher.begin()
        assert searcher.value(start, depth) == pytest.approx(exact_value(game, NOISE, start, depth), abs=TOLERANCE)
        event = next(iter(game.event_weights(start)))
        decision = game.resolve_position(start, event)
        searcher.clear()
        searcher.set_history([start])
        expected = exact_moves(game, NOISE, decision, 0, depth, [start])
        for iteration in searcher.deepen(decision, 0, range(depth, depth + 1), every_move=True):
            found = {root.move: root.value for root in iteration.moves}
            assert found == pytest.approx(expected, abs=TOLERANCE), (seed, depth)
        searcher.set_history([])


@pytest.mark.slow_compiled
@pytest.mark.parametrize("game", [ALTERNATING, FREE], ids=lambda game: game.name)
def test_perft_equals_a_plain_count(game: Game) -> None:
    def count(position, depth: int) -> int:
        if depth == 0 or game.outcome(position) != ONGOING:
            return 1
        total = 0
        for event in game.event_weights(position) or [0]:
            decision = game.resolve_position(position, event)
            over = game.outcome(decision) != ONGOING
            children = [game.play_position(decision, move) for move in game.legal(decision, event)]
            total += 1 if over else sum(count(child, depth - 1) for child in children)
        return total

    for seed in range(20):
        start = game.start_position(seed)
        assert perft(game, start, 2) == count(start, 2)


@pytest.mark.slow_compiled
@pytest.mark.parametrize("game", [ALTERNATING, FREE], ids=lambda game: game.name)
def test_random_games_count_wins_of_the_first_side(game: Game) -> None:
    totals = play_random(game, 1, 0, 200)
    assert totals.games == 200
    assert 0 < totals.wins < 200
    assert totals.wins + totals.draws < 200


TREE_SETTINGS: list[dict[str, Any]] = [
    {}, {"chance": "enumerated"}, {"rule": "rave", "c": 0.5, "k": 300}, {"prune": "visits", "period": 100},
    {"burst": 8}, {"expand": "all", "leaf": 3}, {"rule": "ucb-variance", "threshold": 3}, {"choose": "robust"},
]  # fmt: skip
"""One compilation serves them all."""


@pytest.mark.slow_compiled
@pytest.mark.parametrize("game", [ALTERNATING, FREE, REPEATING], ids=lambda game: game.name)
def test_tree_search_proves_the_definition(game: Game) -> None:
    depth = 13 if game.repetition else 8  # no game is longer
    searches = itertools.cycle(MctsSearch(game, Settings(nodes=30_000, **settings)) for settings in TREE_SETTINGS)
    proven = 0
    for seed in range(4 if PLAIN else 25 if game.repetition else 500):
        start, search = game.start_position(seed), next(searches)
        search.reset(seed)
        result = search.run(start, 0, simulations=30 if PLAIN else 1000 if game.repetition else 20_000)
        if result.proven:
            proven += 1
            assert result.value == pytest.approx(exact_value(game, NOISE, start, depth), abs=1e-9), seed
        event = next(iter(game.event_weights(start)))
        decision = game.resolve_position(start, event)
        if PLAIN or game.repetition or game.outcome(decision) != ONGOING:
            continue
        result = search.run(decision, 0, simulations=20_000)
        expected = exact_moves(game, NOISE, decision, 0, depth)
        assert result.proven
        assert result.value == pytest.approx(max(expected.values()), abs=1e-9), seed
        assert expected[search.choose(result).move] == pytest.approx(result.value, abs=1e-9), seed
        for branch in result.branches:
            assert branch.lower - 1e-9 <= expected[branch.move] <= branch.upper + 1e-9, seed
    assert PLAIN or proven >= (10 if game.repetition else 500)


@pytest.mark.slow_compiled
@pytest.mark.parametrize("game", [ALTERNATING, FREE], ids=lambda game: game.name)
def test_a_kept_tree_still_proves_the_definition(game: Game) -> None:
    search, kept = MctsSearch(game, Settings(nodes=30_000)), 0
    for seed in range(2 if PLAIN else 100):
        generator, state = random.Random(seed), start_state(game, seed).rolled(1)
        mover = state.mover
        search.reset(seed)
        while not state.over:
            state = state.rolled(generator)
            if state.over:
                break
            if state.mover != mover:
                state = state.play(generator.choice(state.legal))
                continue
            result = search.run(state.position, state.roll, simulations=60)
            kept += sum(branch.visits for branch in result.branches) > result.simulations
            expected = exact_moves(game, NOISE, state.position, 0, 8)
            for branch in result.branches:
                assert branch.lower - 1e-9 <= expected[branch.move] <= branch.upper + 1e-9, seed
            state = state.play(search.choose(result).move)
    assert PLAIN or kept > 20
