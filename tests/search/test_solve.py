"""Exact values against brute force in rational numbers, written differently."""

from fractions import Fraction

import pytest

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.game import NOT_ROLLED, ONGOING, Game, Position
from starscout.search.endgame import solve


def brute_force(game: Game, position: Position, known: dict) -> Fraction:
    """The exact expected result, without merged rolls, each position once."""
    key = position[:2]
    if key not in known:
        total = Fraction(0)
        for roll in range(1, game.faces + 1):
            total += max(answers(game, position, roll, known).values())
        known[key] = total / game.faces
    return known[key]


def answers(game: Game, position: Position, roll: int, known: dict) -> dict[int, Fraction]:
    values = {}
    for move in game.legal(position, roll):
        following = game.play_position(position, move)
        result = int(game.outcome(following))
        values[move] = -(Fraction(result) if result != ONGOING else brute_force(game, following, known))
    return values


def test_three_cubes_on_3x3():
    game = games.load("ewn-3x3-3")
    zero = load_evaluation(game, "zero")
    known: dict = {}
    for seed in range(2):
        position = game.start_position(seed)
        solution = solve(game, zero, position, NOT_ROLLED, 60.0)
        assert solution.exact
        assert solution.value == pytest.approx(float(brute_force(game, position, known)), abs=1e-12)
    position = game.start_position(0)
    for roll in (1, 2, 3):
        solution = solve(game, zero, position, roll, 60.0)
        values = answers(game, position, roll, known)
        assert solution.best is not None
        assert values[solution.best] == max(values.values())
        assert solution.value == pytest.approx(float(max(values.values())), abs=1e-12)


@pytest.mark.parametrize("text", ["1..../...../...../...../....a r -", ".1.../...../...../...a./..... r -"])
def test_one_cube_each_on_5x5(text: str):
    game = games.load("ewn")
    position, _ = game.parse(text)
    solution = solve(game, load_evaluation(game, "zero"), position, NOT_ROLLED, 60.0)
    assert solution.value == float(brute_force(game, position, {}))


def test_too_little_time_gives_no_value():
    game = games.load("ewn")
    # On a busy machine the search may not even begin within the shortest time.
    for seconds in (0.05, 1.0, 20.0):
        solution = solve(game, load_evaluation(game, "zero"), game.start_position(0), NOT_ROLLED, seconds)
        assert not solution.exact
        assert solution.value is None
        if solution.nodes > 0:
            return
    raise AssertionError("no node was searched")
