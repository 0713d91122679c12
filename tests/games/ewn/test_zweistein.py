"""Zweistein's evaluation on distance arrays whose distributions of turns are computed by hand."""

from fractions import Fraction

import pytest

from starscout import games
from starscout.evaluation import load_evaluation
from starscout.game import GameError
from starscout.game.values import as_float
from starscout.games.ewn.race import arrival

GAME = games.load("ewn")
ZWEISTEIN = load_evaluation(GAME, "zweistein")
SIDES = {
    # Distance array → the distribution of the number of turns to the corner.
    "one cube, three steps": ((3, 0, 0, 0, 0, 0), {3: Fraction(1)}),
    # Rolls 1–5 allow cube 1, which is one step away; a 6 moves the other cube, which then has three steps to go.
    "cubes 1 and 6, one and four steps": ((1, 0, 0, 0, 0, 4), {1: Fraction(5, 6), 2: Fraction(5, 36)}),
    "cubes 1 and 2, one step each": ((1, 1, 0, 0, 0, 0), {1: Fraction(1)}),
    # Only a 1 moves cube 1; other rolls move cube 2, which leaves both one step away.
    "cubes 1 and 2, one and two steps": ((1, 2, 0, 0, 0, 0), {1: Fraction(1, 6), 2: Fraction(5, 6)}),
}


def number(distances: tuple[int, ...]) -> int:
    return sum(steps * 5**cube for cube, steps in enumerate(distances))


def test_there_are_15625_distance_arrays_and_19_turns() -> None:
    assert arrival(4, 6).shape == (15_625, 20)


@pytest.mark.parametrize("name", SIDES)
def test_distribution_of_turns(name: str) -> None:
    distances, expected = SIDES[name]
    within = arrival(4, 6)[number(distances)]
    for turn, chance in expected.items():
        assert within[turn] - within[turn - 1] == pytest.approx(float(chance))


@pytest.mark.parametrize(
    ("board", "mover_wins"),
    [
        # X = 3 for blue on D4, Y = 2 for red on C3: P(X < Y) = 0.
        ("...../...../..1../...../..a.. r -", Fraction(1)),
        # X = 1 for blue on B2, Y = 2 for red on C3: P(X < Y) = 1.
        ("...../.a.../..1../...../..... r -", Fraction(0)),
        # Red: cubes 1 and 2, one and two steps; blue arrives in one turn: red wins with the roll 1 alone.
        ("...../.a.../..2../...1./..... r -", Fraction(1, 6)),
        # Blue needs two turns: red always arrives within two.
        ("...../...../..a2./...1./..... r -", Fraction(1)),
    ],
)
def test_win_rate_by_hand(board: str, mover_wins: Fraction) -> None:
    position, _ = GAME.parse(board)
    value = as_float(ZWEISTEIN.evaluate(position, ZWEISTEIN.weights))
    assert (value + 1) / 2 == pytest.approx(float(mover_wins), abs=1e-3)


def test_large_boards_are_rejected() -> None:
    with pytest.raises(GameError, match="zweistein needs too large a table"):
        load_evaluation(games.load("ewn-7x7-6"), "zweistein")
