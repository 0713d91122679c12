"""Every rule of EinStein würfelt nicht!, and a plain count that shares no code with the game."""

import itertools
import random

import pytest

from starscout import games
from starscout.game import GameError, Outcome, state
from starscout.kernels.bits import WORD_ALL
from starscout.search.perft import perft

pytestmark = [pytest.mark.plain, pytest.mark.bounds]

START = "123../45.../6...f/...ed/..cba r -"
EWN = games.load("ewn")


def moves(text: str) -> list[str]:
    return state.parse(EWN, text).moves


def after(text: str, move: str) -> state.State:
    return state.parse(EWN, text).play(move)


def test_the_start_of_the_notation_example() -> None:
    start = state.parse(EWN, START)
    assert start == state.start(EWN, 0)
    assert start.rolled(4).moves == ["A2B2", "A2A3", "A2B3"]


def test_every_start_is_a_point_reflection_and_all_720_differ() -> None:
    starts = {EWN.start_position(seed) for seed in range(720)}
    assert len(starts) == EWN.starts == 720
    assert all(position.own == position.enemy for position in starts)
    places = {square for position in starts for square, cell in enumerate(EWN.cells(position)) if cell.side == 0}
    assert places == {0, 1, 2, 5, 6, 10}


def test_red_steps_right_down_and_diagonally() -> None:
    assert moves("1..../...../...../...../....a r 1") == ["A1B1", "A1A2", "A1B2"]


def test_blue_steps_left_up_and_diagonally() -> None:
    assert moves("1..../...../...../...../....a b 1") == ["E5D5", "E5E4", "E5D4"]


def test_the_edge_leaves_one_step() -> None:
    assert moves("....1/...../...../...../a.... r 1") == ["E1E2"]
    assert moves("....1/...../...../...../a.... b 1") == ["A5A4"]


def test_only_the_cube_of_the_die_moves_when_it_is_there() -> None:
    assert {move[:2] for move in moves("123../45.../6...f/...ed/..cba r 5")} == {"B2"}


def test_the_nearest_lower_and_higher_cubes_stand_in() -> None:
    board = "1.3../5..../6...f/...ed/..cba r "
    assert {move[:2] for move in moves(board + "2")} == {"A1", "C1"}
    assert {move[:2] for move in moves(board + "4")} == {"C1", "A2"}
    # Neither the second nearest nor the far end: 2 and 3 are gone, 1 and 5 stand in for 3.
    assert {move[:2] for move in moves("1..../5..../6...f/...ed/..cba r 3")} == {"A1", "A2"}


def test_single_neighbour_moves() -> None:
    assert {move[:2] for move in moves("..3../5..../6...f/...ed/..cba r 1")} == {"C1"}
    assert {move[:2] for move in moves("1.3../5..../....f/...ed/..cba r 6")} == {"A2"}


def test_at_most_six_moves() -> None:
    assert len(moves("1..../.5.../....f/...ed/..cba r 3")) == EWN.max_moves == 6


def test_an_enemy_cube_is_captured() -> None:
    assert after("1..../.a.../...../...../....b r 1", "A1B2").text == "...../.1.../...../...../....b b -"


def test_an_own_cube_is_captured() -> None:
    assert after("12.../...../...../...../....b r 1", "A1B1").text == ".1.../...../...../...../....b b -"


def test_capture_is_not_compulsory() -> None:
    assert moves("1a.../...../...../...../....b r 1") == ["A1B1", "A1A2", "A1B2"]


def test_reaching_the_corner_wins() -> None:
    assert after("...../...../...../...1./a.... r 1", "D4E5").outcome == Outcome(0, "corner")
    assert after("...../.a.../...../...../1.... b 1", "B2A1").outcome == Outcome(1, "corner")


def test_a_side_on_its_own_corner_has_not_won() -> None:
    assert state.parse(EWN, "1..../...../...../...../....a r -").outcome is None


def test_removing_the_last_enemy_wins() -> None:
    assert after("...../..1../...a./...../..... r 1", "C2D3").outcome == Outcome(0, "captured all")


