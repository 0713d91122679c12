"""Indices of positions: complete, shared by symmetric positions, increasing with the distance."""

import itertools

import pytest

from starscout import games
from starscout.games.ewn.board import movable
from starscout.games.ewn.table_builder import NONE, number_positions, positions_up_to, roll_groups


@pytest.mark.parametrize("name", ["ewn-3x3-3", "ewn-3x4-2", "ewn-4x4-2"])
def test_numbers_of_sides(name: str):
    game = games.load(name)
    numbers = number_positions(game, 2 * game.faces)
    squares, columns = numbers.squares, game.columns
    for side in numbers.classes:
        count = len(side.cubes)
        for number, places in enumerate(itertools.product(range(squares), repeat=count)):
            possible = len(set(places)) == count and squares - 1 not in places
            assert (side.mover[number] != NONE) == possible
            if not possible:
                continue
            other = side.other_squares[side.other[0, number]].tolist()
            assert other in (list(places), list(places)[::-1])
            chosen = side.mover_squares[side.mover[number] >> 1].tolist()
            seen = [p % columns * columns + p // columns for p in places] if side.mover[number] & 1 else list(places)
            assert chosen in (seen, seen[::-1])


@pytest.mark.parametrize("name", ["ewn-3x3-3", "ewn-3x4-2"])
def test_numbers_grow_with_the_distance(name: str):
    game = games.load(name)
    for side in number_positions(game, 4).classes:
        for squares, starts in ((side.mover_squares, side.mover_starts), (side.other_squares, side.other_starts)):
            away = [
                sum(game.rows - 1 - s // game.columns + game.columns - 1 - s % game.columns for s in row)
                for row in squares.tolist()
            ]
            assert away == sorted(away)
            for distance, start in enumerate(starts):
                assert all(far < distance for far in away[:start])
                assert all(far >= distance for far in away[start:])


def test_the_number_of_positions():
    game = games.load("ewn")
    numbers = number_positions(game, 4)
    assert numbers.positions == 12_087_936
    assert positions_up_to(game, 4) == pytest.approx(numbers.positions, rel=0.06)
    assert len(numbers.classes) == 1 + 9 + 10
    assert sorted(map(len, (side.cubes for side in numbers.classes))) == [1] + [2] * 9 + [3] * 10


def test_roll_groups():
    numbers = number_positions(games.load("ewn"), 4)
    for side in numbers.classes:
        groups = roll_groups(side, 6)
        assert sum(rolls for _, _, rolls in groups) == 6
        word = sum(1 << cube for cube in side.cubes)
        expected = [tuple(side.cubes.index(cube) for cube in movable(word, roll, 6)) for roll in range(1, 7)]
        for first, second, rolls in groups:
            assert expected.count((first,) if first == second else (first, second)) == rolls
