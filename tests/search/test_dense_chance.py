"""The table stores best moves where a position has too many events for one entry (backgammon: 21 rolls)."""

import pytest

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.game.values import ONE
from starscout.search import negascout
from starscout.search.negascout import STORE_BOTH, STORE_CHANCE, Switches
from starscout.search.transposition_table import new_table
from tests.search.search_positions import random_positions


def test_games_whose_best_moves_do_not_fit_in_an_entry_store_decisions() -> None:
    for name, store in (("backgammon", STORE_BOTH), ("ewn", STORE_CHANCE)):
        assert negascout.new_memory(games.load(name), Switches())["store"] == store


@pytest.mark.slow
def test_best_moves_of_decisions_save_nodes() -> None:
    game = games.load("backgammon")
    evaluation = load_evaluation(game, "pips")
    search = negascout.build(game, evaluation)

    def run(store: int) -> tuple[list[int], int]:
        values, nodes = [], 0
        for position in random_positions(game, 4, 30):
            table = new_table(20)
            for depth in range(1, 4):
                memory = negascout.new_memory(game, Switches())[0]
                memory.store = store
                values.append(int(search(position, depth, -ONE, ONE, memory, table, evaluation.weights)))
                nodes += int(memory.nodes)
        return values, nodes

    values, nodes = run(STORE_BOTH)
    expected, more_nodes = run(STORE_CHANCE)
    assert values == expected
    assert nodes < 0.8 * more_nodes, (nodes, more_nodes)
