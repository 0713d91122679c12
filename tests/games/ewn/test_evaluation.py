"""Evaluations: scores by hand, defaults per board, move classes and names."""

import math

import pytest

from starscout import games
from starscout.evaluation import FIRST_CLASS, load_evaluation, luck_evaluation
from starscout.game import GameError
from starscout.game.values import as_float
from starscout.games.ewn.evaluation import calibration_of
from starscout.games.ewn.heuristics import board_of
from tests.evaluation.kinds import kinds_of_moves

pytestmark = pytest.mark.plain

EWN = games.load("ewn")


def logit(name: str, text: str) -> float:
    position, _ = EWN.parse(text)
    return 2.0 * math.atanh(as_float(load_evaluation(EWN, name).value(position)))


# Red: cubes 2 and 4, two and four steps from E5. Blue: cubes 1 and 6, one and four steps from A1.
@pytest.mark.parametrize(
    ("name", "score"),
    [
        ("distance", 1 - 2),
        ("distance:2:1", 2 * 1 - 2),
        ("distance:3:5", 3 * 1 - 5 * 2),
        # Cube 2 moves on 1 2 3, cube 4 on 3 4 5 6; cube 1 on 1–5, cube 6 on 2–6.
        ("weighted", (1 * 5 + 4 * 5) - (2 * 3 + 4 * 4)),
        ("determinacy", 7 / 2 - 10 / 2),
        ("distance+determinacy", 1 - 2 + 7 / 2 - 10 / 2),
    ],
)
def test_scores_by_hand(name: str, score: float):
    curve = calibration_of(board_of(5, 5, 6), name)
    assert logit(name, "4a.../...../..2../...../....f r -") == pytest.approx(
        curve.offset + curve.slope * score, abs=1e-9
    )


@pytest.mark.parametrize(
    ("name", "score", "largest"),
    [
        # The largest distance is 5, of a side without cubes; a weighted one counts 2 · 6 · 6 · 5.
        ("raw-distance:2:1", 2 * 1 - 2, 3 * 5),
        ("raw-distance:3:5", 3 * 1 - 5 * 2, 8 * 5),
        ("raw-weighted", (1 * 5 + 4 * 5) - (2 * 3 + 4 * 4), 2 * 360),
    ],
)
def test_raw_values_are_proportional_to_scores(name: str, score: int, largest: int):
    evaluation = load_evaluation(EWN, name)
    position, _ = EWN.parse("4a.../...../..2../...../....f r -")
    assert as_float(evaluation.value(position)) == pytest.approx(score / (largest + 1), abs=1e-9)
    assert as_float(evaluation.point) == pytest.approx(1 / (largest + 1), abs=1e-9)
    assert load_evaluation(EWN, "distance").point == 0


def test_better_positions_have_higher_values():
    ahead, behind = "1..../...../...../...2./....f r -", "12.../...../...../...../f.... r -"
    for name in ("distance", "race", "race+squares"):
        assert logit(name, ahead) > logit(name, behind), name


def test_small_and_large_boards_have_a_default():
    assert load_evaluation(games.load("ewn-4x4-3")).name == "race"
    assert load_evaluation(games.load("ewn-7x7-6")).name == "distance"
    with pytest.raises(GameError, match="use race"):
        load_evaluation(games.load("ewn-4x4-3"), "race+squares")
    with pytest.raises(GameError, match="use distance"):
        load_evaluation(games.load("ewn-7x7-6"), "race")


def test_luck_evaluation_of_each_board():
    fitting = {name: luck_evaluation(games.load(name)) for name in ("ewn", "ewn-4x4-3", "ewn-7x7-6")}
    assert fitting == {"ewn": "learned", "ewn-4x4-3": "race", "ewn-7x7-6": "distance"}


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("..... ..... ..... ...1. ..a..", ["D4E5"]),
        ("..... .a1.. ..... ..... .....", []),
        ("..... .1a.. ..... ..... .....", ["B2C2"]),
        ("..... .1a.. ..... ..... ...b.", []),
    ],
)
def test_winning_moves_are_first_class(text: str, first: list[str]) -> None:
    found = kinds_of_moves("ewn", f"{text.replace(' ', '/')} r 1")
    assert [move for move, kind in found.items() if kind == FIRST_CLASS] == first
