"""The routines for the last four squares against the unpruned definition."""

import pytest

from starscout import games
from starscout.games.othello.last_squares import build_last_squares
from starscout.games.othello.rules import empty_squares
from starscout.kernels.bits import Word, lowest
from tests.games.othello.definition import defined_difference, late_positions


@pytest.mark.parametrize("name", ["othello", pytest.param("othello-6x6", marks=pytest.mark.slow)])
def test_one_to_four_squares(name: str):
    game = games.load(name)
    squares = game.rows * game.columns
    routines = build_last_squares(game.rows)
    for position in late_positions(game, 400, 1, 4):
        empty = Word((1 << squares) - 1 & ~(int(position.own) | int(position.enemy)))
        places = []
        left = int(empty)
        while left:
            places.append(lowest(Word(left)))
            left &= left - 1
        own, enemy, text = position.own, position.enemy, game.format(position, 1)
        expected = defined_difference(game, position)
        if empty_squares(game, position) == 1:
            assert routines.one(own, places[0]) == expected, text
        elif empty_squares(game, position) == 2:
            for window in ((-squares, squares), (expected - 1, expected + 1)):
                assert routines.two(own, enemy, *window, *places) == expected, text
        else:
            routine = routines.three if len(places) == 3 else routines.four
            for window in ((-squares, squares), (expected - 1, expected + 1)):
                assert routine(own, enemy, *window, empty) == expected, text
            assert routine(own, enemy, expected - 1, expected, empty) >= expected, text
            assert routine(own, enemy, expected, expected + 1, empty) <= expected, text


def test_the_final_difference_gives_the_empty_squares_to_the_winner():
    final = build_last_squares(8).final
    assert final(Word(0b111), Word(0b1000)) == 62
    assert final(Word(0b1), Word(0b110)) == -62
    assert final(Word(0b1), Word(0b10)) == 0


def test_odd_regions():
    odd_regions = build_last_squares(8).odd_regions
    upper_left = sum(0b1111 << 8 * row for row in range(4))
    assert int(odd_regions(Word(0b1))) == upper_left
    assert int(odd_regions(Word(0b11))) == 0
