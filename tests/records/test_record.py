"""Records: JSON round trips and `check`."""

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starscout import games
from starscout.game import GameError
from starscout.players.spec import make_player
from starscout.records.json_lines import record_from_json, record_to_json
from starscout.records.record import GameRecord, Ply
from starscout.referee.game_in_progress import play_game
from starscout.search.limits import Limit
from tests.starts import any_start

pytestmark = pytest.mark.plain


@pytest.fixture(scope="module")
def record() -> GameRecord:
    game = games.load("ewn")
    players = make_player("random", game), make_player("random", game)
    return play_game(any_start(game, 9, 1), players, (Limit(), Limit()), seed=9, pair=1, half=1)


def test_json_round_trip(record: GameRecord) -> None:
    again = record_from_json(json.loads(json.dumps(record_to_json(record))))
    assert [ply[:3] for ply in again.plies] == [ply[:3] for ply in record.plies]
    assert dataclasses.replace(again, plies=()) == dataclasses.replace(record, plies=())
    assert record_from_json(record_to_json(again)) == again


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "not a game record"),
        ({"winner": 7}, "winner"),
        ({"players": ["one"]}, "players: expected a list"),
        ({"plies": [{"move": "A1B1"}]}, "ply 1: the roll is missing"),
        ({"plies": 3}, "plies: expected a list"),
        ({"winner": 1.0}, "winner"),
        ({"seed": 10**400}, "expected a whole number"),
        ({"seed": -1}, "expected a whole number"),
        ({"seed": "²"}, "expected a whole number"),
        ({"half": 2}, "half: expected a whole number from 0 to 1, got 2"),
        ({"players": ["\ud800", "b"]}, "expected a string"),
        ({"detail": ["x"]}, "expected a string"),
        ({"plies": [{"roll": 1e308, "move": "A1B1"}]}, "expected a whole number"),
        ({"plies": [{"roll": 10**400, "move": "A1B1"}]}, "expected a whole number"),
        ({"plies": [{"roll": 1, "move": "A1B1", "seconds": 1e308}]}, "expected a number"),
        ({"plies": [{"roll": 1, "move": "A1B1", "seconds": float("nan")}]}, "expected a number"),
        ({"plies": [{"roll": 1, "move": "A1B1", "nodes": "1" * 5_000}]}, "expected a whole number"),
    ],
)
def test_malformed_json_raises(record: GameRecord, change: dict, message: str) -> None:
    with pytest.raises(GameError, match=message):
        record_from_json({**record_to_json(record), **change})


def test_other_json_is_not_a_record() -> None:
    with pytest.raises(GameError, match="not a game record"):
        record_from_json([1, 2])


def test_check_finds_an_illegal_ply(record: GameRecord) -> None:
    plies = (*record.plies[:2], Ply(record.plies[2].roll, "A1E5", 987_654), *record.plies[3:])
    with pytest.raises(GameError, match="ply 3: 987654 is not one of the legal moves"):
        dataclasses.replace(record, plies=plies).check()


def test_check_finds_the_wrong_winner_and_a_game_that_is_not_over(record: GameRecord) -> None:
    assert record.winner is not None
    with pytest.raises(GameError, match="the record says"):
        dataclasses.replace(record, winner=1 - record.winner).check()
    with pytest.raises(GameError, match="not over"):
        dataclasses.replace(record, plies=record.plies[:-1]).check()
    dataclasses.replace(record, plies=record.plies[:-1], reason="timeout").check()


@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
        max_leaves=8,
    ),
    st.sampled_from(["game", "start", "players", "plies", "winner", "reason", "seed"]),
)
def test_any_value_of_a_field_is_read_or_raises(value: object, name: str) -> None:
    whole = record_to_json(GameRecord("ewn", "", ("a", "b"), (Ply(1, "A1B1", 0),), 0, "corner"))
    try:
        again = record_from_json({**whole, name: value})
    except GameError:
        return
    assert isinstance(again, GameRecord)
