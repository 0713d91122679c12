"""Values of cubes and move classes."""

import pytest

from starscout import games
from starscout.evaluation import FIRST_CLASS, LAST_CLASS, ORDINARY, load_evaluation
from starscout.evaluation.weights import read_arrays
from starscout.game.values import as_float
from starscout.games.ewn.heuristics import board_of
from starscout.games.kari.evaluation import (
    DISTANCE_CALIBRATION,
    FIELD_BITS,
    FIELD_MASK,
    WEIGHTS_FILE,
    worth_table,
)
from tests.evaluation.kinds import kinds_of_moves

pytestmark = pytest.mark.plain

KARI = games.load("kari")


def value(name: str, text: str) -> float:
    return as_float(load_evaluation(KARI, name).value(KARI.parse(text)[0]))


def test_distance_by_hand():
    # Red's nearest cube has three diagonal steps to go, blue's five.
    text = "....../.2..../..1.../....../....../.....b r"
    assert value("distance", text) == pytest.approx(DISTANCE_CALIBRATION.expected(5 - 3), abs=1e-9)


def test_worth_tables_hold_steps_and_worth():
    worths = read_arrays(WEIGHTS_FILE)["worths"]
    table = worth_table(board_of(6, 6, 6), worths)
    # Cube 2 on C2: four rows down and three columns right are seven single steps and four diagonal ones.
    entry = int(table[2, 8])
    assert (entry & FIELD_MASK, entry >> FIELD_BITS & FIELD_MASK) == (7, 4)
    assert entry >> 2 * FIELD_BITS == worths[2 * 6 + 4]


def test_the_smaller_number_at_home_is_better():
    small, large = (f"....../....../..b.../....../....../.....{number} r" for number in "05")
    assert value("cubes", small) > value("cubes", large)


@pytest.mark.parametrize(
    ("text", "move", "kind"),
    [
        # A capture that nobody can answer.
        ("....../.2..../..a.../....../....../.....b r", "B2C3", FIRST_CLASS),
        # Blue's 1 on D4 can recapture on C3, and it is smaller than 2.
        ("....../.2..../..a.../...b../....../...... r", "B2C3", ORDINARY),
        # Blue's 5 can recapture, but it is larger than 2.
        ("....../.2..../..a.../...f../....../...... r", "B2C3", FIRST_CLASS),
        # An equal number is not larger.
        ("....../.2..../..a.../...c../....../...... r", "B2C3", ORDINARY),
        # No capture.
        ("....../.2..../....../....../....../.....b r", "B2C3", ORDINARY),
        # Arriving first belongs to the last class.
        ("....../.a..../....../....../....3./...... r", "E5F6", LAST_CLASS),
        # Arriving with the smaller number wins, with the larger one it does not.
        ("e...../....../....../....../....3./...... r", "E5F6", FIRST_CLASS),
        ("c...../....../....../....../....3./...... r", "E5F6", ORDINARY),
    ],
)
def test_classes(text: str, move: str, kind: int) -> None:
    assert kinds_of_moves("kari", text)[move] == kind


@pytest.mark.parametrize(
    ("text", "move", "kind"),
    [
        ("....../.2..../..a.../....../....../.....b r", "B2C3", FIRST_CLASS),
        ("....../.2..../..a.../...b../....../...... r", "B2C3", ORDINARY),
        # Arrivals are ordinary moves, whoever has arrived.
        ("....../.a..../....../....../....3./...... r", "E5F6", ORDINARY),
        ("e...../....../....../....../....3./...... r", "E5F6", ORDINARY),
    ],
)
def test_classes_of_captures_alone(text: str, move: str, kind: int) -> None:
    assert kinds_of_moves("kari", text, "captures")[move] == kind
