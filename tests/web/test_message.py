"""Parsing and validation of messages from pages."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starscout.game import GameError
from starscout.settings.schema import Time
from starscout.web.message import Message, read_message


def message(**fields: object) -> Message:
    return read_message(json.dumps({"id": 1, "do": "move", **fields}))


def test_fields_are_read_by_their_kind() -> None:
    read = message(move="A1B2", ply=3, time=0.5, place=True, players=["a", "b"], none=None)
    assert (read.id, read.action) == (1, "move")
    assert read.text("move") == "A1B2"
    assert read.whole("ply", 0, 5) == 3
    assert read.setting("time", float, 1, 0) == 0.5
    assert read.flag("place")
    assert not read.flag("missing")
    assert read.texts("players", 2) == ["a", "b"]
    assert read.optional_text("none") is None
    assert read.setting("none", Time | None, 1) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "expected JSON"),
        ("[" * 100_000, "expected JSON"),
        ("[]", "expected an object"),
        ('{"do": "move"}', "'id' is missing"),
        ('{"id": true, "do": "move"}', "message.id: expected a whole number"),
        ('{"id": 1}', "'do' is missing"),
        ('{"id": 1, "do": 7}', "message.do: expected a string"),
    ],
)
def test_what_is_no_message_is_refused(text: str, why: str) -> None:
    with pytest.raises(GameError, match=why):
        read_message(text)


@pytest.mark.parametrize("value", [None, True, 1.5, "3", -1, 6, [], {}, 2**70])
def test_a_whole_number_is_nothing_else(value: object) -> None:
    with pytest.raises(GameError, match="whole number from 0 to 5"):
        message(ply=value).whole("ply", 0, 5)


@pytest.mark.parametrize("value", [None, True, "1", float("nan"), float("inf"), -0.1])
def test_a_number_is_nothing_else(value: object) -> None:
    with pytest.raises(GameError, match="number from 0 to 1"):
        message(time=value).setting("time", float, 1, 0)


def test_long_texts_and_long_lists_are_refused() -> None:
    with pytest.raises(GameError, match="expected 1 to 40 characters, got 41"):
        message(move="x" * 41).text("move", 40)
    with pytest.raises(GameError, match="at most 2"):
        message(players=["a", "b", "c"]).texts("players", 2)
    with pytest.raises(GameError, match=r"players\[1\]: expected a string, got 3"):
        message(players=["a", 3]).texts("players", 2)


@given(st.text(max_size=60))
def test_every_text_is_a_message_or_an_error(text: str) -> None:
    with contextlib.suppress(GameError):
        assert isinstance(read_message(text), Message)
