"""Records of the course server: three real games, the file of 400 games if present, and malformed records."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starscout.records.ewn_server import read_compact, read_server, write_server
from starscout.records.files import check_file, load_records
from starscout.records.record import GameRecord, RecordError

REAL_GAMES = """\
# three games of a course server
RB ChessTotheCorner | E5 D4 E4 C5 E3 D5 A1 B2 A2 C1 A3 B1 | 1A1B1 5E3D3 5A3B3 6D5D4 3A2B3 1E5D4 4C1C2 4C5B4 1B1B2 \
5D3C2 4B3C4 1D4D3 6C4D5 2E4D3 5D5E5
BR ChessTotheCorner | E4 D5 E5 E3 C5 D4 A2 B1 A1 A3 C1 B2 | 1E4D4 6B2C3 4E3D2 1A2A3 1D4D3 6C3C4 1D3C2 4A1B1 3E5D4 \
6C4D4 4D2D1 2B1C1 5C5B4 5D4E5
RB NoMove | C5 D4 E5 D5 E3 E4 C1 B2 A1 B1 A3 A2 | 3A1A2 1C5C4 6A3B4 5E3D3 5B4C4 3E5D4 5C4D5 6E4D3 3A2B2 4D3C3 3B2C3 \
4D4C3 4B1B2 2C3B3 4B2B3
"""
SHARED = Path(__file__).parents[3] / "shared" / "data" / "ewn_server_games.txt"


def legal(text: str) -> list[GameRecord]:
    """The games of a compact text, all of them legal."""
    records = []
    for record in read_compact(text):
        assert isinstance(record, GameRecord)
        records.append(record)
    return records


def test_three_real_games_replay_to_their_ends() -> None:
    endings = [(record.winner, record.reason) for record in legal(REAL_GAMES)]
    assert endings == [(0, "corner"), (0, "corner"), (0, "captured all")]


@pytest.mark.skipif(not SHARED.exists(), reason="the file of 400 games is not here")
def test_four_hundred_real_games_replay_legally() -> None:
    check = check_file(SHARED)
    assert (check.games, check.legal, check.problems) == (400, 400, ())
    plies = [len(record.plies) for record in load_records(SHARED)]
    assert max(plies) <= 34


def test_the_server_format_round_trips() -> None:
    for record in legal(REAL_GAMES):
        (back,) = read_server(write_server(record))
        assert back == record


def test_the_lines_of_a_server_record() -> None:
    first = replace(legal(REAL_GAMES)[0], players=("Anna", "Bert"))
    lines = write_server(first).splitlines()
    assert lines[:5] == [
        "* order RB",
        "* board 5 6",
        "* time 60 0 0",
        "* ini E5 D4 E4 C5 E3 D5 A1 B2 A2 C1 A3 B1",
        "* 1. R 1 A1 B1",
    ]
    assert lines[-1] == "* ChessTotheCorner Anna wins"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("1A1B1", "2A1B1"), "ply 1: 'A1B1' is not a legal move"),
        (("5E3D3", "5E3C3"), "ply 2: 'E3C3' is not a legal move"),
        ((" 5D5E5", ""), "the game is not over"),
        (("5D5E5", "5D5E5 1D3D2"), "after the end"),
        (("ChessTotheCorner", "NoMove"), "but it was red won"),
        (("ChessTotheCorner", "TimeOut"), "had ended by the rules"),
        (("1A1B1", "7A1B1"), "roll: expected 1 to 6, got 7"),
    ],
)
def test_an_illegal_game_yields_an_error(change: tuple[str, str], why: str) -> None:
    problem, following = read_compact(REAL_GAMES.splitlines()[1].replace(*change) + "\n" + REAL_GAMES.splitlines()[2])
    assert isinstance(problem, RecordError)
    assert why in problem.why
    assert isinstance(following, GameRecord)


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("RB ChessTotheCorner | A1 | 1A1B1", 1, "expected 12 start squares"),
        ("RB Checkmate | E5 D4 E4 C5 E3 D5 A1 B2 A2 C1 A3 B1 | 1A1B1", 1, "ending: expected one of"),
        ("RB ChessTotheCorner | E5 D4 E4 C5 E3 D5 A1 B2 A2 C1 A3 A1 | 1A1B1", 1, "two cubes on square A1"),
        ("RB ChessTotheCorner | E5 D4 E4 C5 E3 D5 A1 B2 A2 C1 A3 Z9 | 1A1B1", 1, "square: expected A1 to E5"),
        ("#\nRB ChessTotheCorner | E5 D4 E4 C5 E3 D5 A1 B2 A2 C1 A3 B1 | 1A1", 2, "move: expected die, from and to"),
        ("RR ChessTotheCorner | E5 D4 E4 C5 E3 D5 A1 B2 A2 C1 A3 B1 | 1A1B1", 1, "order: expected RB or BR"),
    ],
)
def test_a_malformed_compact_line_yields_its_number(text: str, line: int, why: str) -> None:
    (problem,) = read_compact(text)
    assert isinstance(problem, RecordError)
    assert why in problem.why
    assert problem.line == line


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("* board 5 6", "expected '* order RB'"),
        ("* order RB\n* 1. R 1 A1 B1", "'* ini …' is missing"),
        ("* order RB\n* 1. B 1 A1 B1", "expected move '1. R'"),
        ("* order RB\n* 2. R 1 A1 B1", "expected move '1. R'"),
        ("* order RB\n* board 6 6", "board: expected '5 6'"),
        ("* order RB\n* dance", "unknown keyword 'dance'"),
        ("order RB", "expected a line starting with '* '"),
    ],
)
def test_a_malformed_server_record_yields_an_error(text: str, why: str) -> None:
    good = write_server(legal(REAL_GAMES)[0])
    problem, following = read_server(f"{text}\n{good}")
    assert isinstance(problem, RecordError)
    assert why in problem.why
    assert isinstance(following, GameRecord)


words = st.sampled_from(
    ["*", "#", "|", "order", "RB", "BR", "ini", "board", "5", "6", "1.", "2.", "R", "B", "NoMove", "A1", "1A1B1", "\n"]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(words, max_size=40).map(" ".join))
def test_any_text_yields_records_or_errors(text: str) -> None:
    for reader in (read_compact, read_server):
        for record in reader(text):
            if isinstance(record, RecordError):
                assert record.line >= 1
            else:
                record.check()