def test_rolls_that_allow_the_same_cubes_are_one_group() -> None:
    position, _ = EWN.parse("1..../6..../...../...../....a r -")
    groups = [tuple(map(int, EWN.group(position, index))) for index in range(EWN.groups(position))]
    assert groups == [(1, 1), (2, 4), (6, 1)]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "3 fields"),
        ("123../45.../6...f/...ed/..cba r", "3 fields"),
        ("123../45.../6...f/...ed r -", "expected 5 rows separated by '/', got 4"),
        ("123../45.../6...f/...ed/..cb r -", "row 5"),
        ("123../45.../6...g/...ed/..cba r -", "board, E3: expected one of .* got 'g'"),
        ("123../45.../1...f/...ed/..cba r -", "twice"),
        ("123../45.../6...f/...ed/..cba w -", "side to move: expected r or b, got 'w'"),
        ("123../45.../6...f/...ed/..cba r 7", "die: expected 1 to 6, .* got '7'"),
        ("123../45.../6...f/...ed/..cba r ²", "die: expected 1 to 6"),
        ("...../...../...../...../..... r -", "blue has no cube left"),
        ("...../...../...../...../a...1 r -", "far corner"),
    ],
)
def test_malformed_positions_are_rejected(text: str, complaint: str) -> None:
    with pytest.raises(GameError, match=complaint):
        EWN.parse(text)


def test_invalid_sizes_are_rejected() -> None:
    for name in ("ewn-1x5-1", "ewn-3x3-6", "ewn-2x2-3", "ewn-9x9-6", "ewn-5x5-7", "ewn-5x5-0"):
        with pytest.raises(GameError):
            games.load(name)


class PlainEwn:
    """The rules once more, as dictionaries and loops: piece → (row, column); pieces are (side, number)."""

    def __init__(self, text: str) -> None:
        board, mover, _ = text.split()
        self.mover = "rb".index(mover)
        self.pieces = {}
        for row, line in enumerate(board.split("/")):
            for column, character in enumerate(line):
                if character in "123456":
                    self.pieces[0, int(character)] = (row, column)
                elif character != ".":
                    self.pieces[1, "abcdef".index(character) + 1] = (row, column)
        self.last = len(board.split("/")) - 1

    def leaves(self, depth: int, faces: int) -> int:
        if depth == 0 or self.over():
            return 1
        return sum(
            self.after(*step).leaves(depth - 1, faces) for die in range(1, faces + 1) for step in self.steps(die)
        )

    def over(self) -> bool:
        home = {0: (self.last, self.last), 1: (0, 0)}
        left = {side for side, _ in self.pieces}
        return len(left) < 2 or any(place == home[side] for (side, _), place in self.pieces.items())

    def steps(self, die: int) -> list[tuple[int, tuple[int, int]]]:
        mine = sorted(number for side, number in self.pieces if side == self.mover)
        neighbours = [n for n in mine if n < die][-1:] + [n for n in mine if n > die][:1]
        chosen = [die] if die in mine else neighbours
        sign = 1 if self.mover == 0 else -1
        found = []
        for number, (down, right) in itertools.product(chosen, ((0, 1), (1, 0), (1, 1))):
            row, column = self.pieces[self.mover, number]
            target = (row + sign * down, column + sign * right)
            if all(0 <= coordinate <= self.last for coordinate in target):
                found.append((number, target))
        return found

    def after(self, number: int, target: tuple[int, int]) -> "PlainEwn":
        other = object.__new__(PlainEwn)
        other.mover, other.last = 1 - self.mover, self.last
        other.pieces = {piece: place for piece, place in self.pieces.items() if place != target}
        other.pieces[self.mover, number] = target
        return other


@pytest.mark.parametrize(
    ("name", "depth"),
    [("ewn", 2), ("ewn-3x3-3", 4), ("ewn-4x4-3", 3), pytest.param("ewn-5x5-1", 4, marks=pytest.mark.slow)],
)
def test_perft_agrees_with_a_plain_count(name: str, depth: int) -> None:
    game = games.load(name)
    generator = random.Random(7)
    for seed in range(3):
        now = state.start(game, seed)
        for _ in range(2 * seed):
            if not now.over:
                now = now.rolled(generator)
                now = now.play(generator.choice(now.legal))
        assert perft(game, now.position, depth) == PlainEwn(now.text).leaves(depth, game.faces)


def test_perft_below_a_roll_counts_that_roll_only() -> None:
    position, _ = EWN.parse(START)
    assert sum(perft(EWN, position, 2, roll) for roll in range(1, 7)) == perft(EWN, position, 2) == 324


def test_captured_side_is_a_word_of_ones() -> None:
    position, _ = EWN.parse("...../..1../...../...../..... b -")
    assert position.own == WORD_ALL
