"""The root: best moves, partial iterations, threads."""

import pytest

from starscout import games
from starscout.kernels.kernel import PLAIN
from starscout.search.deepening import Searcher
from starscout.search.exact import exact_moves, exact_value
from starscout.search.negascout import Switches
from tests.search.search_positions import NOISE, random_positions

pytestmark = pytest.mark.plain


@pytest.mark.parametrize("threads", [1, 2])
def test_best_move_and_values_are_those_of_the_definition(threads: int):
    game = games.load("ewn-3x3-3")
    searcher = Searcher(game, NOISE, Switches(), table_bits=8, threads=threads)
    for number, position in enumerate(random_positions(game, 10 if PLAIN else 150, 8)):
        roll = 1 + number % game.faces
        searcher.begin()
        for iteration in searcher.deepen(position, roll, range(1, 3 if PLAIN else 5)):
            expected = exact_moves(game, NOISE, position, roll, iteration.depth)
            assert iteration.best.exact
            assert iteration.best.value == pytest.approx(max(expected.values()), abs=1e-12)
            assert expected[iteration.best.move] == pytest.approx(iteration.best.value, abs=1e-12)
            for root in iteration.moves:
                assert root.value >= expected[root.move] - 1e-12


def test_every_move_gets_its_value():
    game = games.load("ewn-3x3-3")
    searcher = Searcher(game, NOISE, Switches(), table_bits=8)
    for position in random_positions(game, 5 if PLAIN else 50, 8):
        searcher.begin()
        (iteration,) = searcher.deepen(position, 2, range(3, 4), every_move=True)
        expected = exact_moves(game, NOISE, position, 2, 3)
        assert {root.move: pytest.approx(root.value, abs=1e-12) for root in iteration.moves} == expected


def test_value_before_the_roll_with_two_threads():
    game = games.load("ewn-3x3-3")
    searcher = Searcher(game, NOISE, Switches(), table_bits=8, threads=2)
    for position in random_positions(game, 5 if PLAIN else 50, 8):
        searcher.begin()
        depth = 2 if PLAIN else 4
        assert searcher.value(position, depth) == pytest.approx(exact_value(game, NOISE, position, depth), abs=1e-12)


def test_node_limit_ends_the_deepening_with_what_was_finished():
    game = games.load("ewn-3x3-3")
    searcher = Searcher(game, NOISE, Switches(), table_bits=8)
    searcher.begin(nodes=2000)
    iterations = list(searcher.deepen(game.start_position(0), 1, range(1, 90)))
    assert searcher.stopped
    assert all(iteration.complete for iteration in iterations[:-1])
    assert sum(iteration.nodes for iteration in iterations) < 2100
    searcher.begin()
    assert not searcher.stopped


def test_a_win_ends_the_deepening_and_the_line_shows_it():
    game = games.load("ewn-3x3-3")
    position, roll = game.parse("..a/.1./b.. r 1")
    searcher = Searcher(game, NOISE, Switches(), table_bits=8)
    searcher.begin()
    iterations = list(searcher.deepen(position, roll, range(1, 9)))
    assert len(iterations) == 1
    best = iterations[0].best
    assert best.value == 1.0
    assert game.format_move(position, best.move) == "B2C3"
    assert searcher.line(position, roll, best.move, 8) == [(roll, best.move)]


def test_line_follows_legal_moves():
    game = games.load("ewn-3x3-3")
    for switches in (
        Switches(store_depth=1),
        Switches(store="decision", store_depth=1),
        Switches(store_depth=1, merge=False),
    ):
        searcher = Searcher(game, NOISE, switches, table_bits=10)
        position = game.start_position(3)
        searcher.begin()
        *_, last = searcher.deepen(position, 2, range(1, 4))
        line = searcher.line(position, 2, last.best.move, 3)
        assert len(line) >= 2
        for roll, move in line:
            assert move in game.legal(position, roll)
            position = game.play_position(position, move)


def test_clear_repeats_the_same_search():
    game = games.load("ewn-3x3-3")
    searcher = Searcher(game, NOISE, Switches(), table_bits=8)
    counts = []
    for _ in range(2):
        searcher.clear()
        searcher.begin()
        list(searcher.deepen(game.start_position(1), 1, range(1, 4)))
        counts.append(searcher.counts)
    assert counts[0] == counts[1]
    assert counts[0]["nodes"] > 0
