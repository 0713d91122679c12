"""Actions of the Play tab over a WebSocket."""

import json

import pytest

from starscout.records.json_lines import record_from_json
from tests.web.client import Page


def test_play_and_save(page: Page) -> None:
    shown = page.begin("kari", "random", simulations=5)
    table = shown["table"]
    for _ in range(3):
        answer = page.ask("move", table=table, ply=shown["ply"], move=shown["moves"][0]["text"])
        assert "error" not in answer
        shown = page.until_my_turn(table)
    saved = page.ask("save", table=table)["record"]
    record = record_from_json(json.loads(saved))
    assert record.players == ("you", "random")
    assert len(record.plies) == 6
    page.ask("resign", table=table)
    assert page.next_push(push="table", thinking=False)["table"] == table


def test_hint_is_a_legal_move_with_an_arrow(page: Page) -> None:
    shown = page.begin("ewn", "random")
    hint = page.ask("hint", table=shown["table"])
    assert hint["move"] in [move["text"] for move in shown["moves"]]
    assert 0 <= hint["wins"] <= 1
    assert 'class="arrow"' in hint["svg"]


def test_take_back_needs_a_move(page: Page) -> None:
    shown = page.begin("othello", "random")
    assert "nothing to take back" in page.ask("back", table=shown["table"])["error"]


def test_leave_unsubscribes(page: Page) -> None:
    shown = page.begin("ewn", None)
    page.ask("leave", table=shown["table"])
    page.pushed.clear()
    page.ask("move", table=shown["table"], ply=0, move=shown["moves"][0]["text"])
    assert page.ask("catalogue")["games"]
    # All visitors receive the state of the engines.
    assert [push for push in page.pushed if push["push"] != "engines"] == []


@pytest.mark.parametrize("fields", [{"clock": 0.1}, {"clock": "60"}, {"time": 1e9}, {"first": 2}, {"place": 1}])
def test_invalid_setup_is_rejected(page: Page, fields: dict[str, object]) -> None:
    assert ": expected " in page.ask("new", game="ewn", opponent="random", side=0, **fields)["error"]
