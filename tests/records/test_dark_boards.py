"""Replay files of the dark-chess course's online client: games follow from their boards."""

import json
import random
import re
from pathlib import Path

import pytest

from starscout import games
from starscout.game.state import start
from starscout.protocols.tcg_dark import board_line
from starscout.records.files import check_file, load_records
from starscout.records.json_lines import read_json_lines, write_json_line
from starscout.records.record import GameRecord

REFERENCE = Path(__file__).parents[3] / "shared" / "dark_chess.md"
PLAYERS = {
    "Red": {"id": 1, "username": "anna", "nickname": "Anna", "sudo": False},
    "Black": {"id": 2, "username": "bert", "nickname": "", "sudo": False},
}


def replay(boards: list[str]) -> str:
    return json.dumps(
        {"players": PLAYERS, "result": "?", "reason": "", "steps": len(boards) - 1, "boards": boards}, indent=1
    )


@pytest.mark.parametrize("seed", range(4))
def test_random_games_are_reconstructed(seed: int, tmp_path: Path) -> None:
    generator, state = random.Random(seed), start(games.load("dark-chess"))
    boards, moves = [board_line(state)], []
    while not state.over:
        move = generator.choice(state.moves)
        moves.append(move)
        state = state.play(move)
        state = state.rolled(generator) if state.needs_roll and not state.over else state
        boards.append(board_line(state))
    file = tmp_path / "replay.json"
    file.write_text(replay(boards), encoding="utf-8")
    (record,) = load_records(file)
    record.check()
    assert [ply.text for ply in record.plies] == moves
    assert state.outcome is not None
    assert (record.winner, record.reason) == (state.outcome.winner, state.outcome.reason)
    assert record.players == (("bert", "Anna") if state.position.colours == 2 else ("Anna", "bert"))
    (again,) = read_json_lines(write_json_line(record))
    assert isinstance(again, GameRecord)
    assert again.plies == record.plies


@pytest.mark.skipif(not REFERENCE.exists(), reason="the reference is not part of the repository")
def test_recorded_game_is_replayed(tmp_path: Path) -> None:
    section = REFERENCE.read_text(encoding="utf-8").split("### 10.1")[1].split("### 10.2")[0]
    boards = re.findall(r"(?:first|second)\s+(\S+ [rb]) \d", section) + re.findall(r"referee: (\S+/\S+ [rb])", section)
    file = tmp_path / "replay.json"
    file.write_text(replay(boards), encoding="utf-8")
    (record,) = load_records(file)
    assert (len(record.plies), record.reason) == (64, "stalemate")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({"boards": []}, "boards: expected a list of boards"),
        ({"boards": [1]}, "boards: expected a list of boards"),
        ({"boards": ["x"]}, "expected"),
        ({"boards": ["????????/????????/????????/???????? r", "8/8/8/8 b"]}, "differ by more than one action"),
        ({"boards": ["k6P/8/8/8 r", "6kP/8/8/8 b"]}, "is not a legal move"),
    ],
)
def test_malformed_files_are_reported(content: object, problem: str, tmp_path: Path) -> None:
    file = tmp_path / "replay.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    (found,) = check_file(file).problems
    assert problem in found.why
