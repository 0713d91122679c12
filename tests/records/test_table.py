"""Tables of games: what `results --export` writes can be replayed."""

import pickle
from pathlib import Path

import pytest

import starscout
from starscout.records import table
from starscout.records.record import RecordError
from starscout.records.table import read_csv

HEADER = "game,a,b,a_side,winner,reason,start,rolls,moves"
START = "12./3.c/.ba r -"


@pytest.fixture(scope="module")
def played() -> "starscout.MatchResult":
    return starscout.match(
        "ewn-3x3-3", "random", "random", pairs=2, seed=3, workers=0, store=":memory:", luck="off", progress=False
    )


@pytest.mark.parametrize("ending", ["json", "csv"])
def test_exported_games_are_replayed(played: "starscout.MatchResult", tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"games.{ending}"
    assert played.export(file) == 4
    replayed = starscout.replay(file)
    assert (replayed.games, replayed.legal) == (4, 4)
    for read, record in zip(replayed.records, played.records, strict=True):
        assert [(ply.roll, ply.move) for ply in read.plies] == [(ply.roll, ply.move) for ply in record.plies]
        assert (read.players, read.winner, read.reason, read.pair) == (
            record.players, record.winner, record.reason, record.pair
        )  # fmt: skip
    assert starscout.export(file, "text").count("wins: ") == 4


def test_games_without_dice_and_with_events(tmp_path: Path) -> None:
    for game in ("othello-4x4", "dark-chess"):
        result = starscout.match(
            game, "random", "random", pairs=1, seed=1, workers=0, store=":memory:", luck="off", progress=False
        )
        result.export(tmp_path / "games.csv")
        records = starscout.replay(tmp_path / "games.csv").records
        assert [record.reason for record in records] == [record.reason for record in result.records]
        assert [record.event_texts() for record in records] == [record.event_texts() for record in result.records]


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (f"ewn-3x3-3,A,B,0,0,corner,{START},1,A1A2 B1B2", "rolls: none left for the move 'B1B2'"),
        (f"ewn-3x3-3,A,B,0,0,corner,{START},9,A1A2", "roll: expected 1 to 3, got 9"),
        (f"ewn-3x3-3,A,B,0,0,corner,{START},1,C3C3", "'C3C3' is not a legal move"),
        (f"ewn-3x3-3,A,B,0,0,corner,{START},1,A1A2", "the game is not over"),
        (f"nonsense,A,B,0,0,corner,{START},1,A1A2", "there is no game 'nonsense'"),
    ],
)
def test_malformed_rows_are_reported_with_their_line(row: str, why: str) -> None:
    (error,) = read_csv(f"{HEADER}\n{row}\n")
    assert isinstance(error, RecordError)
    assert error.line == 2
    assert why in error.why


def test_parquet_without_pyarrow_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    with pytest.raises(starscout.GameError, match="need pyarrow"):
        list(table.read_parquet(tmp_path / "x.parquet"))


def test_print_of_a_record_is_readable(played: "starscout.MatchResult") -> None:
    record = played.records[0]
    lines = str(record).splitlines()
    assert lines[0] == "ewn-3x3-3: random (red) – random (blue)"
    assert len(lines) == 3 + len(record.plies)
    assert lines[-1].endswith(record.reason)
    assert pickle.loads(pickle.dumps(record)) == record


def test_a_field_that_is_too_long_is_an_error_of_its_line() -> None:
    """Regression: this raised `csv.Error`."""
    (error,) = read_csv(f"{HEADER}\n{'x' * 200_000}\n")
    assert isinstance(error, RecordError)
    assert "field limit" in str(error)


def test_line_ends_of_any_kind_end_a_row() -> None:
    """Regression: a single carriage return raised `csv.Error`."""
    found = list(read_csv(f"{HEADER}\nnonsense,A,B\rnonsense,A,B\r\n"))
    assert [isinstance(error, RecordError) for error in found] == [True, True]


def test_a_half_is_zero_or_one() -> None:
    """Regression: another number was accepted, and the record written from it could not be read."""
    row = f"ewn-3x3-3,A,B,0,1,corner,{START},3 2 2 3 3 2,A2A3 B3B2 B1C2 B2A2 A3B3 A2A1"
    found = [next(iter(read_csv(f"{HEADER},half\n{row},{half}\n"))) for half in (1, 10)]
    assert [getattr(record, "half", None) for record in found] == [1, 0]
