"""The classes of moves on positions that show each of their sentences."""

from pathlib import Path

import pytest

from starscout.evaluate import move_classes
from starscout.evaluate.classes import FIRST_CLASS, LAST_CLASS, ORDINARY
from starscout.games import load

pytestmark = pytest.mark.plain


def classes(name: str, text: str) -> dict[str, int]:
    game = load(name)
    position, roll = game.parse(text)
    classify = move_classes(game)
    assert classify is not None
    return {game.format_move(position, move): int(classify(position, move)) for move in game.legal(position, roll)}


def test_a_game_that_nobody_knows_has_no_classes() -> None:
    game = load(str(Path(__file__).parents[2] / "examples" / "connect_four.py"))
    assert move_classes(game) is None


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("..... ..... ..... ...1. ..a..", ["D4E5"]),
        ("..... .a1.. ..... ..... .....", []),
        ("..... .1a.. ..... ..... .....", ["B2C2"]),
        ("..... .1a.. ..... ..... ...b.", []),
    ],
)
def test_races_are_won_by_the_corner_or_the_last_capture(text: str, first: list[str]) -> None:
    found = classes("ewn", f"{text.replace(' ', '/')} r 1")
    assert [move for move, kind in found.items() if kind == FIRST_CLASS] == first


def test_the_cyclic_corner() -> None:
    board = "......./......./......./......./.....0./a......"
    found = classes("ewn-cyclic", f"{board} r 012345012345012345012 0")
    assert [move for move, kind in found.items() if kind == FIRST_CLASS] == ["F5G6"]


def test_othello_corners_first_and_their_diagonal_neighbours_last() -> None:
    found = classes("othello-4x4", "----XXX--XO----- O")
    assert found["a1"] == FIRST_CLASS
    assert found["a3"] == found["c1"] == ORDINARY
    # b2 lies beside the empty corner a1, and is an ordinary square once the corner is taken.
    assert classes("othello-6x6", "-------------XXX----XO-------------- O")["b2"] == LAST_CLASS
    assert classes("othello-6x6", "XXXXO---OXOOX-OOXX-OOXXXOOO---OO---- X")["b2"] == ORDINARY


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
        # Arriving first is left for last.
        ("....../.a..../....../....../....3./...... r", "E5F6", LAST_CLASS),
        # Arriving with the smaller number wins, with the larger one it does not.
        ("e...../....../....../....../....3./...... r", "E5F6", FIRST_CLASS),
        ("c...../....../....../....../....3./...... r", "E5F6", ORDINARY),
    ],
)
def test_kari(text: str, move: str, kind: int) -> None:
    assert classes("kari", text)[move] == kind
