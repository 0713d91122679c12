"""Validation of the fields of a game."""

import dataclasses
import random
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starscout import games
from starscout.game import Game, GameError
from starscout.game.contract import expected_plies_left
from starscout.kernels.kernel import PLAIN


class NoMover(NamedTuple):
    own: int


class Floating(NamedTuple):
    own: float
    mover: int


def made(**changes: object) -> Game:
    return dataclasses.replace(games.load("ewn-3x3-3"), **changes)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("name", ["rows", "columns", "faces", "max_moves", "max_plies", "typical_plies"])
@pytest.mark.parametrize("number", [0, -3, 2.5, "5", None, True])
def test_numbers_are_whole_and_at_least_one(name: str, number: object) -> None:
    with pytest.raises(GameError, match=rf"ewn-3x3-3: {name}: expected a whole number, 1 or more, got "):
        made(**{name: number})


@pytest.mark.parametrize("name", ["starts", "opening_plies"])
def test_optional_numbers_are_not_negative(name: str) -> None:
    assert getattr(made(**{name: 0}), name) == 0
    with pytest.raises(GameError, match=rf"{name}: expected a whole number, 0 or more, got -1"):
        made(**{name: -1})


@pytest.mark.parametrize("name", ["", "my game", "a/b", "a\\b", "tab\t", "game.py", None, 3])
def test_invalid_names_are_rejected(name: object) -> None:
    with pytest.raises(GameError, match="name: expected a text without spaces"):
        made(name=name)


@pytest.mark.parametrize("sides", [("red", "red"), ("red",), ("red", ""), ("red", 1), "rb", None, ("a", "b", "c")])
def test_sides_are_two_different_names(sides: object) -> None:
    with pytest.raises(GameError, match="sides"):
        made(sides=sides)


@pytest.mark.parametrize("position", [NoMover, Floating, tuple, 3])
def test_a_position_is_a_named_tuple_of_numbers_with_a_mover(position: object) -> None:
    with pytest.raises(GameError, match="position"):
        made(position=position)


def test_function_arguments_are_checked() -> None:
    with pytest.raises(GameError, match=r"format is called with \(position, roll\): too many positional arguments"):
        made(format=lambda position: "")
    with pytest.raises(GameError, match=r"cells: expected a function of \(position\), got 3"):
        made(cells=3)


@pytest.mark.skipif(PLAIN, reason="plain Python knows no kernels")
def test_rules_are_kernels() -> None:
    with pytest.raises(GameError, match="play: expected a kernel"):
        made(play=lambda position, move: position)


def test_invalid_positions_are_rejected() -> None:
    game = games.load("ewn-3x3-3")
    with pytest.raises(GameError, match=r"\(1, 2\) is not a position: it has the fields own: uint64, enemy: uint64"):
        game.as_position((1, 2))
    with pytest.raises(GameError, match="is not a position"):
        game.as_position((-1, 0, 0))


def test_expected_plies_left_is_the_mean_residual_of_a_normal_distribution() -> None:
    generator = random.Random(3)
    lengths = [generator.gauss(20.0, 4.0) for _ in range(200_000)]
    for ply in (0, 12, 20, 26):
        residuals = [length - ply for length in lengths if length > ply]
        expected = max(sum(residuals) / len(residuals), 1.0)
        assert expected_plies_left(ply, 20.0, 4.0) == pytest.approx(expected, rel=0.05)


def test_plies_left_with_dice_include_two_standard_deviations() -> None:
    dice, plain = games.load("ewn"), games.load("ewn-cyclic")
    assert dice.plies_left(dice.start_position(0), 4) == pytest.approx(
        expected_plies_left(4, dice.typical_plies, dice.plies_deviation) + 2.0 * dice.plies_deviation
    )
    assert plain.plies_left(plain.start_position(0), 4) == expected_plies_left(
        4, plain.typical_plies, plain.plies_deviation
    )


@given(st.integers(0, 10_000), st.integers(1, 500), st.floats(0.0, 100.0))
def test_expected_plies_left_is_finite_and_at_least_one(ply: int, mean: int, deviation: float) -> None:
    assert 1.0 <= expected_plies_left(ply, mean, deviation) <= max(mean - ply, 0) + deviation + 1.0
