"""Board kernels against lists of squares."""

import random

import pytest

from starscout.game import GameError
from starscout.games.ewn import board as cube_board
from starscout.games.ewn.board import BLUE, RED
from starscout.kernels.bits import WORD_ALL, WORD_ZERO, Word

pytestmark = [pytest.mark.plain, pytest.mark.bounds]

BOARD = cube_board.build_cubes(5, 5, 6)


def some_sides(count: int = 30) -> list[list[int | None]]:
    generator = random.Random(3)
    sides = []
    for _ in range(count):
        squares: list[int | None] = list(generator.sample(range(25), 6))
        sides.append([None if generator.random() < 0.4 else square for square in squares])
    return sides


def test_places_round_trip():
    for places in some_sides():
        assert cube_board.places(BOARD, cube_board.make_side(BOARD, places)) == places
    assert cube_board.make_side(BOARD, [None] * 6) == WORD_ALL


def test_kernels_agree_with_the_places():
    for places in some_sides():
        side = cube_board.make_side(BOARD, places)
        assert int(BOARD.alive(side)) == sum(1 << cube for cube, place in enumerate(places) if place is not None)
        for square in range(25):
            word = Word(square)
            assert bool(BOARD.stands_on(side, word)) == (square in places)
            assert (BOARD.find(side, word) == WORD_ZERO) == (square not in places)
            captured = cube_board.places(BOARD, Word(BOARD.capture(side, word)))
            assert captured == [None if place == square else place for place in places]
        for cube, place in enumerate(places):
            shift = Word(BOARD.bits * cube)
            assert int(BOARD.square(side, shift)) == (BOARD.gone if place is None else place)
            moved = cube_board.places(BOARD, Word(BOARD.put(side, shift, Word(7))))
            assert moved == [7 if other == cube else there for other, there in enumerate(places)]


def test_blue_view_is_reversed():
    assert cube_board.seen_by(BOARD, RED, 3) == 3
    assert cube_board.seen_by(BOARD, BLUE, 3) == 21
    assert cube_board.seen_by(BOARD, BLUE, cube_board.seen_by(BOARD, BLUE, 3)) == 3


def test_step_tables_stay_on_the_board():
    counts, targets = cube_board.step_table(BOARD, ((0, 1), (1, 0), (1, 1)))
    assert [int(counts[square]) for square in (0, 4, 20, 24, BOARD.gone)] == [3, 1, 1, 0, 0]
    assert sorted(int(target) for target in targets[0]) == [1, 5, 6]


def test_triangles():
    assert cube_board.triangle(5, 6) == [0, 1, 2, 5, 6, 10]
    assert cube_board.triangle(5, 4) == [0, 1, 2, 5]


def test_start_sides_are_all_numberings():
    sides = cube_board.start_sides(BOARD, (0, 1, 2, 5, 6, 10), list.pop)
    assert len({int(side) for side in sides}) == 720
    assert all(
        sorted(p for p in cube_board.places(BOARD, side) if p is not None) == [0, 1, 2, 5, 6, 10] for side in sides
    )


def test_shuffles_reach_every_numbering():
    shuffled = cube_board.build_shuffle(cube_board.build_cubes(3, 3, 3), (0, 1, 3))
    assert len({int(shuffled(Word(seed))) for seed in range(100)}) == 6


def test_duplicate_cube_is_rejected():
    with pytest.raises(GameError, match="board, C1: cube '1' occurs twice"):
        cube_board.parse_cubes(BOARD, "1.1../...../...../...../.....", 1)
