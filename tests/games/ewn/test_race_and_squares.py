"""The evaluation `race+squares`: weights and packed tables."""

from pathlib import Path

import numpy
import pytest

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.games.ewn.board import places
from starscout.games.ewn.evaluation import side_number
from starscout.games.ewn.heuristics import board_of
from starscout.games.ewn.race import NUMBER_BITS, NUMBER_MASK, packed_table, read_weights, write_weights
from tests.search.search_positions import random_positions

pytestmark = pytest.mark.plain


def test_weights_survive_their_file(tmp_path: Path):
    weights = read_weights()
    write_weights(weights, tmp_path / "weights.csv")
    again = read_weights(tmp_path / "weights.csv")
    assert all(numpy.array_equal(one, other) for one, other in zip(weights, again, strict=True))


def test_packed_tables_contain_index_and_value():
    board, weights = board_of(5, 5, 6), read_weights()
    table, number = packed_table(board, weights.own_squares), side_number(board)
    for position in random_positions(games.load("ewn"), 20, 12):
        standing = [(cube, place) for cube, place in enumerate(places(board, position.own)) if place is not None]
        total = sum(int(table[cube, place]) for cube, place in standing)
        assert total & NUMBER_MASK == number(position.own)
        assert total >> NUMBER_BITS == sum(int(weights.own_squares[place]) for _, place in standing)


def test_an_extra_enemy_cube_near_its_corner_is_worse_for_the_mover():
    game = games.load("ewn")
    evaluation = load_evaluation(game, "race+squares")
    one, two = (
        game.parse(text)[0] for text in ("1..../...../...../...../....f r -", "1..../.a.../...../...../....f r -")
    )
    assert evaluation.value(two) < evaluation.value(one)
