"""JSON Lines: records are written, read and checked."""

import dataclasses
import json
from pathlib import Path

import pytest

from starscout import games
from starscout.players.spec import make_player
from starscout.records.ewn_server import read_server, write_server
from starscout.records.files import check_file
from starscout.records.json_lines import read_json_lines, write_json_line
from starscout.records.record import GameRecord, RecordError
from starscout.referee.game_in_progress import play_game
from starscout.search.limits import Limit
from tests.starts import any_start


def record_of(name: str) -> GameRecord:
    rules = games.load(name)
    players = make_player("random", rules), make_player("random", rules)
    return play_game(any_start(rules, 2, 0), players, (Limit(), Limit()), seed=2)


@pytest.mark.parametrize("name", ["ewn", "ewn-cyclic", "kari", "othello"])
def test_files_of_records_are_legal(name: str, tmp_path: Path) -> None:
    record = record_of(name)
    file = tmp_path / "games.jsonl"
    file.write_text("# two games\n" + 2 * write_json_line(record), encoding="utf-8")
    check = check_file(file)
    assert (check.games, check.legal) == (2, 2), check.problems


def test_an_edited_record_is_detected(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    record = record_of("ewn")
    move = record.plies[0].text
    file.write_text(write_json_line(record).replace(move, "A1E5", 1), encoding="utf-8")
    check = check_file(file)
    assert check.legal == 0
    assert "A1E5" in check.problems[0].why


def test_clocks_round_trip() -> None:
    record = dataclasses.replace(record_of("ewn"), left=(59.5, None))
    line = write_json_line(record)
    assert json.loads(line)["left"] == [59.5, None]
    (again,) = read_json_lines(line)
    assert isinstance(again, GameRecord)
    assert again.left == (59.5, None)
    for wrong in ("[59.5]", '["much", null]', "[-1, null]"):
        (problem,) = read_json_lines(line.replace("[59.5, null]", wrong))
        assert isinstance(problem, RecordError)


@pytest.mark.parametrize(("text", "complaint"), [("{", "not a JSON object"), ('{"a": 1}', "not a game record")])
def test_malformed_lines_yield_errors(text: str, complaint: str) -> None:
    (problem,) = read_json_lines(text)
    assert isinstance(problem, RecordError)
    assert complaint in problem.why


def test_ewn_records_round_trip_through_the_server_format() -> None:
    record = record_of("ewn")
    (again,) = read_server(write_server(record))
    assert isinstance(again, GameRecord)
    assert again.start == record.start
    assert [ply[:3] for ply in again.plies] == [ply[:3] for ply in record.plies]
    assert (again.winner, again.reason) == (record.winner, record.reason)
