"""Record files: format detection and reports of problems with file and line."""

import bz2
import gzip
import lzma
from pathlib import Path

import pytest

from starscout import games
from starscout.game import GameError
from starscout.players.spec import make_player
from starscout.records.ewn_server import write_server
from starscout.records.files import RecordProblem, check_file, load_records, read_records, read_records_of
from starscout.records.ggf import write_ggf
from starscout.records.json_lines import write_json_line
from starscout.records.move_list import write_move_list
from starscout.records.record import GameRecord, RecordError
from starscout.referee.game_in_progress import play_game
from starscout.search.limits import Limit
from tests.starts import any_start

pytestmark = pytest.mark.plain

COMPACT = (
    "RB NoMove | C5 D4 E5 D5 E3 E4 C1 B2 A1 B1 A3 A2 | 3A1A2 1C5C4 6A3B4 5E3D3 5B4C4 3E5D4 5C4D5 6E4D3 3A2B2 4D3C3 "
    "3B2C3 4D4C3 4B1B2 2C3B3 4B2B3\n"
)


def record_of(name: str) -> GameRecord:
    game = games.load(name)
    players = make_player("random", game), make_player("random", game)
    return play_game(any_start(game, 3), players, (Limit(), Limit()), seed=3)


@pytest.mark.parametrize(
    ("game", "write"),
    [("ewn", write_json_line), ("ewn", write_server), ("othello", write_ggf), ("othello", write_move_list)],
)
def test_every_format_is_detected_by_its_first_line(game: str, write, tmp_path: Path) -> None:
    record, file = record_of(game), tmp_path / "games"
    file.write_text(write(record))
    (again,) = load_records(file)
    assert [ply.move for ply in again.plies] == [ply.move for ply in record.plies]
    assert (again.winner, again.reason) == (record.winner, record.reason)


@pytest.mark.parametrize(
    ("game", "write"),
    [("ewn", write_json_line), ("ewn", write_server), ("othello", write_ggf), ("othello", write_move_list)],
)
def test_a_byte_order_mark_is_not_part_of_the_text(game: str, write, tmp_path: Path) -> None:
    record, file = record_of(game), tmp_path / "games"
    file.write_text(write(record), encoding="utf-8-sig")
    (again,) = load_records(file)
    assert [ply.move for ply in again.plies] == [ply.move for ply in record.plies]
    (dropped,) = read_records_of("\ufeff" + write(record), "the dropped file")
    assert not isinstance(dropped, RecordError)


def test_comments_and_empty_lines_are_skipped(tmp_path: Path) -> None:
    file = tmp_path / "games"
    file.write_text(f"# games of a course\n\n{COMPACT}")
    (record,) = load_records(file)
    assert (record.reason, len(record.plies)) == ("captured all", 15)


def test_problems_are_reported_and_other_games_read(tmp_path: Path) -> None:
    file = tmp_path / "games"
    file.write_text(COMPACT + COMPACT.replace("3A1A2", "4A1A2") + COMPACT)
    check = check_file(file)
    assert (check.games, check.legal) == (3, 2)
    (problem,) = check.problems
    assert problem == RecordProblem(str(file), 2, problem.why)
    assert "'A1A2' is not a legal move" in problem.why
    assert [type(record) for record in read_records(file)] == [GameRecord, RecordError, GameRecord]
    with pytest.raises(RecordError, match="line 2: "):
        list(load_records(file))


def test_an_unknown_format_raises(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear reader\n")
    with pytest.raises(GameError, match=r"unknown record format.*Dear reader"):
        check_file(tmp_path / "letter.txt")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(GameError, match="not a text file"):
        check_file(tmp_path / "bytes.txt")


def test_a_compressed_file_raises(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl.gz"
    for compress in (gzip.compress, bz2.compress, lzma.compress):
        file.write_bytes(compress(COMPACT.encode()))
        with pytest.raises(GameError) as wrong:
            check_file(file)
        assert str(wrong.value) == f"{file} is compressed: unpack it first"
