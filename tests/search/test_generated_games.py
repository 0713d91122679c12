"""Every search returns the value of the definition on generated games with all features of the contract."""

import itertools

import pytest

from starscout.game import ONGOING, Game
from starscout.game.laws import check_laws
from starscout.game.values import ONE, as_float
from starscout.kernels.kernel import PLAIN
from starscout.search import negascout
from starscout.search.deepening import Searcher
from starscout.search.exact import exact_moves, exact_value
from starscout.search.negascout import Switches
from starscout.search.perft import perft
from starscout.search.random_games import play_random
from starscout.search.transposition_table import new_table
from tests.search.generated_games import ALTERNATING, FREE, NOISE, REPEATING
from tests.search.test_negascout import COMBINATIONS

pytestmark = pytest.mark.plain

GAMES = 20 if PLAIN else 600
TOLERANCE = 1e-11


@pytest.mark.parametrize("game", [ALTERNATING, FREE], ids=lambda game: game.name)
def test_generated_games_satisfy_the_laws(game: Game) -> None:
    assert check_laws(game, games=10).positions > 10


@pytest.mark.parametrize("game", [ALTERNATING, FREE], ids=lambda game: game.name)
def test_star_search_equals_the_definition(game: Game) -> None:
    combinations = itertools.cycle(COMBINATIONS)
    for seed in range(GAMES):
        position, depth = game.start_position(seed), 1 + seed % (2 if PLAIN else 6)
        expected = exact_value(game, NOISE, position, depth)
        for switches in itertools.islice(combinations, 4):
            memory, table = negascout.new_memory(game, switches)[0], new_table(5)
            value = as_float(negascout.build(game, NOISE)(position, depth, -ONE, ONE, memory, table, NOISE.weights))
            assert value == pytest.approx(expected, abs=TOLERANCE), (seed, depth, switches)


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


@pytest.mark.parametrize("game", [ALTERNATING, FREE], ids=lambda game: game.name)
def test_random_games_count_wins_of_the_first_side(game: Game) -> None:
    totals = play_random(game, 1, 0, 200)
    assert totals.games == 200
    assert 0 < totals.wins < 200
    assert totals.wins + totals.draws < 200
