"""Arrival turns with known dice, evaluations and move classes."""

import pytest

from starscout import games
from starscout.evaluation import FIRST_CLASS, load_evaluation
from starscout.game.values import as_float
from starscout.games.ewn.board import RED
from starscout.games.ewn.heuristics import board_of
from starscout.games.ewn_cyclic.evaluation import LATEST, arrival_turn
from tests.evaluation.kinds import kinds_of_moves

pytestmark = pytest.mark.plain

CYCLIC = games.load("ewn-cyclic")
EMPTY = "......."


def position_of(rows: list[str], dice: str, mover: str = "r"):
    return CYCLIC.parse(f"{'/'.join(rows)} {mover} {dice} {'rb'.index(mover)}")[0]


@pytest.mark.parametrize(
    ("dice", "own", "enemy"),
    [
        # Red on E4 and blue on A3 have two steps to go, and a lone cube moves with every roll.
        ("000000000000000000000", 2, 2),
        ("555555555555555555555", 2, 2),
    ],
)
def test_a_lone_cube_arrives_after_as_many_turns_as_steps(dice: str, own: int, enemy: int):
    arrival = arrival_turn(board_of(6, 7, 6))
    position = position_of([EMPTY, EMPTY, "a......", "....0..", EMPTY, EMPTY], dice)
    assert position.mover == RED
    assert (arrival(position.own, position.dice, 0), arrival(position.enemy, position.dice, 1)) == (own, enemy)


def test_the_dice_decide_which_of_two_cubes_arrives():
    arrival = arrival_turn(board_of(6, 7, 6))
    rows = [EMPTY, EMPTY, EMPTY, "0......", "a....5.", EMPTY]
    # Red's turns are plies 0, 2, 4 …: a 5 at once, then only after three zeros.
    at_once, later = (position_of(rows, f"{digits}{'0' * 14}") for digits in ("5000000", "0000005"))
    assert arrival(at_once.own, at_once.dice, 0) == 1
    assert arrival(later.own, later.dice, 0) == 4
    never = position_of(rows, "0" * 21)
    assert arrival(never.own, never.dice, 0) == 6 < LATEST


def test_the_earlier_arrival_has_the_better_chances():
    evaluation = load_evaluation(CYCLIC, "race")
    rows = [EMPTY, "a......", EMPTY, "0......", EMPTY, EMPTY]
    ahead, behind = position_of(rows, "0" * 21, "b"), position_of(rows, "0" * 21)
    assert as_float(evaluation.value(ahead)) > 0.5 > 0 > as_float(evaluation.value(behind))


def test_the_cyclic_corner() -> None:
    board = "......./......./......./......./.....0./a......"
    found = kinds_of_moves("ewn-cyclic", f"{board} r 012345012345012345012 0")
    assert [move for move, kind in found.items() if kind == FIRST_CLASS] == ["F5G6"]
