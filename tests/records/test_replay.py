"""Replay: every ply is checked, and errors name the line."""

import pytest

from starscout.game import Outcome
from starscout.records.record import ADJOURNED, RecordError, Replay

pytestmark = pytest.mark.plain

START = "123../45.../6...f/...ed/..cba r -"
ENDGAME = "...../...../...../...1./a.... r -"


def test_an_unfinished_game_is_adjourned() -> None:
    replay = Replay("ewn", START, line=1)
    replay.add(4, "a2-b3", line=2, value=0.25, depth=3)
    replay.add(6, "E3D3", line=3)
    record = replay.finished(None, ("Anna", "Bert"), seed=7)
    assert [(ply.roll, ply.text, ply.value, ply.depth) for ply in record.plies] == [
        (4, "A2B3", 0.25, 3),
        (6, "E3D3", None, None),
    ]
    assert (record.winner, record.reason, record.seed) == (None, ADJOURNED, 7)
    assert (record.start, record.players) == (START, ("Anna", "Bert"))
    record.check()


def test_the_outcome_is_derived_from_the_rules() -> None:
    replay = Replay("ewn", ENDGAME, line=1)
    replay.add(3, "D4E5", line=2)
    for claimed in (None, Outcome(0, "corner")):
        record = replay.finished(claimed)
        assert (record.winner, record.reason, record.players) == (0, "corner", ("red", "blue"))


def test_games_without_dice_have_roll_0() -> None:
    replay = Replay("othello", "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27 + " X", line=1)
    replay.add(0, "F5", line=1)
    assert [(ply.roll, ply.text) for ply in replay.finished(None).plies] == [(0, "f5")]


@pytest.mark.parametrize(
    ("game", "start", "sentence"),
    [
        ("chess", START, "line 5: there is no game 'chess'"),
        ("ewn", "nowhere", "line 5: position: expected 3 fields"),
        ("ewn", START.replace("-", "4"), "line 5: a record starts before the first roll, but"),
    ],
)
def test_an_invalid_start_raises(game: str, start: str, sentence: str) -> None:
    with pytest.raises(RecordError, match=sentence):
        Replay(game, start, line=5)


@pytest.mark.parametrize(
    ("roll", "text", "sentence"),
    [
        (4, "A2C4", "line 9: ply 1: 'A2C4' is not a legal move"),
        (0, "A2B3", "line 9: ply 1: the roll is missing"),
        (7, "A2B3", "line 9: ply 1: roll: expected 1 to 6, got 7"),
    ],
)
def test_an_illegal_ply_raises(roll: int, text: str, sentence: str) -> None:
    with pytest.raises(RecordError, match=sentence):
        Replay("ewn", START, line=1).add(roll, text, line=9)


def test_plies_after_the_end_and_false_claims_raise() -> None:
    replay = Replay("ewn", ENDGAME, line=1)
    with pytest.raises(RecordError, match="line 1: the record says corner, but the game is not over in"):
        replay.finished(Outcome(0, "corner"))
    replay.add(3, "D4E5", line=2)
    with pytest.raises(RecordError, match=r"line 3: ply 2 \(A5A4\) comes after the end of the game"):
        replay.add(1, "A5A4", line=3)
    with pytest.raises(RecordError, match=r"line 2: .* blue won \(corner\), but it was red won \(corner\)"):
        replay.finished(Outcome(1, "corner"))
    with pytest.raises(RecordError, match="line 2: the record says resigned, but the game had ended by the rules"):
        replay.finished(Outcome(1, "resigned"))
